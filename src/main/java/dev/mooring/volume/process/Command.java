package dev.mooring.volume.process;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A program to be run: its name (looked up among the machine's own programs) or absolute path, its arguments as a list that no shell ever
 * sees, what it reads, and how long it may take. Immutable.
 */
public record Command(String program, List<String> arguments, String input, Duration deadline) {
    public Command {
        arguments = List.copyOf(arguments);
        if (program.isEmpty() || deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException(
                    "Expected a program and a deadline, but found \"" + program + "\", " + deadline);
        }
    }

    public static Command of(Duration deadline, String program, String... arguments) {
        return new Command(program, List.of(arguments), "", deadline);
    }

    byte[] inputBytes() {
        return input.getBytes(StandardCharsets.UTF_8);
    }

    /** As a person would type it, to be tried by hand. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(program);
        for (String each : arguments) {
            text.append(' ').append(each.isEmpty() || each.indexOf(' ') >= 0 ? "'" + each + "'" : each);
        }
        return text.toString();
    }
}
