package dev.mooring.kernel;

import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs commands of the test itself, which have to succeed. Any thread; blocks. */
final class Shell {
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(3);

    private final List<String> prefix;

    private Shell(List<String> prefix) {
        this.prefix = prefix;
    }

    /** Where the test itself is. */
    static Shell here() {
        return new Shell(List.of());
    }

    /** In the network, mounts and processes of another process. */
    static Shell inNamespacesOf(long pid) {
        return new Shell(List.of("nsenter", "-t", Long.toString(pid), "-n", "-m", "-p"));
    }

    /** Lines for sh, of which none may fail. Answers what they printed. */
    String run(String... lines) {
        List<String> words = new ArrayList<>(prefix);
        words.addAll(List.of("sh", "-ec", String.join("\n", lines)));
        Command command = new Command(words.get(0), words.subList(1, words.size()), "", LONG_ENOUGH);
        try {
            CommandResult result = new ChildProcess().run(command);
            if (!result.succeeded()) {
                throw new AssertionError("Expected success of\n" + String.join("\n", lines) + "\nbut it ended with "
                        + result.exit() + ": " + result.words());
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
