package dev.mooring.conformance;

import com.sun.jna.Function;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Where a process kills itself, with SIGKILL and in that very instant: nothing is flushed, closed or said. Points have names; {@code step 7} stands
 * for the seventh step of any name. Any thread.
 */
final class NodeKillPoints {
    /**
     * Every which point is taken. Each costs the start of a process, so every run takes some and {@code TEST_JVM=-Dmooring.kills=all make test
     * TESTS='NodeKill*'} takes all; between the events of an operation the tests on a real kernel kill at all of them in every run.
     */
    static final int STRIDE = System.getProperty("mooring.kills", "").equals("all") ? 1 : 4;

    private static final int SIGKILL = 9;
    private static final String STEP = "step ";

    private final AtomicReference<String> armed = new AtomicReference<>("");

    void arm(String point) {
        armed.set(point);
    }

    /** Returns unless it is the one. */
    void reach(String point) {
        if (armed.get().equals(point)) {
            kill();
        }
    }

    /** One of many things that are done one after another. */
    void step() {
        String left = armed.getAndUpdate(NodeKillPoints::oneLess);
        if (left.equals(STEP + 1)) {
            kill();
        }
    }

    private static String oneLess(String point) {
        return point.startsWith(STEP) ? STEP + (Integer.parseInt(point.substring(STEP.length())) - 1) : point;
    }

    private static void kill() {
        int self = Math.toIntExact(ProcessHandle.current().pid());
        Function.getFunction("c", "kill").invokeInt(new Object[] {self, SIGKILL});
        Runtime.getRuntime().halt(1);
    }
}
