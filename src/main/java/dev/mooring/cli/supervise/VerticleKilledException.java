package dev.mooring.cli.supervise;

/** The cause of a death by {@link Supervisor#kill}. */
public final class VerticleKilledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    VerticleKilledException(String reason) {
        super(reason, null, false, false); // where it was asked for says nothing about the verticle
    }
}
