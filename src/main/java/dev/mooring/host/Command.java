package dev.mooring.host;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A program to run: its name (looked up in the system directories) or absolute path, its arguments, its input and its
 * deadline. No shell is involved. Immutable.
 */
public record Command(String program, List<String> arguments, String input, Duration deadline) {
    public Command {
        arguments = List.copyOf(arguments);
        if (program.isEmpty() || deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException(
                    "program must not be empty and deadline must be positive, got \"" + program + "\", " + deadline);
        }
    }

    public static Command of(Duration deadline, String program, String... arguments) {
        return new Command(program, List.of(arguments), "", deadline);
    }

    byte[] inputBytes() {
        return input.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the command line for messages, as it would be typed in a shell. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(program);
        for (String each : arguments) {
            text.append(' ').append(each.isEmpty() || each.indexOf(' ') >= 0 ? "'" + each + "'" : each);
        }
        return text.toString();
    }
}
