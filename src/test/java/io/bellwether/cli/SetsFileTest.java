package io.bellwether.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

class SetsFileTest {
    @Test
    void read_aFile_givesItsSetsInOrder() throws Exception {
        List<SetsFile.Entry> sets = SetsFile.read("f", utf8("""
                # a comment
                firewall:
                  source: {url: "https://feeds.example/a"}
                  schedule: "0 * * * * *"
                geo-1:
                  source:
                    url: file:/feeds/geo.ndjson
                  schedule: 0 0 4 * * *
                  guard: {maxDeleteShare: 0.5}
                  enabled: false
                """));
        assertThat(sets).extracting(SetsFile.Entry::set).containsExactly("firewall", "geo-1");
        assertThat(sets.get(1).definition().path("schedule").asText()).isEqualTo("0 0 4 * * *");
        assertThat(sets.get(1).definition().path("guard").path("maxDeleteShare").isNumber()).isTrue();
        assertThat(sets.get(1).definition().path("enabled").isBoolean()).isTrue();
    }

    @Test
    void read_mistakes_saysEachWithItsFileLineAndSet() {
        assertThat(refused("""
                firewall:
                  source:
                    url: ftp://feeds.example/a
                    headers: {Authorization: 5}
                  schedule: "61 * * * * *"
                Geo:
                  source: {url: "https://feeds.example/a"}
                  schedule: "0 * * * * *"
                  guard:
                    allowEmpty: false
                    maxDeletes: 3
                """)).satisfiesExactlyInAnyOrder(
                c -> assertThat(c).startsWith("sets.yaml line 3, set 'firewall': source.url must be"),
                c -> assertThat(c).startsWith("sets.yaml line 4, set 'firewall': source.headers.Authorization"),
                c -> assertThat(c).startsWith("sets.yaml line 5, set 'firewall': schedule '61"),
                c -> assertThat(c).startsWith("sets.yaml line 6, set 'Geo': the name of a set"),
                c -> assertThat(c).startsWith("sets.yaml line 11, set 'Geo': guard.maxDeletes is unknown"));
    }

    @Test
    void read_aTextThatBeginsWithAStar_saysThatItHasToBeQuoted() {
        assertThat(refused("firewall:\n  schedule: * * * * *\n")).singleElement().asString().contains("line 2")
                .contains("quoted");
        assertThat(refused("firewall:\n  schedule: &s x\n  zone: *s\n")).singleElement().asString().contains("line 3")
                .contains("aliases");
    }

    @Test
    void read_whatIsNotYaml_saysWhere() {
        assertThat(refused("firewall:\n  source: {url: \n")).singleElement().asString().startsWith("sets.yaml line ")
                .contains("not YAML");
        assertThat(refused("firewall:\n\tsource: x\n")).singleElement().asString().contains("line 2");
    }

    @Test
    void read_oneNameTwice_isRefused() {
        assertThat(refused("""
                firewall:
                  source: {url: "https://feeds.example/a"}
                  schedule: "0 * * * * *"
                firewall:
                  source: {url: "https://feeds.example/b"}
                  schedule: "0 * * * * *"
                """)).singleElement().asString().contains("line 4").contains("firewall");
    }

    @Test
    void read_aSecondDocument_isRefusedInsteadOfIgnored() {
        assertThat(refused("""
                firewall:
                  source: {url: "https://feeds.example/a"}
                  schedule: "0 * * * * *"
                ---
                geo:
                  source: {url: "https://feeds.example/b"}
                  schedule: "0 * * * * *"
                """)).singleElement().asString().contains("second document");
    }

    @Test
    void read_noSets_isRefused() {
        for (String text : List.of("", "# nothing\n", "- a\n- b\n", "text", "{}")) {
            assertThat(refused(text)).as(text).singleElement().asString().contains("sets by name");
        }
        assertThat(refused("firewall:\n")).singleElement().asString().contains("set 'firewall'");
    }

    private static List<String> refused(String yaml) {
        CommandFailure failure = catchThrowableOfType(CommandFailure.class,
                () -> SetsFile.read("sets.yaml", utf8(yaml)));
        assertThat(failure).as(yaml).isNotNull();
        assertThat(failure.exitCode()).isEqualTo(2);
        return failure.line().lines().toList();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
