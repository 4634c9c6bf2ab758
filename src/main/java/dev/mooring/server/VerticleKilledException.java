package dev.mooring.server;

/** Cause of a death by {@link Supervisor#kill}. */
public final class VerticleKilledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    VerticleKilledException(String reason) {
        super(reason, null, false, false); // the stack trace of the caller is not useful
    }
}
