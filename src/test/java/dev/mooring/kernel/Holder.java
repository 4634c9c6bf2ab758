package dev.mooring.kernel;

import java.io.IOException;
import java.nio.file.Path;

/** A process of this machine that has a file open. One thread. */
final class Holder implements AutoCloseable {
    private final Process process;

    private Holder(Process process) {
        this.process = process;
    }

    /** Returns when it has. */
    static Holder of(Path file) throws IOException {
        Process process = new ProcessBuilder("sh", "-c", "echo; exec sleep infinity")
                .redirectInput(file.toFile())
                .start();
        if (process.getInputStream().read() != '\n') {
            throw new AssertionError("Expected a process to open " + file + ", but it ended");
        }
        return new Holder(process);
    }

    /** Returns when it has let go. */
    void end() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
