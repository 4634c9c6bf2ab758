package dev.mooring.node.monitor;

import dev.mooring.volume.MountHealth;
import dev.mooring.volume.ServerHealth;

/**
 * A problem of a mount. Immutable.
 *
 * @param reason one CamelCase word
 * @param message human-readable, with what happens next
 */
record MountProblem(String reason, String message, Remedy remedy) {
    private static final String UNREACHABLE = "ServerUnreachable";

    /** The possible remedy. */
    enum Remedy {
        /** It recovers by itself, or needs an administrator. */
        NONE,
        /** A new mount helps, but containers that use the old one keep it. */
        REMOUNT_IF_UNUSED,
        /** The mount is gone. */
        REMOUNT
    }

    /**
     * Returns the problem of a mount.
     *
     * @param inMountTable whether the mount table still has it
     */
    static MountProblem of(MountHealth health, boolean inMountTable) {
        return switch (health.state()) {
            case STALE -> new MountProblem("StaleHandle", health.message(), Remedy.REMOUNT_IF_UNUSED);
            case UNREACHABLE -> new MountProblem(UNREACHABLE, health.message(), Remedy.NONE);
            case FAILED -> new MountProblem("IoError", health.message(), inMountTable ? Remedy.NONE : Remedy.REMOUNT);
            case OK -> throw new IllegalArgumentException("A mount in state OK has no problem");
        };
    }

    /** Returns the problem for all mounts of an unresponsive server, without probing them. */
    static MountProblem of(ServerHealth server) {
        return new MountProblem(
                UNREACHABLE,
                "server " + server.server() + " has not answered"
                        + server.since().map(since -> " since " + since).orElse("") + " (" + server.lastError()
                        + "); programs that use the volume block until it does",
                Remedy.NONE);
    }
}
