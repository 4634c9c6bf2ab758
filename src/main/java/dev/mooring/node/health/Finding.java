package dev.mooring.node.health;

import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.ServerHealth;

/**
 * What is wrong with a mount. Immutable.
 *
 * @param reason in one word
 * @param message and what happens next, for people
 */
record Finding(String reason, String message, Remedy remedy) {
    private static final String UNREACHABLE = "ServerUnreachable";

    /** What can be done about it. */
    enum Remedy {
        /** It gets well by itself, or a person has to see to it. */
        NONE,
        /** A new mount helps, but not containers that have seen the old one: they keep it. */
        MOUNT_AGAIN_IF_UNUSED,
        /** There is no mount any more. */
        MOUNT_AGAIN
    }

    /** @param there whether the mount table still has it */
    static Finding of(Health health, boolean there) {
        return switch (health.state()) {
            case STALE -> new Finding("StaleHandle", health.words(), Remedy.MOUNT_AGAIN_IF_UNUSED);
            case UNREACHABLE -> new Finding(UNREACHABLE, health.words(), Remedy.NONE);
            case FAILED -> new Finding("IoError", health.words(), there ? Remedy.NONE : Remedy.MOUNT_AGAIN);
            case OK -> throw new IllegalArgumentException("Expected something to be wrong, but all is well");
        };
    }

    /** Of a server that is known not to answer, so that its mounts need not be asked. */
    static Finding of(ServerHealth server) {
        return new Finding(
                UNREACHABLE,
                "server " + server.server() + " has not answered"
                        + server.since().map(since -> " since " + since).orElse("") + " (" + server.lastError()
                        + "); programs that use the volume wait until it does",
                Remedy.NONE);
    }
}
