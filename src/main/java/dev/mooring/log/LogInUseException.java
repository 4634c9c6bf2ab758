package dev.mooring.log;

import java.io.IOException;
import java.nio.file.Path;

/** Thrown when another process has the log open for writing. */
public final class LogInUseException extends IOException {
    private static final long serialVersionUID = 1L;

    public LogInUseException(Path directory) {
        super(directory + " is in use by another Mooring process; stop that one, or start this one with another --data"
                + " directory");
    }
}
