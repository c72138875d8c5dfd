package io.bellwether.loadtest.serving;

import java.awt.Color;
import java.awt.Font;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

import io.bellwether.loadtest.bench.Svg;

/** Draws each measured part beside its yardstick: bars, side by side. */
final class Plot {
    private static final int WIDTH = 480;
    private static final int HEIGHT = 400;

    private Plot() {}

    static boolean write(Report report, Path file) {
        return Svg.write(file, 3, WIDTH, HEIGHT, () -> charts(report));
    }

    private static List<CategoryChart> charts(Report report) {
        List<CategoryChart> charts = new ArrayList<>();
        if (report.polls() != null) {
            Map<String, Double> rates = new LinkedHashMap<>();
            report.polls().turns().forEach((what, turns) -> rates.put(what,
                    Medians.of(turns.stream().map(PollsPart.Turn::perSecond).toList())));
            charts.add(chart("304 through nginx", "answers a second", "middle of the rounds", rates));
        }
        if (report.cold() != null) {
            Map<String, Double> rates = new LinkedHashMap<>();
            report.cold().turns().forEach((what, turns) -> rates.put(what,
                    Medians.of(turns.stream().map(turn -> turn.bytesPerSecond() / 1e6).toList())));
            charts.add(chart("Whole sets through nginx", "MB a second", "middle of the rounds", rates));
        }
        if (report.during() != null) {
            Map<String, Double> tails = new LinkedHashMap<>();
            for (DuringPart.Window window : List.of(report.during().idle(), report.during().cold(),
                    report.during().loading())) {
                tails.put(window.when(), window.polls().latencies().p99Millis());
            }
            charts.add(chart("Polls while other things happen", "p99 in milliseconds", "meanwhile", tails));
        }
        return charts;
    }

    private static CategoryChart chart(String title, String unit, String of, Map<String, Double> bars) {
        CategoryChart chart = new CategoryChartBuilder().width(WIDTH).height(HEIGHT).title(title).xAxisTitle(of)
                .yAxisTitle(unit).build();
        chart.getStyler().setBaseFont(new Font(Font.SANS_SERIF, Font.PLAIN, 11));
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setYAxisMin(0.0);
        bars.forEach((what, value) -> chart.addSeries(what, List.of(""), List.of(value)));
        return chart;
    }
}
