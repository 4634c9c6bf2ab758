package dev.mooring.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One line of the results.
 *
 * @param ratio of the measurement to the yardstick, for each round
 * @param details further values as text
 * @param numbers further values as numbers
 */
record Figure(
        String name,
        MeasureUnit unit,
        Measurements measured,
        Optional<Baseline> yardstick,
        Optional<Measurements> ratio,
        Goal goal,
        Map<String, String> details,
        Map<String, Double> numbers) {
    /** A simple or well-known system measured in the same run. */
    record Baseline(String name, MeasureUnit unit, Measurements measured) {}

    static Figure of(String name, MeasureUnit unit, Measurements measured) {
        return new Figure(name, unit, measured, Optional.empty(), Optional.empty(), Goal.NONE, Map.of(), Map.of());
    }

    /** Compares with a yardstick in the same unit. */
    Figure against(String yardstickName, Measurements yardstickMeasured) {
        return against(yardstickName, unit, yardstickMeasured, measured.dividedBy(yardstickMeasured));
    }

    /** Compares with a yardstick in another unit; the ratio is given. */
    Figure against(
            String yardstickName, MeasureUnit yardstickUnit, Measurements yardstickMeasured, Measurements givenRatio) {
        Baseline against = new Baseline(yardstickName, yardstickUnit, yardstickMeasured);
        return new Figure(name, unit, measured, Optional.of(against), Optional.of(givenRatio), goal, details, numbers);
    }

    Figure goal(Goal wanted) {
        return new Figure(name, unit, measured, yardstick, ratio, wanted, details, numbers);
    }

    Figure detail(String label, MeasureUnit valueUnit, double value) {
        Map<String, Double> more = new LinkedHashMap<>(numbers);
        more.put(label + " [" + valueUnit.symbol + "]", value);
        return new Figure(name, unit, measured, yardstick, ratio, goal, details, more)
                .note(label, valueUnit.text(value));
    }

    Figure note(String label, String value) {
        Map<String, String> more = new LinkedHashMap<>(details);
        more.put(label, value);
        return new Figure(name, unit, measured, yardstick, ratio, goal, more, numbers);
    }

    String verdict() {
        return goal.verdict(this);
    }
}
