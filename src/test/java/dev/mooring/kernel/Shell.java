package dev.mooring.kernel;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs commands of the tests, which must succeed. Thread-safe; blocks. */
final class Shell {
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private final List<String> prefix;

    private Shell(List<String> prefix) {
        this.prefix = prefix;
    }

    /** Returns a shell in the namespaces of the test. */
    static Shell local() {
        return new Shell(List.of());
    }

    /** Returns a shell in the network, mount and PID namespaces of another process. */
    static Shell inNamespacesOf(long pid) {
        return new Shell(List.of("nsenter", "-t", Long.toString(pid), "-n", "-m", "-p"));
    }

    /** Runs lines with {@code sh -e}; returns their output. */
    String run(String... lines) {
        List<String> arguments = new ArrayList<>(prefix);
        arguments.addAll(List.of("sh", "-ec", String.join("\n", lines)));
        Command command = new Command(arguments.get(0), arguments.subList(1, arguments.size()), "", TIMEOUT);
        try {
            CommandResult result = new ChildProcess().run(command);
            if (!result.succeeded()) {
                throw new AssertionError("Commands failed:\n" + String.join("\n", lines) + "\nexit code "
                        + result.exitCode() + ": " + result.errorOrOutput());
            }
            return result.output();
        } catch (CommandException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
