package dev.mooring.kernel;

import java.io.IOException;
import java.nio.file.Path;

/** A process that keeps a file open. One thread. */
final class OpenFileHolder implements AutoCloseable {
    private final Process process;

    private OpenFileHolder(Process process) {
        this.process = process;
    }

    /** Starts the process; returns when it has opened the file. */
    static OpenFileHolder of(Path file) throws IOException {
        Process process = new ProcessBuilder("sh", "-c", "echo; exec sleep infinity")
                .redirectInput(file.toFile())
                .start();
        if (process.getInputStream().read() != '\n') {
            throw new AssertionError("Cannot open " + file + ": the process ended");
        }
        return new OpenFileHolder(process);
    }

    /** Ends the process; returns when it has closed the file. */
    void end() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
