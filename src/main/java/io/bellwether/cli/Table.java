package io.bellwether.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;

/** Rows in columns, for people. Not thread safe. */
final class Table {
    private static final int MAX_CELL = 120;

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... header) {
        rows.add(List.of(header));
    }

    void row(String... cells) {
        rows.add(List.of(cells));
    }

    /** Writes the columns as wide as they need to be, without trailing spaces. */
    void print(PrintWriter out) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i));
                if (i < columns - 1) {
                    line.repeat(' ', widths[i] - row.get(i).length() + 2);
                }
            }
            out.println(line.toString().stripTrailing());
        }
    }

    /** A value as a cell: a dash for nothing, and no character that a terminal would obey. */
    static String cell(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? "-" : plain(value.asText());
    }

    /** A text of any length on one line. */
    static String line(String text) {
        return text.replaceAll("[\\p{Cntrl}]+", " ").strip();
    }

    /** A text that a terminal shows as it is, on one line. */
    static String plain(String text) {
        String shown = text.length() > MAX_CELL ? text.substring(0, MAX_CELL - 1) + "…" : text;
        StringBuilder plain = new StringBuilder(shown.length());
        shown.codePoints()
                .forEach(c -> plain.appendCodePoint(
                        Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? ' ' : c));
        return plain.toString();
    }
}
