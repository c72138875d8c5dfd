package io.bellwether.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronScheduleTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            */5 * * * * *      | 2026-01-01T00:00:00Z | 2026-01-01T00:00:05Z
            */5 * * * * *      | 2026-01-01T00:00:04.999999999Z | 2026-01-01T00:00:05Z
            * * * * *          | 2026-01-01T00:00:05Z | 2026-01-01T00:01:00Z
            0 30 2 * * mon-fri | 2026-01-02T03:00:00Z | 2026-01-05T02:30:00Z
            0 0 0 29 2 *       | 2026-01-01T00:00:00Z | 2028-02-29T00:00:00Z
            0 0 12 l * *       | 2026-02-01T00:00:00Z | 2026-02-28T12:00:00Z
            0 0 12 ? * fri#2   | 2026-02-01T00:00:00Z | 2026-02-13T12:00:00Z
            @daily             | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z
            @HOURLY            | 2026-01-01T00:00:00Z | 2026-01-01T01:00:00Z
            59 59 23 31 12 *   | 2026-12-31T23:59:59Z | 2027-12-31T23:59:59Z
            """)
    void next_inUtc_isTheFirstAfter(String text, Instant after, Instant expected) {
        assertThat(CronSchedule.parse(text, "UTC").next(after)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "* * * *", "* * * * * * *", "61 * * * * *", "0 0 0 31 2 *", "0 0 0 30 FEB *",
            "0 0 25 * * *", "a b c d e f", "@never", "*/0 * * * * *", "0 0 0 31 4,6,9,11 *", "- * * * * *"})
    void parse_impossible_isRefusedInASentence(String text) {
        assertThatThrownBy(() -> CronSchedule.parse(text, "UTC")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("schedule");
    }

    @Test
    void parse_unknownZone_isRefused() {
        assertThatThrownBy(() -> CronSchedule.parse("0 * * * * *", "Mars/Olympus"))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("Mars/Olympus");
    }

    /** Ticks of one night, as local times with their offsets; each zone changes its clocks in it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # Berlin springs forward at 02:00 (+01) to 03:00 (+02)
            0 30 2 * * *     | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T12:00:00Z | 2026-03-29T01:00:00Z
            0 0,30 2 * * *   | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T12:00:00Z | 2026-03-29T01:00:00Z
            0 30 2,3 * * *   | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T12:00:00Z | 2026-03-29T01:00:00Z 2026-03-29T01:30:00Z
            0 0 3 * * *      | Europe/Berlin       | 2026-03-28T12:00:00Z | 2026-03-29T12:00:00Z | 2026-03-29T01:00:00Z
            0 0 * * * *      | Europe/Berlin       | 2026-03-28T23:30:00Z | 2026-03-29T02:30:00Z | 2026-03-29T00:00:00Z 2026-03-29T01:00:00Z 2026-03-29T02:00:00Z
            0 0/30 * * * *   | Europe/Berlin       | 2026-03-29T00:15:00Z | 2026-03-29T01:30:00Z | 2026-03-29T00:30:00Z 2026-03-29T01:00:00Z 2026-03-29T01:30:00Z
            0 15 */2 * * *   | Europe/Berlin       | 2026-03-28T22:30:00Z | 2026-03-29T04:30:00Z | 2026-03-28T23:15:00Z 2026-03-29T02:15:00Z 2026-03-29T04:15:00Z
            # and falls back at 03:00 (+02) to 02:00 (+01)
            0 30 2 * * *     | Europe/Berlin       | 2026-10-24T12:00:00Z | 2026-10-25T12:00:00Z | 2026-10-25T00:30:00Z
            0 0 3 * * *      | Europe/Berlin       | 2026-10-24T12:00:00Z | 2026-10-25T12:00:00Z | 2026-10-25T02:00:00Z
            0 0 2 * * *      | Europe/Berlin       | 2026-10-24T12:00:00Z | 2026-10-25T12:00:00Z | 2026-10-25T00:00:00Z
            0 0 * * * *      | Europe/Berlin       | 2026-10-24T23:30:00Z | 2026-10-25T02:30:00Z | 2026-10-25T00:00:00Z 2026-10-25T01:00:00Z 2026-10-25T02:00:00Z
            0 30 * * * *     | Europe/Berlin       | 2026-10-24T23:45:00Z | 2026-10-25T02:00:00Z | 2026-10-25T00:30:00Z 2026-10-25T01:30:00Z
            # Cairo springs forward at midnight
            0 0 0 * * *      | Africa/Cairo        | 2026-04-23T12:00:00Z | 2026-04-24T12:00:00Z | 2026-04-23T22:00:00Z
            0 30 0 * * *     | Africa/Cairo        | 2026-04-23T12:00:00Z | 2026-04-24T12:00:00Z | 2026-04-23T22:00:00Z
            # Lord Howe by half an hour: 02:00 (+10:30) to 02:30 (+11), and back at 02:00 (+11) to 01:30 (+10:30)
            0 15 2 * * *     | Australia/Lord_Howe | 2026-10-03T06:00:00Z | 2026-10-04T06:00:00Z | 2026-10-03T15:30:00Z
            0 */15 * * * *   | Australia/Lord_Howe | 2026-10-03T15:10:00Z | 2026-10-03T16:00:00Z | 2026-10-03T15:15:00Z 2026-10-03T15:30:00Z 2026-10-03T15:45:00Z 2026-10-03T16:00:00Z
            0 45 1 * * *     | Australia/Lord_Howe | 2026-04-04T06:00:00Z | 2026-04-05T06:00:00Z | 2026-04-04T14:45:00Z
            0 45 * * * *     | Australia/Lord_Howe | 2026-04-04T14:30:00Z | 2026-04-04T15:30:00Z | 2026-04-04T14:45:00Z 2026-04-04T15:15:00Z
            # Apia had no 30 December 2011 at all
            0 0 12 30 12 *   | Pacific/Apia        | 2011-12-29T00:00:00Z | 2012-01-01T00:00:00Z | 2011-12-30T10:00:00Z
            """)
    void ticksBetween_clocksChange_followTheRules(String text, String zone, Instant after, Instant upTo,
            String expected) {
        List<Instant> instants = List.of(expected.split(" ", -1)).stream().map(Instant::parse).toList();
        assertThat(CronSchedule.parse(text, zone).ticksBetween(after, upTo, 100)).isEqualTo(instants);
    }

    @Test
    void next_anyStartingPoint_isTheSameSequence() {
        // Two processes that look at different moments must see the same ticks, also around changes of the clocks.
        Random random = new Random(42);
        for (String text : List.of("0 */7 * * * *", "30 15 2 * * *", "0 0,30 1-3 * * *", "0 0 */3 * * SUN")) {
            for (String zone : List.of("Europe/Berlin", "Australia/Lord_Howe", "America/New_York", "Africa/Cairo")) {
                CronSchedule schedule = CronSchedule.parse(text, zone);
                Instant from = Instant.parse("2026-01-01T00:00:00Z");
                List<Instant> ticks = schedule.ticksBetween(from, from.plus(Duration.ofDays(365)), 100_000);
                assertThat(ticks).isSorted().doesNotHaveDuplicates();
                for (int i = 0; i < 2_000; i++) {
                    int index = random.nextInt(ticks.size() - 1);
                    Instant tick = ticks.get(index);
                    Duration gap = Duration.between(tick, ticks.get(index + 1));
                    Instant between = tick.plusNanos((long) (random.nextDouble() * gap.toNanos()));
                    assertThat(schedule.next(between)).as("%s after %s", schedule, between)
                            .isEqualTo(ticks.get(index + 1));
                }
            }
        }
    }

    @Test
    void ticksBetween_tenThousand_areAllThere() {
        for (String zone : List.of("UTC", "Europe/Berlin")) {
            CronSchedule schedule = CronSchedule.parse("* * * * * *", zone);
            Instant from = Instant.parse("2026-10-24T23:00:00Z");
            assertThat(schedule.ticksBetween(from, from.plusSeconds(10_000), 20_000)).hasSize(10_000)
                    .endsWith(from.plusSeconds(10_000));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 */90 * * * *", "*/60 * * * * *", "0 0 */24 * * *", "0 0 0 1-31/40 * *",
            "0 0 0 1 */12 *"})
    void parse_stepBeyondItsField_isRefusedWithTheStep(String text) {
        assertThatThrownBy(() -> CronSchedule.written(text, "UTC")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("would never take a second step");
        assertThat(CronSchedule.parse(text, "UTC").next(Instant.EPOCH)).as("one that is stored").isNotNull();
    }

    @Test
    void ticksBetween_limit_isKept() {
        CronSchedule schedule = CronSchedule.parse("* * * * * *", "UTC");
        assertThat(schedule.ticksBetween(Instant.EPOCH, Instant.EPOCH.plusSeconds(100), 7)).hasSize(7);
    }

    @Test
    void next_turkishLocale_readsNamesAllTheSame() {
        // "fri".toUpperCase() is "FRİ" in Turkish, the locale of the tests.
        assertThat(CronSchedule.parse("0 0 0 * * fri", "UTC").next(Instant.parse("2026-01-01T00:00:00Z")))
                .isEqualTo(Objects.requireNonNull(Instant.parse("2026-01-02T00:00:00Z")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            30 30 2 * * MON-FRI | at 02:30:30, on Monday to Friday (UTC)
            */5 * * * * *       | every 5 seconds (UTC)
            0 * * * * *         | every minute (UTC)
            * * * * *           | every minute (UTC)
            0 0 * * * *         | at minute 0, every hour (UTC)
            0 0 */2 1 * *       | at minute 0, every 2 hours, on day 1 of the month (UTC)
            0 0 9 L JAN,6 *     | at 09:00:00, on the last day of the month, in January and June (UTC)
            0 0 9 ? * FRI#2     | at 09:00:00, on Friday number 2 of the month (UTC)
            */1 * * * * *       | every second (UTC)
            0 */45 * * * *      | at minute 0 and 45 (UTC)
            0 */7 * * * *       | at minute 0, 7, … 56 (UTC)
            0 3,* * * * *       | every minute (UTC)
            0 0 */9 * * *       | at minute 0, hour 0 and 9 and 18 (UTC)
            0 0 9 L-3 * *       | at 09:00:00, on the day 3 before the last of the month (UTC)
            0 0 9 15,L * *      | at 09:00:00, on day 15 and the last day of the month (UTC)
            0 0 9 * JAN/6 *     | at 09:00:00, in January and July (UTC)
            0 0 9 LW * *        | at 09:00:00, on the last weekday of the month (UTC)
            0 0 9 1-31/30 * *   | at 09:00:00, on day 1 and 31 of the month (UTC)
            0 0 9 1-5,20 */5 *  | at 09:00:00, on day 1 to 5 and 20 of the month, in January and June and November (UTC)
            0 0 9 * * 1-5/2     | at 09:00:00, on Monday and Wednesday and Friday (UTC)
            """)
    void explain_isASentence(String text, String sentence) {
        assertThat(CronWords.explain(CronSchedule.parse(text, "UTC"))).isEqualTo(sentence);
    }

    /** What is said of weekdays, beside the weekdays on which it fires. */
    @ParameterizedTest
    @ValueSource(strings = {"*/2", "1/2", "MON/2", "0/2", "7/2", "2/3", "1-5/2", "MON-FRI/3", "SUN", "0", "7",
            "SAT,SUN", "MON,5"})
    void explain_weekdays_areThoseOnWhichItFires(String weekdays) {
        CronSchedule schedule = CronSchedule.parse("0 0 9 * * " + weekdays, "UTC");
        Instant from = Instant.parse("2026-11-29T12:00:00Z");
        Set<String> fires = new TreeSet<>();
        for (Instant tick : schedule.ticksBetween(from, from.plus(Duration.ofDays(14)), 100)) {
            fires.add(tick.atZone(ZoneOffset.UTC).getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH));
        }
        String said = CronWords.explain(schedule);
        assertThat(Arrays.stream(DayOfWeek.values()).map(day -> day.getDisplayName(TextStyle.FULL, Locale.ENGLISH))
                .filter(said::contains)).as(said).containsExactlyInAnyOrderElementsOf(fires);
    }
}
