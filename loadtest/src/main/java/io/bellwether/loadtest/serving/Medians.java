package io.bellwether.loadtest.serving;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The middle one of several. */
final class Medians {
    private Medians() {}

    /** The middle one, or the mean of the two in the middle; not a number when there are none. */
    static double of(Collection<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int n = sorted.size();
        return n == 0 ? Double.NaN : (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
    }

    /** The middle one of the ratios, round by round. */
    static double ofRatios(List<Double> these, List<Double> those) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(these.size(), those.size()); i++) {
            ratios.add(these.get(i) / those.get(i));
        }
        return of(ratios);
    }
}
