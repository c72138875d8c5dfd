package io.bellwether.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SetDefinitionJsonTest {
    private static final String FULL = """
            {"source": {"url": "https://upstream.example/feed.ndjson", "headers": {"Authorization": "Bearer hush"}},
             "schedule": "0 * * * * *", "zone": "Europe/Berlin", "misfire": "skip", "misfireWindow": "PT2H",
             "maxRuntime": "PT5M",
             "enabled": false, "guard": {"maxDeleteShare": 0.5, "allowEmpty": true, "duplicateKeys": "last"},
             "keepRevisions": 3}
            """;

    private final ObjectMapper json = new ObjectMapper();

    @Test
    void read_everything_givesIt() throws Exception {
        assertThat(read(FULL)).isEqualTo(new SetDefinition(
                new SetDefinition.Source("https://upstream.example/feed.ndjson",
                        Map.of("Authorization", "Bearer hush")),
                "0 * * * * *", "Europe/Berlin", SetDefinition.Misfire.SKIP, Duration.ofHours(2), Duration.ofMinutes(5),
                false,
                new SetDefinition.Guard(0.5, true, SetDefinition.DuplicateKeys.LAST), 3));
    }

    @Test
    void read_theLeast_givesTheDefaults() throws Exception {
        assertThat(read("{\"source\":{\"url\":\"file:/feeds/a.ndjson\"},\"schedule\":\"*/5 * * * *\"}"))
                .isEqualTo(new SetDefinition(new SetDefinition.Source("file:/feeds/a.ndjson", Map.of()), "*/5 * * * *",
                        "UTC", SetDefinition.Misfire.COALESCE, Duration.ofDays(1), Duration.ofMinutes(10), true,
                        SetDefinition.Guard.DEFAULT,
                        10));
    }

    @Test
    void write_withSecrets_readsBackEqual() throws Exception {
        SetDefinition definition = read(FULL);
        assertThat(read(SetDefinitionJson.write(definition, true).toString())).isEqualTo(definition);
    }

    @Test
    void writeAndToString_forPeople_showNoHeaderValue() throws Exception {
        SetDefinition definition = read(FULL);
        String masked = SetDefinitionJson.write(definition, false).toString();
        assertThat(masked).contains("\"Authorization\":\"(secret)\"").doesNotContain("hush");
        assertThat(definition.toString()).contains("Authorization").doesNotContain("hush");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "{\"schedule\":\"* * * * *\"}|source must be an object with a url",
            "{\"source\":{\"url\":\"http://x\"}}|schedule is required",
            "{\"source\":{\"url\":\"ftp://x\"},\"schedule\":\"* * * * *\"}|source.url must be an http, https or file URL",
            "{\"source\":{\"url\":\"http://u:p@x\"},\"schedule\":\"* * * * *\"}|source.url must not hold a user",
            "{\"source\":{\"url\":\"http://x\",\"headres\":{}},\"schedule\":\"* * * * *\"}|source.headres is unknown",
            "{\"source\":{\"url\":\"http://x\",\"headers\":{\"A\":1}},\"schedule\":\"* * * * *\"}|source.headers.A",
            "{\"source\":{\"url\":\"http://x\",\"headers\":{\"A\":\"a\\r\\nB: b\"}},\"schedule\":\"* * * * *\"}|source.headers.A",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"zone\":\"Mars/Base\"}|zone 'Mars/Base'",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"misfire\":\"COALESCE\"}|misfire must be one of",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"maxRuntime\":\"10m\"}|maxRuntime must be an ISO 8601",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"maxRuntime\":\"PT0S\"}|maxRuntime must be from PT1S",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"misfireWindow\":\"PT1S\"}|misfireWindow must be from PT30S",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"enabled\":\"yes\"}|enabled must be true or false",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"guard\":{\"maxDeleteShare\":30}}|guard.maxDeleteShare",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"keepRevisions\":0}|keepRevisions must be",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"keepRevisions\":2.5}|keepRevisions must be",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"zone\":null}|zone must be a text",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"shedule\":\"\"}|shedule is unknown",
            "{\"source\":{\"url\":7},\"schedule\":\"* * * * *\"}|source.url must be a text, not 7",
            "{\"source\":{\"url\":\"http://x\",\"headers\":{\"Host\":\"y\"}},\"schedule\":\"* * * * *\"}|source.headers.Host is set by",
            "{\"source\":{\"url\":\"http://x\",\"headers\":{\"A\":\"1\",\"a\":\"2\"}},\"schedule\":\"* * * * *\"}|source.headers.a is given twice",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"guard\":{\"allowEmpty\":1}}|guard.allowEmpty must be true",
            "{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"guard\":{\"duplicateKeys\":\"first\"}}|guard.duplicateKeys must be one of",
            "{\"source\":{\"url\":\"http://x/\\ud800\"},\"schedule\":\"* * * * *\"}|source.url must be printable ASCII",
            "[]|a set definition must be a JSON object"})
    void read_somethingWrong_saysWhat(String text, String complaint) throws Exception {
        assertThat(complaints(text)).singleElement().asString().startsWith(complaint);
    }

    @ValueSource(strings = {"http://", "http:x", "https:///feed", "file:feed", "file://host/feed"})
    @ParameterizedTest
    void read_aUrlThatNamesNoPlace_isRefused(String url) throws Exception {
        assertThat(complaints("{\"source\":{\"url\":\"" + url + "\"},\"schedule\":\"* * * * *\"}")).hasSize(1);
    }

    @Test
    void read_severalThingsWrong_saysAllAtOnce() throws Exception {
        assertThat(complaints("{\"source\":{\"url\":\"http://x y\"},\"zone\":\"X/Y\",\"enabled\":1,\"surprise\":{}}"))
                .hasSize(5);
    }

    @Test
    void complaints_aboutSecretsOrLongValues_quoteThemNotOrInPart() throws Exception {
        assertThat(complaints("{\"source\":{\"url\":\"http://x\",\"headers\":{\"A\":\"hush\\u0000\"}},"
                + "\"schedule\":\"* * * * *\"}")).singleElement().asString().doesNotContain("hush");
        assertThat(complaints("{\"source\":{\"url\":\"http://x\"},\"schedule\":\"* * * * *\",\"enabled\":\""
                + "x".repeat(10_000) + "\"}")).singleElement().asString().hasSizeLessThan(200);
    }

    private SetDefinition read(String text) throws Exception {
        List<String> complaints = new ArrayList<>();
        SetDefinition definition = SetDefinitionJson.read(json.readTree(text), complaints);
        assertThat(complaints).isEmpty();
        assertThat(definition).isNotNull();
        return definition;
    }

    private List<String> complaints(String text) throws Exception {
        List<String> complaints = new ArrayList<>();
        assertThat(SetDefinitionJson.read(json.readTree(text), complaints)).isNull();
        return complaints;
    }
}
