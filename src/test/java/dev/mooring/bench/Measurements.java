package dev.mooring.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/**
 * Repeated measurements of one value. Immutable except for {@link #add}, which the benchmark calls while it measures.
 */
final class Measurements {
    private final List<Double> values = new ArrayList<>();

    static Measurements of(double... values) {
        Measurements rounds = new Measurements();
        Arrays.stream(values).forEach(rounds::add);
        return rounds;
    }

    void add(double value) {
        values.add(value);
    }

    List<Double> values() {
        return List.copyOf(values);
    }

    double median() {
        return percentile(50);
    }

    /** Returns a percentile, interpolated between two values. */
    double percentile(double percent) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        double at = percent / 100 * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
    }

    double sum() {
        return values.stream().mapToDouble(Double::doubleValue).sum();
    }

    double max() {
        return percentile(100);
    }

    /** Returns half the distance between the lowest and the highest value, relative to the median. */
    double spread() {
        return median() == 0 ? 0 : (max() - percentile(0)) / 2 / Math.abs(median());
    }

    /** Divides round by round, so that temporary disturbances of the machine cancel out. */
    Measurements dividedBy(Measurements other) {
        return combine(other, (mine, theirs) -> mine / theirs);
    }

    private Measurements combine(Measurements other, DoubleBinaryOperator operator) {
        if (values.size() != other.values.size()) {
            throw new IllegalArgumentException(
                    "Numbers of rounds differ: " + values.size() + " and " + other.values.size());
        }
        Measurements result = new Measurements();
        for (int i = 0; i < values.size(); i++) {
            result.add(operator.applyAsDouble(values.get(i), other.values.get(i)));
        }
        return result;
    }

    Measurements times(double factor) {
        Measurements result = new Measurements();
        values.forEach(value -> result.add(value * factor));
        return result;
    }
}
