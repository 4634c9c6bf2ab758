package dev.mooring.host;

import dev.mooring.host.CommandException.CommandFailureKind;
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
 * Runs programs as child processes: without a shell, with only PATH and LC_ALL in the environment, in the root
 * directory. At the deadline the child and its descendants are killed and reaped. If the kernel does not end a killed
 * child (as with a dead NFS server), the caller gets an exception, and the child is reaped when the kernel releases it.
 * Stateless and thread-safe.
 */
public final class ChildProcess implements CommandRunner {
    /** Output limit; longer output is truncated. */
    public static final int MAX_OUTPUT = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(ChildProcess.class);
    private static final long KILL_WAIT_SECONDS = 5;
    private static final long OUTPUT_WAIT_MILLIS = 2000;

    @Override
    public CommandResult run(Command command) throws CommandException, InterruptedException {
        Process process = start(command);
        OutputCollector output =
                OutputCollector.start(process.getInputStream(), MAX_OUTPUT, "output of " + command.program());
        OutputCollector errors =
                OutputCollector.start(process.getErrorStream(), MAX_OUTPUT, "errors of " + command.program());
        boolean ended = false;
        try {
            writeInput(process, command);
            ended = process.waitFor(command.deadline().toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            if (!ended) {
                kill(process, command);
            }
        }
        if (!ended) {
            String stderr = errors.text(OUTPUT_WAIT_MILLIS).strip();
            throw new CommandException(
                    CommandFailureKind.TIMED_OUT,
                    "`" + command + "` timed out after " + formatDeadline(command) + " and was killed"
                            + (stderr.isEmpty() ? "" : "; stderr: " + stderr));
        }
        return new CommandResult(process.exitValue(), output.text(OUTPUT_WAIT_MILLIS), errors.text(OUTPUT_WAIT_MILLIS));
    }

    private static String formatDeadline(Command command) {
        long millis = command.deadline().toMillis();
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
    }

    private static Process start(Command command) throws CommandException {
        List<String> line = new ArrayList<>();
        line.add(SystemPrograms.find(command.program()).toString());
        line.addAll(command.arguments());
        ProcessBuilder builder = new ProcessBuilder(line).directory(Path.of("/").toFile());
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", SystemPrograms.SEARCH_PATH);
        environment.put("LC_ALL", "C");
        try {
            return builder.start();
        } catch (IOException e) {
            throw new CommandException(
                    CommandFailureKind.NOT_STARTED, "Cannot start `" + command + "`: " + e.getMessage());
        }
    }

    /** Writes the input. It fits into a pipe, so a child that does not read does not block this process. */
    private static void writeInput(Process process, Command command) {
        byte[] input = command.inputBytes();
        if (input.length > MAX_OUTPUT) {
            throw new IllegalArgumentException("input must be at most " + MAX_OUTPUT + " bytes, got " + input.length);
        }
        try (OutputStream to = process.getOutputStream()) {
            to.write(input);
        } catch (IOException expected) {
            LOG.debug("{} exited before reading all of its input", command.program());
        }
    }

    private static void kill(Process process, Command command) {
        // The parent is killed first; otherwise it would continue when its child ends.
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        boolean interrupted = Thread.interrupted();
        try {
            if (!process.waitFor(KILL_WAIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn(
                        "Killed process {} (`{}`) has not exited; it is reaped when the kernel releases it",
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
