package dev.mooring.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** What the program logs is of no interest when it lives thousands of lives, but for its {@link Breakages}. */
final class Quiet {
    private Quiet() {}

    /** Has nothing logged from now on; the former level is answered, to be put back. */
    static Level please() {
        Logger mooring = (Logger) LoggerFactory.getLogger("dev.mooring");
        Level before = mooring.getLevel();
        mooring.setLevel(Level.OFF);
        Breakages.ofThisProcess().listen();
        return before;
    }

    static void noMore(Level before) {
        Breakages.ofThisProcess().listenNoMore();
        ((Logger) LoggerFactory.getLogger("dev.mooring")).setLevel(before);
    }
}
