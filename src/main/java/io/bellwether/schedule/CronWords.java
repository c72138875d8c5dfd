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

/** A schedule in English words, for the person who wrote it. Stateless. */
public final class CronWords {
    private CronWords() {}

    /** One sentence without a full stop, such as {@code at 02:30:00, on Monday to Friday (Europe/Berlin)}. */
    public static String explain(CronSchedule schedule) {
        List<String> fields = schedule.fields();
        List<String> said = new ArrayList<>();
        said.add(timeOfDay(fields.get(0), fields.get(1), fields.get(2)));
        if (isRestricted(fields.get(3))) {
            said.add(fields.get(3).equals("L")
                    ? "on the last day of the month"
                    : "on day " + list(fields.get(3), "day", CronWords::monthDay) + " of the month");
        }
        if (isRestricted(fields.get(4))) {
            said.add("in " + list(fields.get(4), "month", CronWords::month));
        }
        if (isRestricted(fields.get(5))) {
            said.add((isRestricted(fields.get(3)) ? "if it is " : "on ")
                    + list(fields.get(5), "day of the week", CronWords::day));
        }
        return String.join(", ", said) + " (" + schedule.zone() + ")";
    }

    private static String timeOfDay(String second, String minute, String hour) {
        if (isNumber(second) && isNumber(minute) && isNumber(hour)) {
            return String.format(Locale.ROOT, "at %02d:%02d:%02d", number(hour), number(minute), number(second));
        }
        List<String> said = new ArrayList<>();
        if (!second.equals("0")) {
            said.add(every(second, "second"));
        }
        if (!minute.equals("*") || second.equals("0")) {
            said.add(every(minute, "minute"));
        }
        if (!hour.equals("*")) {
            said.add(every(hour, "hour"));
        } else if (isNumber(minute)) {
            said.add("every hour");
        }
        return said.getFirst().startsWith("every") || said.size() == 1 && said.getFirst().startsWith("at")
                ? String.join(", ", said)
                : "at " + String.join(", ", said);
    }

    private static String every(String field, String unit) {
        if (field.equals("*")) {
            return "every " + unit;
        }
        if (field.startsWith("*/") || field.startsWith("0/")) {
            return "every " + field.substring(2) + " " + unit + "s";
        }
        return unit + " " + list(field, unit, UnaryOperator.identity());
    }

    private static String list(String field, String unit, UnaryOperator<String> name) {
        return Arrays.stream(field.split(",", -1)).map(part -> part(part, unit, name))
                .collect(Collectors.joining(" and "));
    }

    private static String part(String part, String unit, UnaryOperator<String> name) {
        String[] step = part.split("/", -1);
        String[] range = step[0].split("-", -1);
        String said = range.length == 2
                ? name.apply(range[0]) + " to " + name.apply(range[1])
                : range[0].equals("*") ? "any" : name.apply(range[0]);
        if (step.length == 2) {
            return "every " + step[1] + " " + unit + "s from " + said;
        }
        return said;
    }

    private static String monthDay(String day) {
        if (day.equals("L")) {
            return "the last";
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
