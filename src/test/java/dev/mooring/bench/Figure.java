package dev.mooring.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One line of the results.
 *
 * @param ratio measured to yardstick, round by round
 * @param details what else was seen, for people
 * @param numbers the same and more, for programs
 */
record Figure(
        String name,
        Unit unit,
        Rounds measured,
        Optional<Yardstick> yardstick,
        Optional<Rounds> ratio,
        Goal goal,
        Map<String, String> details,
        Map<String, Double> numbers) {
    /** Something simple or well known that was measured beside it. */
    record Yardstick(String name, Unit unit, Rounds measured) {}

    static Figure of(String name, Unit unit, Rounds measured) {
        return new Figure(name, unit, measured, Optional.empty(), Optional.empty(), Goal.NONE, Map.of(), Map.of());
    }

    /** Against a yardstick that is measured in the same unit. */
    Figure against(String yardstickName, Rounds yardstickMeasured) {
        return against(yardstickName, unit, yardstickMeasured, measured.dividedBy(yardstickMeasured));
    }

    /** Against a yardstick whose unit is another one, so that the ratio cannot be seen from the two numbers. */
    Figure against(String yardstickName, Unit yardstickUnit, Rounds yardstickMeasured, Rounds howMuch) {
        Yardstick against = new Yardstick(yardstickName, yardstickUnit, yardstickMeasured);
        return new Figure(name, unit, measured, Optional.of(against), Optional.of(howMuch), goal, details, numbers);
    }

    Figure goal(Goal wanted) {
        return new Figure(name, unit, measured, yardstick, ratio, wanted, details, numbers);
    }

    Figure detail(String label, Unit valueUnit, double value) {
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
