package dev.mooring.volume.hostpath;

import java.nio.file.Path;

/**
 * Result of inspecting a path.
 *
 * @param real the path without symbolic links; for a missing path, as far as it could be resolved
 * @param description what was found, for messages
 */
public record ObservedPath(FileKind kind, Path real, Responsiveness responsiveness, String description) {
    /** Whether accessing the path can hang. */
    public enum Responsiveness {
        /** The whole path is local: this process may access it. */
        IMMEDIATE,
        /** The path depends on another machine or program: only a child process with a deadline may access it. */
        MAY_HANG
    }

    static ObservedPath of(FileKind kind, Path real, Responsiveness answers) {
        return new ObservedPath(kind, real, answers, kind.toString());
    }

    /** Returns the result for a path that cannot be resolved. */
    static ObservedPath broken(Path at, String description) {
        return new ObservedPath(FileKind.BROKEN, at, Responsiveness.IMMEDIATE, description);
    }

    public boolean exists() {
        return kind.exists();
    }
}
