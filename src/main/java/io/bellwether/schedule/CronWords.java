package io.bellwether.schedule;

import java.time.DayOfWeek;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A schedule in English words, for the person who wrote it. Stateless. */
public final class CronWords {
    /** A step that hits no more values than this is told by all of them. */
    private static final int LISTED = 6;

    private CronWords() {}

    /** One sentence without a full stop, such as {@code at 02:30:00, on Monday to Friday (Europe/Berlin)}. */
    public static String explain(CronSchedule schedule) {
        List<String> fields = schedule.fields();
        List<String> said = new ArrayList<>();
        said.add(timeOfDay(fields.get(0), fields.get(1), fields.get(2)));
        if (isRestricted(fields.get(3))) {
            said.add("on " + monthDays(fields.get(3)) + " of the month");
        }
        if (isRestricted(fields.get(4))) {
            said.add("in " + list(numbered(fields.get(4), Stream.of(Month.values()).map(Month::name).toList()), "month",
                    1, 12, CronWords::month));
        }
        if (isRestricted(fields.get(5))) {
            said.add((isRestricted(fields.get(3)) ? "if it is " : "on ")
                    + list(numbered(fields.get(5), Stream.of(DayOfWeek.values()).map(DayOfWeek::name).toList()), "day",
                            1, 7, CronWords::day));
        }
        return String.join(", ", said) + " (" + schedule.zone() + ")";
    }

    private static String timeOfDay(String second, String minute, String hour) {
        if (isNumber(second) && isNumber(minute) && isNumber(hour)) {
            return String.format(Locale.ROOT, "at %02d:%02d:%02d", number(hour), number(minute), number(second));
        }
        List<String> said = new ArrayList<>();
        if (!second.equals("0")) {
            said.add(every(second, "second", 60));
        }
        if (!minute.equals("*") || second.equals("0")) {
            said.add(every(minute, "minute", 60));
        }
        if (!hour.equals("*")) {
            said.add(every(hour, "hour", 24));
        } else if (isNumber(minute)) {
            said.add("every hour");
        }
        return said.getFirst().startsWith("every") || said.size() == 1 && said.getFirst().startsWith("at")
                ? String.join(", ", said)
                : "at " + String.join(", ", said);
    }

    private static String every(String field, String unit, int span) {
        if (List.of(field.split(",", -1)).contains("*")) {
            return "every " + unit;
        }
        if (field.startsWith("*/") || field.startsWith("0/")) {
            String step = field.substring(2);
            if (isNumber(step) && span % number(step) == 0 && number(step) < span) {
                return number(step) == 1 ? "every " + unit : "every " + number(step) + " " + unit + "s";
            }
        }
        return unit + " " + list(field, unit, 0, span - 1, UnaryOperator.identity());
    }

    private static String list(String field, String unit, int first, int last, UnaryOperator<String> name) {
        return Arrays.stream(field.split(",", -1)).map(part -> part(part, unit, first, last, name))
                .collect(Collectors.joining(" and "));
    }

    private static String part(String part, String unit, int first, int last, UnaryOperator<String> name) {
        String[] step = part.split("/", -1);
        String from = step[0];
        String to = Integer.toString(last);
        int dash = from.indexOf('-');
        if (dash > 0 && !from.startsWith("L")) {
            to = from.substring(dash + 1);
            from = from.substring(0, dash);
        } else if (step.length == 1) {
            return from.equals("*") ? "any" : name.apply(from);
        }
        if (from.equals("*")) {
            from = Integer.toString(first);
        }
        if (step.length == 1) {
            return name.apply(from) + " to " + name.apply(to);
        }
        if (isNumber(from) && isNumber(to)) {
            int upTo = number(to);
            List<String> hits = IntStream.iterate(number(from), n -> n <= upTo, n -> n + number(step[1]))
                    .mapToObj(Integer::toString).toList();
            return hits.size() <= LISTED
                    ? hits.stream().map(name).collect(Collectors.joining(" and "))
                    : name.apply(hits.get(0)) + ", " + name.apply(hits.get(1)) + ", … " + name.apply(hits.getLast());
        }
        return "every " + step[1] + " " + unit + "s from " + name.apply(from) + " to " + name.apply(to);
    }

    private static String monthDays(String field) {
        if (!field.contains("L")) {
            return "day " + list(field, "day", 1, 31, CronWords::monthDay);
        }
        return Arrays.stream(field.split(",", -1))
                .map(part -> part.startsWith("L")
                        ? monthDay(part)
                        : "day " + part(part, "day", 1, 31, CronWords::monthDay))
                .collect(Collectors.joining(" and "));
    }

    /** The field with numbers instead of names, whose steps can be counted; the names are those of 1, 2 … */
    private static String numbered(String field, List<String> names) {
        String said = field;
        for (int i = 0; i < names.size(); i++) {
            said = said.replace(names.get(i).substring(0, 3), Integer.toString(i + 1));
        }
        return said;
    }

    private static String monthDay(String day) {
        if (day.equals("L")) {
            return "the last day";
        }
        if (day.startsWith("L-")) {
            return "the day " + day.substring(2) + " before the last";
        }
        if (day.equals("LW")) {
            return "the last weekday";
        }
        return day.endsWith("W") ? "the weekday nearest to " + day.substring(0, day.length() - 1) : day;
    }

    private static String month(String month) {
        for (Month one : Month.values()) {
            if (month.equals(Integer.toString(one.getValue())) || one.name().startsWith(month)) {
                return one.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            }
        }
        return month;
    }

    private static String day(String day) {
        int nth = day.indexOf('#');
        if (nth > 0) {
            return day(day.substring(0, nth)) + " number " + day.substring(nth + 1) + " of the month";
        }
        if (day.length() > 1 && day.endsWith("L")) {
            return "the last " + day(day.substring(0, day.length() - 1)) + " of the month";
        }
        for (DayOfWeek one : DayOfWeek.values()) {
            if (day.equals(Integer.toString(one.getValue())) || one.name().startsWith(day)
                    || one == DayOfWeek.SUNDAY && day.equals("0")) {
                return one.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            }
        }
        return day;
    }

    private static boolean isRestricted(String field) {
        return !field.equals("*") && !field.equals("?");
    }

    private static boolean isNumber(String field) {
        return !field.isEmpty() && field.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static int number(String field) {
        return Integer.parseInt(field);
    }
}
