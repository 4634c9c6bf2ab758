package dev.mooring.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/** The same thing measured several times. Immutable but for {@link #add}, which the benchmark calls while it measures. */
final class Rounds {
    private final List<Double> values = new ArrayList<>();

    static Rounds of(double... values) {
        Rounds rounds = new Rounds();
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

    /** The value that this share of the values does not exceed; between two values, interpolated. */
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

    /** Half the distance between the lowest and the highest, as a share of the median. */
    double spread() {
        return median() == 0 ? 0 : (max() - percentile(0)) / 2 / Math.abs(median());
    }

    /** Round by round: what disturbs the machine for a while disturbs both sides of a ratio, and cancels out. */
    Rounds dividedBy(Rounds other) {
        return combine(other, (mine, theirs) -> mine / theirs);
    }

    private Rounds combine(Rounds other, DoubleBinaryOperator operator) {
        if (values.size() != other.values.size()) {
            throw new IllegalArgumentException(
                    "Expected as many rounds of both, but there are " + values.size() + " and " + other.values.size());
        }
        Rounds result = new Rounds();
        for (int i = 0; i < values.size(); i++) {
            result.add(operator.applyAsDouble(values.get(i), other.values.get(i)));
        }
        return result;
    }

    Rounds times(double factor) {
        Rounds result = new Rounds();
        values.forEach(value -> result.add(value * factor));
        return result;
    }
}
