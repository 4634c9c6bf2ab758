package dev.mooring.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Suppresses the program's logs during simulation runs, except {@link ControllerErrors}. */
final class SuppressedLogging {
    private SuppressedLogging() {}

    /**
     * Suppresses logging.
     *
     * @return the previous level, for {@link #restore}
     */
    static Level suppress() {
        Logger mooring = (Logger) LoggerFactory.getLogger("dev.mooring");
        Level before = mooring.getLevel();
        mooring.setLevel(Level.OFF);
        ControllerErrors.ofThisProcess().listen();
        return before;
    }

    static void restore(Level before) {
        ControllerErrors.ofThisProcess().stopListening();
        ((Logger) LoggerFactory.getLogger("dev.mooring")).setLevel(before);
    }
}
