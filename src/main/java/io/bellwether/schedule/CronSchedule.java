package io.bellwether.schedule;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The ticks of one cron text in one time zone. Immutable and thread safe.
 *
 * <p>The text has six fields (second, minute, hour, day of month, month, day of week) or five (second 0), or is one of
 * {@code @hourly}, {@code @daily}, {@code @weekly}, {@code @monthly}, {@code @yearly}. It says which <em>local</em> times
 * are ticks; what happens when the clocks change is ours and depends on the hour field:
 * <ul>
 * <li><b>fixed hours</b> ({@code 0 30 2 * * *}): each local tick happens once. One that falls into a gap happens at the
 * first instant after the gap (several of them become one); one that comes twice happens the first time.
 * <li><b>wild hours</b> (the field begins with {@code *}, has a step, or is {@code 0-23}): a tick is every real instant
 * whose local time matches, so a tick each ten minutes stays one each ten minutes.
 * </ul>
 */
public final class CronSchedule {
    /** Two instants at which every expression that can fire at all is looked for; leap years included. */
    private static final List<LocalDateTime> PROBES = List.of(LocalDateTime.of(2024, 1, 1, 0, 0),
            LocalDateTime.of(2031, 7, 15, 12, 30));

    private static final Map<String, String> MACROS = Map.of("@yearly", "0 0 0 1 1 *", "@annually", "0 0 0 1 1 *",
            "@monthly", "0 0 0 1 * *", "@weekly", "0 0 0 * * 0", "@daily", "0 0 0 * * *", "@midnight", "0 0 0 * * *",
            "@hourly", "0 0 * * * *");

    private static final int MAX_LENGTH = 200;

    /** What a field counts, and how many values that has. */
    private record Field(String unit, int values) {}

    private static final List<Field> FIELDS = List.of(new Field("second", 60), new Field("minute", 60),
            new Field("hour", 24), new Field("day of the month", 31), new Field("month", 12),
            new Field("day of the week", 7));

    private final String text;
    private final List<String> fields;
    private final ZoneId zone;
    private final ZoneRules rules;
    private final CronExpression expression;
    private final boolean wild;

    private CronSchedule(String text, List<String> fields, ZoneId zone, CronExpression expression) {
        this.text = text;
        this.fields = fields;
        this.zone = zone;
        this.rules = zone.getRules();
        this.expression = expression;
        String hours = fields.get(2);
        this.wild = hours.startsWith("*") || hours.contains("/") || hours.equals("0-23");
    }

    /**
     * Reads a schedule.
     *
     * @param text cron text
     * @param zone an IANA time zone name, or a fixed offset
     * @throws IllegalArgumentException if the text is not cron text, can never fire, or the zone is unknown; the message
     *         is for the person who wrote it
     */
    public static CronSchedule parse(String text, String zone) {
        String asked = text.strip();
        if (asked.isEmpty() || asked.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("a schedule has 1 to " + MAX_LENGTH + " characters");
        }
        List<String> fields = fields(asked);
        CronExpression expression;
        try {
            expression = CronExpression.parse(String.join(" ", fields));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IllegalArgumentException("schedule '" + asked + "' is not cron text: " + e.getMessage(), e);
        }
        for (LocalDateTime probe : PROBES) {
            if (expression.next(probe) == null) {
                throw new IllegalArgumentException("schedule '" + asked + "' never fires");
            }
        }
        return new CronSchedule(asked, fields, zoneOf(zone), expression);
    }

    /**
     * Reads a schedule that somebody is about to write: as {@link #parse}, and what is legal and surely a mistake is
     * refused, too. One that is stored already is read as ever.
     *
     * @throws IllegalArgumentException as {@link #parse} does, or if a step is larger than what it steps through
     */
    public static CronSchedule written(String text, String zone) {
        CronSchedule schedule = parse(text, zone);
        for (int i = 0; i < FIELDS.size(); i++) {
            checkSteps(schedule.text, schedule.fields.get(i), FIELDS.get(i));
        }
        return schedule;
    }

