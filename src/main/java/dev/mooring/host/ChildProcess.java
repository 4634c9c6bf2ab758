package dev.mooring.host;

import dev.mooring.host.CommandException.CommandFailureKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

    /**
     * Reads the output of a program to its end and keeps the beginning, so that endless output neither blocks the
     * program nor fills the memory. One thread runs it; others may read the text.
     */
    private static final class OutputCollector implements Runnable {
        private static final int CHUNK = 8192;

        private final InputStream from;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final int limit;
        private final Thread thread;

        private OutputCollector(InputStream from, int limit, String name) {
            this.from = from;
            this.limit = limit;
            this.thread = new Thread(this, name);
            this.thread.setDaemon(true);
        }

        static OutputCollector start(InputStream from, int limit, String name) {
            OutputCollector drain = new OutputCollector(from, limit, name);
            drain.thread.start();
            return drain;
        }

        @Override
        public void run() {
            byte[] chunk = new byte[CHUNK];
            try {
                for (int length = from.read(chunk); length >= 0; length = from.read(chunk)) {
                    synchronized (kept) {
                        kept.write(chunk, 0, Math.min(length, limit - kept.size()));
                    }
                }
            } catch (IOException expected) {
                // The stream was closed because the program was killed; keep the output so far.
            }
        }

        /** Returns the output, waiting for its end for the given time; a grandchild may keep the stream open. */
        String text(long millis) throws InterruptedException {
            thread.join(millis);
            synchronized (kept) {
                return kept.toString(StandardCharsets.UTF_8);
            }
        }
    }

    /**
     * Finds the machine's programs in a fixed list of directories, so that the environment of this process cannot
     * substitute them.
     */
    static final class SystemPrograms {
        static final String SEARCH_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

        private static final List<Path> DIRECTORIES =
                List.of(Path.of("/usr/sbin"), Path.of("/usr/bin"), Path.of("/sbin"), Path.of("/bin"));

        private static final Map<String, String> PACKAGES = Map.ofEntries(
                Map.entry("mount", "mount"),
                Map.entry("umount", "mount"),
                Map.entry("losetup", "mount"),
                Map.entry("mount.nfs", "nfs-common"),
                Map.entry("resize2fs", "e2fsprogs"),
                Map.entry("e2fsck", "e2fsprogs"),
                Map.entry("dumpe2fs", "e2fsprogs"),
                Map.entry("mkfs.ext4", "e2fsprogs"),
                Map.entry("blkid", "util-linux"),
                Map.entry("blockdev", "util-linux"),
                Map.entry("cmp", "diffutils"),
                Map.entry("xfs_growfs", "xfsprogs"),
                Map.entry("xfs_db", "xfsprogs"),
                Map.entry("xfs_repair", "xfsprogs"),
                Map.entry("mkfs.xfs", "xfsprogs"));

        private SystemPrograms() {}

        static Path find(String program) throws CommandException {
            return find(program, DIRECTORIES);
        }

        static Path find(String program, List<Path> directories) throws CommandException {
            if (program.startsWith("/")) {
                return Path.of(program);
            }
            for (Path each : directories) {
                Path candidate = each.resolve(program);
                if (Files.isExecutable(candidate)) {
                    return candidate;
                }
            }
            String advice = PACKAGES.containsKey(program) ? ": install the package " + PACKAGES.get(program) : "";
            throw new CommandException(
                    CommandException.CommandFailureKind.MISSING,
                    "Program " + program + " not found in " + SEARCH_PATH + advice);
        }
    }
}
