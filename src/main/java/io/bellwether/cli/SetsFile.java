package io.bellwether.cli;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;

import io.bellwether.policy.SetDefinitionJson;
import io.bellwether.policy.SetName;
import io.bellwether.schedule.CronSchedule;

/** Reads a YAML file of sets by name, and says of everything that is wrong in it where it stands. Stateless. */
final class SetsFile {
    /** The member that a complaint of the API begins with. */
    private static final Pattern MEMBER = Pattern.compile("[A-Za-z][A-Za-z0-9._-]*");

    private static final Pattern PLACE = Pattern.compile("(?m)^ in [^\\n]*, line ([0-9]+), column");

    private static final String ALIAS_HINT = "aliases (*name) are not understood; a text that begins with * has to be"
            + " quoted";

    private static final YAMLFactory YAML = YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final ObjectMapper MAPPER = new ObjectMapper(YAML);

    /**
     * One set of the file.
     *
     * @param set its name
     * @param definition as it stands there
     * @param lines the line of each member, by its path below the set; the set's own is under the empty path
     */
    record Entry(String set, JsonNode definition, Map<String, Integer> lines) {
        /** Where the thing stands that the complaint begins with. */
        String where(String file, String complaint) {
            Matcher member = MEMBER.matcher(complaint);
            String path = member.lookingAt() ? member.group() : "";
            int line = lines.getOrDefault(path, lines.getOrDefault("", 1));
            return file + " line " + line + ", set '" + Table.plain(set) + "'";
        }
    }

    private SetsFile() {}

    /**
     * Reads a file.
     *
     * @param file its name, for complaints
     * @throws CommandFailure with a line for each thing that is wrong
     */
    static List<Entry> read(String file, byte[] content) throws CommandFailure {
        Map<String, Map<String, Integer>> lines;
        JsonNode root;
        try {
            lines = lines(file, content);
            root = MAPPER.readTree(content);
        } catch (JsonProcessingException e) {
            throw new CommandFailure(CommandFailure.USAGE, file + line(e) + ": not YAML: " + words(e), e);
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.USAGE, file + ": cannot be read", e);
        }
        if (!root.isObject() || root.isEmpty()) {
            throw new CommandFailure(CommandFailure.USAGE, file + ": it must hold sets by name, at least one");
        }
        List<Entry> entries = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        root.properties().forEach(member -> {
            Entry entry = new Entry(member.getKey(), member.getValue(), lines.getOrDefault(member.getKey(), Map.of()));
            entries.add(entry);
            complaints(entry).forEach(complaint -> wrong.add(entry.where(file, complaint) + ": " + complaint));
        });
        if (!wrong.isEmpty()) {
            throw new CommandFailure(CommandFailure.USAGE, String.join("\n", wrong));
        }
        return entries;
    }

    /** What can be judged without the server, so that a file with a mistake changes nothing at all. */
    private static List<String> complaints(Entry entry) {
        List<String> complaints = new ArrayList<>();
        if (!SetName.isValid(entry.set())) {
            complaints.add("the name of a set must be " + SetName.rule());
        }
        SetDefinitionJson.read(entry.definition(), complaints);
        JsonNode schedule = entry.definition().path("schedule");
        if (schedule.isTextual() && complaints.stream().noneMatch(c -> c.startsWith("zone "))) {
            try {
                CronSchedule.written(schedule.textValue(), entry.definition().path("zone").asText("UTC").strip());
            } catch (IllegalArgumentException e) {
                complaints.add(String.valueOf(e.getMessage()));
            }
        }
        return complaints.stream().map(Table::plain).toList();
    }

    /** The line of each member, by set and path. */
    private static Map<String, Map<String, Integer>> lines(String file, byte[] content)
            throws IOException, CommandFailure {
        Map<String, Map<String, Integer>> lines = new HashMap<>();
        // The names down to where the parser stands; the root and what stands in lists have none.
        Deque<String> path = new ArrayDeque<>();
        String name = "";
        int depth = 0;
        boolean ended = false;
        try (YAMLParser parser = YAML.createParser(content)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                int line = parser.currentTokenLocation().getLineNr();
                if (ended) {
                    throw new CommandFailure(CommandFailure.USAGE,
                            file + " line " + line + ": a second document begins; a file has one");
                }
                if (parser.isCurrentAlias()) {
                    throw new CommandFailure(CommandFailure.USAGE, file + " line " + line + ": " + ALIAS_HINT);
                }
                if (token == JsonToken.FIELD_NAME) {
                    name = parser.currentName();
                    List<String> full = new ArrayList<>(path);
                    full.add(name);
                    lines.computeIfAbsent(full.getFirst(), set -> new HashMap<>())
                            .put(String.join(".", full.subList(1, full.size())), line);
                } else if (token.isStructStart()) {
                    if (depth++ > 0) {
                        path.addLast(name);
                    }
                    name = "";
                } else if (token.isStructEnd() && --depth > 0) {
                    path.removeLast();
                }
                ended = depth == 0;
            }
        }
        return lines;
    }

    /** The place is in the text of the parser below; what Jackson makes of it is one line off now and then. */
    private static String line(JsonProcessingException e) {
        String found = "";
        for (Matcher place = PLACE.matcher(String.valueOf(e.getOriginalMessage())); place.find();) {
            found = place.group(1);
        }
        if (found.isEmpty() && e.getLocation() != null) {
            found = Integer.toString(e.getLocation().getLineNr());
        }
        return found.isEmpty() ? "" : " line " + found;
    }

    /** What the parser says, without the excerpts that it draws over several lines. */
    private static String words(JsonProcessingException e) {
        String said = String.valueOf(e.getOriginalMessage()).lines()
                .filter(line -> !line.startsWith(" ") && !line.isBlank()).collect(Collectors.joining(", "));
        return Table.plain(said) + (said.contains("alias") ? "; " + ALIAS_HINT : "");
    }
}