    /** A step beyond its field is legal and starts anew each time: "each 90 minutes" would mean once an hour. */
    private static void checkSteps(String text, String written, Field field) {
        for (String part : written.split(",", -1)) {
            int slash = part.indexOf('/');
            if (slash >= 0 && part.substring(slash + 1).matches("[0-9]{1,9}")
                    && Integer.parseInt(part.substring(slash + 1)) >= field.values()) {
                throw new IllegalArgumentException(
                        "schedule '" + text + "' has the step " + part + " for the " + field.unit()
                                + ", which has " + field.values() + " values: it would never take a second step");
            }
        }
    }

    private static List<String> fields(String text) {
        if (text.startsWith("@")) {
            String macro = MACROS.get(text.toLowerCase(Locale.ROOT));
            if (macro == null) {
                throw new IllegalArgumentException(
                        "schedule '" + text + "' is unknown; known are " + MACROS.keySet().stream().sorted().toList());
            }
            return List.of(macro.split(" ", -1));
        }
        List<String> fields = List.of(text.toUpperCase(Locale.ROOT).split("\\s+", -1));
        if (fields.size() == 5) {
            List<String> six = new ArrayList<>(6);
            six.add("0");
            six.addAll(fields);
            return List.copyOf(six);
        }
        if (fields.size() != 6) {
            throw new IllegalArgumentException("schedule '" + text + "' has " + fields.size()
                    + " fields; it needs six (second minute hour day-of-month month day-of-week) or five (without the"
                    + " second), and nothing shorter than a second can be said");
        }
        return fields;
    }

    private static ZoneId zoneOf(String zone) {
        try {
            return ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("zone '" + zone + "' is not a known time zone", e);
        }
    }

    /**
     * The first tick after an instant.
     *
     * @return strictly after {@code after}, a whole second; null when there is none within what the calendar library
     *         looks at (decades)
     */
    public @Nullable Instant next(Instant after) {
        return wild ? nextWild(after) : nextFixed(after);
    }

    /**
     * The ticks of a stretch of time, in order. Ten thousand take milliseconds.
     *
     * @param after exclusive
     * @param upTo inclusive
     * @param limit how many at most; as many as that means: there may be more
     */
    public List<Instant> ticksBetween(Instant after, Instant upTo, int limit) {
        List<Instant> ticks = new ArrayList<>();
        Instant tick = next(after);
        while (tick != null && !tick.isAfter(upTo) && ticks.size() < limit) {
            ticks.add(tick);
            tick = next(tick);
        }
        return ticks;
    }

    /** Every instant whose local time matches: the text is read anew from each change of the clocks on. */
    private @Nullable Instant nextWild(Instant after) {
        Instant from = after;
        LocalDateTime local = LocalDateTime.ofInstant(after, rules.getOffset(after));
        while (true) {
            ZoneOffset offset = rules.getOffset(from);
            LocalDateTime match = expression.next(local);
            ZoneOffsetTransition change = rules.nextTransition(from);
            if (match == null) {
                return null;
            }
            Instant instant = match.toInstant(offset);
            if (change == null || instant.isBefore(change.getInstant())) {
                return instant;
            }
            from = change.getInstant();
            local = change.getDateTimeAfter().minusNanos(1);
        }
    }

    /** Every matching local time, once. */
    private @Nullable Instant nextFixed(Instant after) {
        LocalDateTime local = LocalDateTime.ofInstant(after, rules.getOffset(after));
        ZoneOffsetTransition here = rules.getTransition(local);
        if (here != null && here.isOverlap() && !after.isBefore(here.getInstant())) {
            // The second time round: these local times had their tick the first time.
            local = here.getDateTimeBefore().minusNanos(1);
        }
        while (true) {
            LocalDateTime match = expression.next(local);
            if (match == null) {
                return null;
            }
            ZoneOffsetTransition change = rules.getTransition(match);
            Instant instant = change == null
                    ? match.toInstant(rules.getOffset(match))
                    : change.isGap() ? change.getInstant() : match.toInstant(change.getOffsetBefore());
            if (instant.isAfter(after)) {
                return instant;
            }
            local = match;
        }
    }

    /** The text as it was given. */
    public String text() {
        return text;
    }

    /** The time zone. */
    public ZoneId zone() {
        return zone;
    }

    /** Whether the hours are wild: ticks follow real instants when the clocks change. */
    public boolean isWild() {
        return wild;
    }

    /** The six fields, in upper case. */
    List<String> fields() {
        return fields;
    }

    @Override
    public String toString() {
        return text + " " + zone;
    }
}
