package io.bellwether.loadtest.bulk;

import java.awt.Color;
import java.awt.Font;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

import io.bellwether.loadtest.bench.Svg;

/** Draws how time, log and memory grow with the number of policies: three charts side by side, both axes logarithmic. */
final class Plot {
    private static final int WIDTH = 480;
    private static final int HEIGHT = 460;
    private static final String COPY = "\\copy";
    private static final Map<String, Color> COLORS = Map.of(COPY, Color.DARK_GRAY, Steps.FIRST_LOAD,
            new Color(0x1f77b4),
            Steps.LARGE, new Color(0xff7f0e), Steps.UNCHANGED, new Color(0x2ca02c), Steps.SMALL, new Color(0xd62728));

    private Plot() {}

    /** Draws; false when this Java cannot (it needs the fonts of the system), which is no reason to lose the numbers. */
    static boolean write(List<SizeResult> sizes, Path file) {
        return Svg.write(file, 3, WIDTH, HEIGHT, () -> List.of(time(sizes), log(sizes), memory(sizes)));
    }

    private static XYChart time(List<SizeResult> sizes) {
        XYChart chart = chart("Time", "seconds", sizes);
        add(chart, sizes, COPY, SizeResult::copySeconds);
        for (String step : List.of(Steps.FIRST_LOAD, Steps.LARGE, Steps.UNCHANGED)) {
            add(chart, sizes, step, size -> size.step(step).seconds());
        }
        add(chart, sizes, Steps.SMALL, Thresholds::smallSeconds);
        return chart;
    }

    private static XYChart log(List<SizeResult> sizes) {
        XYChart chart = chart("PostgreSQL's log", "MB", sizes);
        add(chart, sizes, COPY, size -> (double) size.step(Steps.COPY_BEFORE).walBytes() / 1e6);
        for (String step : List.of(Steps.FIRST_LOAD, Steps.LARGE)) {
            add(chart, sizes, step, size -> (double) size.step(step).walBytes() / 1e6);
        }
        add(chart, sizes, Steps.SMALL, size -> Thresholds.smallWal(size) / 1e6);
        return chart;
    }

    private static XYChart memory(List<SizeResult> sizes) {
        XYChart chart = chart("Peak resident memory of the server", "MB", sizes);
        chart.getStyler().setYAxisLogarithmic(false).setYAxisMin(0.0);
        for (String step : List.of(Steps.FIRST_LOAD, Steps.LARGE, Steps.UNCHANGED)) {
            add(chart, sizes, step, size -> (double) size.step(step).peakBytes() / 1e6);
        }
        return chart;
    }

    private static XYChart chart(String title, String unit, List<SizeResult> sizes) {
        XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).title(title).xAxisTitle("policies")
                .yAxisTitle(unit)
                .build();
        Styler base = chart.getStyler();
        base.setBaseFont(new Font(Font.SANS_SERIF, Font.PLAIN, 11));
        base.setChartBackgroundColor(Color.WHITE);
        base.setLegendPosition(Styler.LegendPosition.OutsideS);
        base.setLegendLayout(Styler.LegendLayout.Vertical);
        chart.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true).setXAxisLogarithmicDecadeOnly(true)
                .setYAxisLogarithmicDecadeOnly(true);
        chart.getStyler().setXAxisMin(decadeBelow(sizes.get(0).policies()))
                .setXAxisMax(decadeBelow(sizes.get(sizes.size() - 1).policies()) * 10)
                .setXAxisTickLabelsFormattingFunction(x -> String.format(Locale.ROOT, "%,.0f", x));
        return chart;
    }

    /** A power of ten below a number, or it. */
    private static double decadeBelow(double number) {
        return Math.pow(10, Math.floor(Math.log10(number)));
    }

    /** Where nothing was measured there is nothing to draw on a logarithmic axis. */
    private static void add(XYChart chart, List<SizeResult> sizes, String name, ToDoubleFunction<SizeResult> value) {
        List<SizeResult> measured = sizes.stream().filter(size -> value.applyAsDouble(size) > 0).toList();
        if (measured.isEmpty()) {
            return;
        }
        double[] values = measured.stream().mapToDouble(value).toArray();
        chart.addSeries(name, measured.stream().mapToDouble(SizeResult::policies).toArray(), values)
                .setMarker(SeriesMarkers.CIRCLE).setMarkerColor(COLORS.get(name)).setLineColor(COLORS.get(name));
        if (chart.getStyler().isYAxisLogarithmic()) {
            double least = decadeBelow(Arrays.stream(values).min().orElseThrow());
            double most = decadeBelow(Arrays.stream(values).max().orElseThrow()) * 10;
            Double min = chart.getStyler().getYAxisMin();
            Double max = chart.getStyler().getYAxisMax();
            chart.getStyler().setYAxisMin(min == null ? least : Math.min(min, least))
                    .setYAxisMax(max == null ? most : Math.max(max, most));
        }
    }
}
