package dev.mooring.volume.process;

import dev.mooring.volume.process.CommandException.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs programs as children of this process: no shell, no environment but PATH and LC_ALL, at home in the root directory. One that does
 * not end in time is killed with all its children, and reaped. One that even then does not go (the kernel holds it, as with a dead NFS
 * server) is given up: whoever waits is told, and it is reaped when the kernel lets go. Stateless; any thread.
 */
public final class ChildProcess implements CommandRunner {
    /** Enough for every message of a tool; a talkative one is cut off there. */
    public static final int MAX_OUTPUT = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(ChildProcess.class);
    private static final long DEATH_SECONDS = 5;
    private static final long LAST_WORDS_MILLIS = 2000;

    @Override
    public CommandResult run(Command command) throws CommandException, InterruptedException {
        Process process = start(command);
        Drain output = Drain.start(process.getInputStream(), MAX_OUTPUT, "output of " + command.program());
        Drain errors = Drain.start(process.getErrorStream(), MAX_OUTPUT, "errors of " + command.program());
        boolean ended = false;
        try {
            feed(process, command);
            ended = process.waitFor(command.deadline().toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            if (!ended) {
                kill(process, command);
            }
        }
        if (!ended) {
            String said = errors.text(LAST_WORDS_MILLIS).strip();
            throw new CommandException(
                    Kind.TOO_SLOW,
                    "Expected `" + command + "` to end within " + words(command) + ", but it did not and was killed"
                            + (said.isEmpty() ? "" : "; it said: " + said));
        }
        return new CommandResult(process.exitValue(), output.text(LAST_WORDS_MILLIS), errors.text(LAST_WORDS_MILLIS));
    }

    private static String words(Command command) {
        long millis = command.deadline().toMillis();
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }

    private static Process start(Command command) throws CommandException {
        List<String> line = new ArrayList<>();
        line.add(Programs.find(command.program()).toString());
        line.addAll(command.arguments());
        ProcessBuilder builder = new ProcessBuilder(line).directory(Path.of("/").toFile());
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", Programs.SEARCH_PATH);
        environment.put("LC_ALL", "C");
        try {
            return builder.start();
        } catch (IOException e) {
            throw new CommandException(Kind.NOT_STARTED, "Expected to start `" + command + "`, but " + e.getMessage());
        }
    }

    /** Small enough for a pipe, so a child that does not read does not block us. */
    private static void feed(Process process, Command command) {
        byte[] input = command.inputBytes();
        if (input.length > MAX_OUTPUT) {
            throw new IllegalArgumentException(
                    "Expected at most " + MAX_OUTPUT + " bytes of input, but found " + input.length);
        }
        try (OutputStream to = process.getOutputStream()) {
            to.write(input);
        } catch (IOException expected) {
            LOG.debug("{} ended before it had read its input", command.program());
        }
    }

    private static void kill(Process process, Command command) {
        // The parent first, or it would go on with what it has to do after its child.
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        boolean interrupted = Thread.interrupted();
        try {
            if (!process.waitFor(DEATH_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn(
                        "Process {} (`{}`) was killed but the kernel does not let it go; it is left behind until it"
                                + " does",
                        process.pid(),
                        command);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
