package io.bellwether.loadtest.scale;

import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

import io.bellwether.loadtest.bench.Machine;
import io.bellwether.loadtest.bench.Results;
import io.bellwether.loadtest.bench.Svg;

/**
 * All that came out, for machines (JSON) and people (Markdown and charts).
 *
 * @param measuredAt when it began
 * @param machine where
 * @param options what was asked for
 * @param outcomes one for each simulation and number of processes
 */
record Report(String measuredAt, Machine machine, Map<String, String> options, List<Outcome> outcomes) {
    private static final int WIDTH = 420;
    private static final int HEIGHT = 280;

    /**
     * Writes {@code scale-<date>-<commit>.json}, {@code .md} and {@code .svg}.
     *
     * @return the files' common path without its ending
     */
    Path write(Path folder) throws IOException {
        Path base = Results.base(folder, "scale", measuredAt, machine.commit());
        Results.writeJson(base, this);
        boolean plotted = Svg.write(Results.with(base, ".svg"), 2, WIDTH, HEIGHT, this::charts);
        try (PrintWriter out = new PrintWriter(
                Files.newBufferedWriter(Results.with(base, ".md"), StandardCharsets.UTF_8))) {
            print(out, plotted ? base.getFileName() + ".svg" : "");
        }
        return base;
    }

    private void print(PrintWriter out, String plot) {
        out.printf(Locale.ROOT, "# All simulations by the number of processes, %s, commit %s%n%n",
                measuredAt.substring(0, 10), machine.commit());
        out.println(machine.words() + "\n");
        out.println("Asked for: " + Results.words(options) + ".\n");
        out.println("Long polls are told by the time from publish to answer, all else by the time of the answer.\n");
        if (!plot.isEmpty()) {
            out.println("![Throughput and tail by the number of processes](" + plot + ")\n");
        }
        out.println("| simulation | processes | thresholds | requests | failed | a second | timed | p50 | p99 |");
        out.println("|---|---|---|---|---|---|---|---|---|");
        for (String simulation : simulations()) {
            for (Outcome outcome : of(simulation)) {
                out.printf(Locale.ROOT, "| %s | %d | %s | %,d | %,d | %,.1f | %s | %s | %s |%n", simulation,
                        outcome.processes(), outcome.passed() ? "kept" : "MISSED", outcome.count(), outcome.failed(),
                        outcome.perSecond(), outcome.timed(), millis(outcome.p50Millis()),
                        millis(outcome.p99Millis()));
            }
        }
    }

    private static String millis(double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%,.0f ms", value);
    }

    private List<String> simulations() {
        return outcomes.stream().map(Outcome::simulation).distinct().toList();
    }

    private List<Outcome> of(String simulation) {
        return outcomes.stream().filter(outcome -> outcome.simulation().equals(simulation)).toList();
    }

    private List<XYChart> charts() {
        List<XYChart> charts = new ArrayList<>();
        for (String simulation : simulations()) {
            XYChart rate = chart(simulation, "requests a second");
            add(rate, simulation, "all requests", Outcome::perSecond);
            charts.add(rate);
            String timed = of(simulation).get(0).timed();
            XYChart tail = chart(timed.isEmpty() ? simulation + ": waits, no time of its own" : simulation,
                    "milliseconds");
            add(tail, simulation, "p50 " + timed, Outcome::p50Millis);
            add(tail, simulation, "p99 " + timed, Outcome::p99Millis);
            charts.add(tail);
        }
        return charts;
    }

    private static XYChart chart(String title, String unit) {
        XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).title(title).xAxisTitle("processes")
                .yAxisTitle(unit).build();
        chart.getStyler().setBaseFont(new Font(Font.SANS_SERIF, Font.PLAIN, 11));
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setXAxisMin(0.0);
        return chart;
    }

    private void add(XYChart chart, String simulation, String name, ToDoubleFunction<Outcome> value) {
        List<Outcome> measured = of(simulation).stream()
                .filter(outcome -> !Double.isNaN(value.applyAsDouble(outcome))).toList();
        if (!measured.isEmpty()) {
            chart.addSeries(name, measured.stream().mapToDouble(Outcome::processes).toArray(),
                    measured.stream().mapToDouble(value).toArray()).setMarker(SeriesMarkers.CIRCLE);
        }
    }
}
