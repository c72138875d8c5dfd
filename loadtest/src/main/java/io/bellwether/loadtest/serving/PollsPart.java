package io.bellwether.loadtest.serving;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.bellwether.loadtest.bench.BenchmarkException;
import io.bellwether.loadtest.bench.Verdict;

/** Answers that nothing changed: through nginx, beside the smallest possible handler's and those of a static file. */
final class PollsPart {
    static final String SERVER = "Bellwether";
    static final String JETTY = "smallest Jetty handler";
    static final String STATIC = "static file";
    static final double LEAST_OF_JETTY = 0.9;

    private static final int WARM_UPS = 3;

    private PollsPart() {}

    /** Where polls go, and what they are. */
    private record Line(int port, byte[] request, long nginx, List<Long> pids) {}

    /**
     * One turn.
     *
     * @param perSecond answers a second
     * @param p50Millis what half of them stayed below
     * @param p99Millis what 99 of 100 stayed below
     * @param cpuOfThousand CPU seconds for a thousand answers
     */
    record Turn(double perSecond, double p50Millis, double p99Millis, Usage cpuOfThousand) {}

    /**
     * What came out.
     *
     * @param turns by what was polled, a turn each round
     * @param header of the answers of all but the static file
     * @param ofJetty the server's rate by that of the smallest handler, the middle one of the rounds
     * @param ofStatic the server's rate by that of the static file, likewise
     * @param jettyOfStatic the smallest handler's rate by that of the static file, likewise
     */
    record Result(Map<String, List<Turn>> turns, List<String> header, double ofJetty, double ofStatic,
            double jettyOfStatic) {
        List<Verdict> verdicts() {
            return List.of(Verdict.atLeast("304 polls through nginx, of the smallest Jetty handler's rate", ofJetty,
                    LEAST_OF_JETTY));
        }
    }

    static Result measure(Stage stage) throws IOException, InterruptedException {
        Yardstick yardstick = stage.yardstick();
        int front = stage.cluster().port();
        byte[] poll = stage.poll(front);
        Map<String, Line> lines = new LinkedHashMap<>();
        lines.put(SERVER, new Line(front, poll, stage.cluster().nginxPid(), stage.pids()));
        lines.put(JETTY, new Line(yardstick.port(), stage.poll(yardstick.port()), yardstick.pid(),
                stage.jetty().stream().map(JettyProcess::pid).toList()));
        lines.put(STATIC, new Line(yardstick.staticPort(), yardstick.staticPoll(
                stage.api().head(Stage.SMALL).toString().getBytes(StandardCharsets.UTF_8)), yardstick.pid(),
                List.of()));
        requireSameFields(lines.get(SERVER), lines.get(JETTY));
        for (int i = 0; i < WARM_UPS; i++) {
            for (Line line : lines.values()) {
                turn(stage.options(), line);
            }
        }
        Map<String, List<Turn>> turns = new LinkedHashMap<>();
        for (int round = 1; round <= stage.options().rounds(); round++) {
            for (Map.Entry<String, Line> line : lines.entrySet()) {
                Turn turn = turn(stage.options(), line.getValue());
                turns.computeIfAbsent(line.getKey(), any -> new ArrayList<>()).add(turn);
                System.out.printf(Locale.ROOT, "  polls %d %-24s %,9.0f/s  p50 %6.2f ms  p99 %6.2f ms  CPU for 1000:"
                        + " nginx %.4f s, processes %.4f s, client %.4f s%n", round, line.getKey(), turn.perSecond(),
                        turn.p50Millis(), turn.p99Millis(), turn.cpuOfThousand().nginx(),
                        turn.cpuOfThousand().processes(), turn.cpuOfThousand().client());
            }
        }
        return new Result(turns, RawHttp.ask(front, poll).fields(), middle(turns.get(SERVER), turns.get(JETTY)),
                middle(turns.get(SERVER), turns.get(STATIC)), middle(turns.get(JETTY), turns.get(STATIC)));
    }

    /** Only answers with the same header can be compared. */
    private static void requireSameFields(Line these, Line those) throws IOException {
        List<String> names = names(these);
        if (!names.equals(names(those))) {
            throw new BenchmarkException("the smallest handler's answers have other header fields than the server's: "
                    + names(those) + " instead of " + names);
        }
    }

    private static List<String> names(Line line) throws IOException {
        return RawHttp.ask(line.port(), line.request()).fields().stream()
                .map(field -> field.substring(0, field.indexOf(':')).toLowerCase(Locale.ROOT)).sorted().toList();
    }

    private static Turn turn(Options options, Line line) throws IOException {
        Usage before = Usage.look(line.nginx(), line.pids());
        Polls.Rate rate = Polls.run(line.port(), line.request(), options.connections(),
                Duration.ofSeconds(options.seconds()));
        Usage used = Usage.look(line.nginx(), line.pids()).since(before, (double) rate.answers() / 1000);
        return new Turn(rate.perSecond(), rate.latencies().p50Millis(), rate.latencies().p99Millis(), used);
    }

    private static double middle(List<Turn> these, List<Turn> those) {
        return Medians.ofRatios(these.stream().map(Turn::perSecond).toList(),
                those.stream().map(Turn::perSecond).toList());
    }
}
