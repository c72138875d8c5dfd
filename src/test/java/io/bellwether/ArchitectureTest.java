package io.bellwether;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.bellwether.fault.FaultInjection;

/**
 * Every rule of the house holds for the product, and every rule fires on a small tree of classes made to break it
 * ({@code seeded.<rule>}), so that a rule that cannot fire is noticed.
 */
class ArchitectureTest {
    private static final String ROOT = "io.bellwether";
    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(ROOT);
    private static final JavaClasses TESTS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS).importPackages(ROOT);

    static Set<String> rules() {
        return ArchitectureRules.all(ROOT).keySet();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void rule_onTheProduct_holds(String name) {
        rule(name, ROOT).check(PRODUCT);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void rule_onItsSeededViolation_fires(String name) {
        String root = "seeded." + name;
        JavaClasses seeded = new ClassFileImporter().importPackages(root);
        assertThat(seeded).as("the fixture of rule %s", name).isNotEmpty();
        assertThat(rule(name, root).evaluate(seeded).hasViolation()).as("rule %s fires", name).isTrue();
    }

    @Test
    void product_isSeen() {
        assertThat(PRODUCT.size()).as("an empty import would let every rule pass").isGreaterThan(50);
    }

    @Test
    void product_injectsNoFaults() {
        ArchRuleDefinition.noClasses().should().implement(FaultInjection.class).check(PRODUCT);
    }

    @Test
    void tests_neverSleepAndAreNeverDisabled() {
        ArchRuleDefinition.noClasses().should().callMethod(Thread.class, "sleep", long.class).orShould()
                .callMethod(Thread.class, "sleep", java.time.Duration.class).check(TESTS);
        ArchRuleDefinition.noMethods().should().beAnnotatedWith(Disabled.class).check(TESTS);
        ArchRuleDefinition.noClasses().should().beAnnotatedWith(Disabled.class).orShould().dependOnClassesThat()
                .haveFullyQualifiedName("org.junit.jupiter.api.Assumptions").check(TESTS);
    }

    private static ArchRule rule(String name, String root) {
        ArchRule rule = ArchitectureRules.all(root).get(name);
        assertThat(rule).as("rule %s", name).isNotNull();
        return rule;
    }
}
