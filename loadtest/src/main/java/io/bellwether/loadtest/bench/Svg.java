package io.bellwether.loadtest.bench;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

import de.erichseifert.vectorgraphics2d.Processors;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import org.knowm.xchart.internal.chartpart.Chart;

/** Writes charts of one size as one picture, row by row. */
public final class Svg {
    private Svg() {}

    /**
     * Draws; false when this Java cannot (it needs the fonts of the system), which is no reason to lose the numbers.
     *
     * @param charts makes them; called once
     */
    public static boolean write(Path file, int columns, int width, int height,
            Supplier<? extends List<? extends Chart<?, ?>>> charts) {
        System.setProperty("java.awt.headless", "true");
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            VectorGraphics2D graphics = new VectorGraphics2D();
            List<? extends Chart<?, ?>> all = charts.get();
            for (int i = 0; i < all.size(); i++) {
                all.get(i).paint(graphics, width, height);
                boolean last = i % columns == columns - 1;
                graphics.translate(last ? -(columns - 1) * width : width, last ? height : 0);
            }
            int rows = (all.size() + columns - 1) / columns;
            Processors.get("svg").getDocument(graphics.getCommands(),
                    new PageSize((double) Math.min(columns, all.size()) * width, (double) rows * height)).writeTo(out);
            // Text is drawn as outlines; a hundredth of a pixel is enough for them.
            Files.writeString(file, out.toString(StandardCharsets.UTF_8).replaceAll("(\\.[0-9]{2})[0-9]+", "$1"));
            return true;
        } catch (Exception | LinkageError | InternalError e) {
            System.err.println("no plot could be drawn: " + e);
            return false;
        }
    }
}
