package io.bellwether;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

/**
 * The rules of the house, each for the packages below a root, so that the same rule judges the product and a small tree
 * of classes that break it. Stateless.
 */
final class ArchitectureRules {
    /** The packages from the top down: a class may use those of its own package and of those below it. */
    static final List<String> ORDER = List.of("cli", "cluster", "app", "console", "http", "admin", "fleet", "refresh",
            "source", "feed", "catalog", "lease", "schedule", "database", "policy", "telemetry", "lifecycle",
            "settings",
            "fault");

    /** Libraries that one package alone may see, so that they can be replaced in one place. */
    private static final Map<String, List<String>> SOLE_HOMES = Map.of("cli", List.of("picocli"), "cluster",
            List.of("io.zonky", "redis.embedded"), "http", List.of("io.javalin", "org.eclipse.jetty"), "lease",
            List.of("org.redisson"), "schedule", List.of("org.springframework"), "database",
            List.of("com.zaxxer", "org.flywaydb", "org.postgresql"));

    private static final List<String> FORBIDDEN_NAMES = List.of("util", "utils", "common", "model", "helper", "helpers",
            "manager", "misc", "core");

    private static final List<String> TEST_LIBRARIES = List.of("org.junit..", "org.assertj..", "com.tngtech..",
            "org.opentest4j..", "io.bellwether.testing..");

    /** Where the one real clock of a process is made; everywhere else time is an argument. */
    private static final List<String> CLOCK_MAKERS = List.of("app", "cluster", "cli");

    private ArchitectureRules() {}

    /** All rules by the name of the package in which the fixture that breaks it lives. */
    static Map<String, ArchRule> all(String root) {
        Map<String, ArchRule> rules = new LinkedHashMap<>();
        rules.put("order", importsGoDownward(root));
        rules.put("unlisted", everyPackageIsListed(root));
        SOLE_HOMES.forEach((home, libraries) -> rules.put("home" + home, soleHome(root, home, libraries)));
        rules.put("httprefresh", never(root, "http", "refresh"));
        rules.put("refreshcatalog", never(root, "refresh", "catalog"));
        rules.put("feedalone", feedImportsPolicyOnly(root));
        rules.put("names", noPackageIsNamedForNothing(root));
        rules.put("printing", onlyTheCommandLinePrints(root));
        rules.put("nullmarked", everyPackageIsNullMarked(root));
        rules.put("cycles", slices().matching(root + ".(*)..").should().beFreeOfCycles());
        rules.put("clock", timeIsAnArgument(root));
        rules.put("testlibraries", noTestLibraryInProduction(root));
        return rules;
    }

    private static ArchRule importsGoDownward(String root) {
        return classes().that().resideInAPackage(root + "..").should(new ArchCondition<>("import strictly downward") {
            @Override
            public void check(JavaClass origin, ConditionEvents events) {
                for (Dependency dependency : origin.getDirectDependenciesFromSelf()) {
                    int from = ORDER.indexOf(part(root, origin));
                    int to = ORDER.indexOf(part(root, dependency.getTargetClass()));
                    if (from >= 0 && to >= 0 && to < from) {
                        events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
                    }
                }
            }
        });
    }

    private static ArchRule everyPackageIsListed(String root) {
        return classes().that().resideInAPackage(root + "..").should(new ArchCondition<>("live in a listed package") {
            @Override
            public void check(JavaClass origin, ConditionEvents events) {
                if (!ORDER.contains(part(root, origin))) {
                    events.add(SimpleConditionEvent.violated(origin, origin.getName() + " is in no listed package"));
                }
            }
        });
    }

    private static ArchRule soleHome(String root, String home, List<String> libraries) {
        return noClasses().that().resideInAPackage(root + "..").and().resideOutsideOfPackage(root + "." + home + "..")
                .should().dependOnClassesThat().resideInAnyPackage(patterns(libraries));
    }

    private static ArchRule never(String root, String from, String to) {
        return noClasses().that().resideInAPackage(root + "." + from + "..").should().dependOnClassesThat()
                .resideInAPackage(root + "." + to + "..").allowEmptyShould(true);
    }

    private static ArchRule feedImportsPolicyOnly(String root) {
        return noClasses().that().resideInAPackage(root + ".feed..").should().dependOnClassesThat(
                resideInAnyPackage(root + "..").and(DescribedPredicate.not(
                        resideInAnyPackage(root + ".feed..", root + ".policy.."))))
                .allowEmptyShould(true);
    }

    private static ArchRule noPackageIsNamedForNothing(String root) {
        return noClasses().that().resideInAPackage(root + "..").should()
                .resideInAnyPackage(FORBIDDEN_NAMES.stream().map(name -> root + ".." + name + "..")
                        .toArray(String[]::new));
    }

    private static ArchRule onlyTheCommandLinePrints(String root) {
        return noClasses().that().resideInAPackage(root + "..").and().resideOutsideOfPackage(root + ".cli..")
                .should().accessField(System.class, "out").orShould().accessField(System.class, "err");
    }

    private static ArchRule everyPackageIsNullMarked(String root) {
        return classes().that().resideInAPackage(root + "..").should(
                new ArchCondition<>("live in a package whose package-info is @NullMarked") {
                    @Override
                    public void check(JavaClass origin, ConditionEvents events) {
                        if (!origin.getPackage().isAnnotatedWith(NullMarked.class)) {
                            events.add(SimpleConditionEvent.violated(origin,
                                    origin.getName() + " is in a package without a @NullMarked package-info"));
                        }
                    }
                });
    }

    private static ArchRule timeIsAnArgument(String root) {
        return noClasses().that().resideInAPackage(root + "..").and(DescribedPredicate.not(resideInAnyPackage(
                CLOCK_MAKERS.stream().map(name -> root + "." + name + "..").toArray(String[]::new))))
                .should().accessTargetWhere(describe("read the wall clock", ArchitectureRules::readsTheWallClock));
    }

    private static boolean readsTheWallClock(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getTarget().getName();
        if (owner.getPackageName().equals("java.time")) {
            return Set.of("now", "system", "systemUTC", "systemDefaultZone", "tick", "tickMillis", "tickSeconds",
                    "tickMinutes").contains(name);
        }
        return owner.isEquivalentTo(System.class) && name.equals("currentTimeMillis")
                || owner.isEquivalentTo(Date.class) && name.equals("<init>");
    }

    private static ArchRule noTestLibraryInProduction(String root) {
        return noClasses().that().resideInAPackage(root + "..").should().dependOnClassesThat()
                .resideInAnyPackage(TEST_LIBRARIES.toArray(String[]::new));
    }

    private static String[] patterns(List<String> libraries) {
        return libraries.stream().map(library -> library + "..").toArray(String[]::new);
    }

    /** The first part of a class' package below the root; empty for the root itself and for foreign packages. */
    private static String part(String root, JavaClass of) {
        String name = of.getPackageName();
        if (!name.startsWith(root + ".")) {
            return "";
        }
        String below = name.substring(root.length() + 1);
        int dot = below.indexOf('.');
        return dot < 0 ? below : below.substring(0, dot);
    }
}
