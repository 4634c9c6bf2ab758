package dev.mooring.conformance;

import com.sun.jna.Function;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Points at which a process kills itself with SIGKILL, so that nothing is flushed or closed. Points have names;
 * {@code step 7} is the seventh step of any name. Thread-safe.
 */
final class NodeKillPoints {
    /**
     * Distance between two tested points. Each point costs the start of a process, so a run tests some of them, and
     * {@code TEST_JVM=-Dmooring.kills=all make test TESTS='NodeKill*'} tests all. The tests on a real kernel kill at
     * all points between the events of an operation in every run.
     */
    static final int STRIDE = System.getProperty("mooring.kills", "").equals("all") ? 1 : 4;

    private static final int SIGKILL = 9;
    private static final String STEP = "step ";

    private final AtomicReference<String> armed = new AtomicReference<>("");

    void arm(String point) {
        armed.set(point);
    }

    /** Kills the process if this point is armed. */
    void reach(String point) {
        if (armed.get().equals(point)) {
            kill();
        }
    }

    /** Counts a step, and kills the process if it is the armed one. */
    void step() {
        String previous = armed.getAndUpdate(NodeKillPoints::decrement);
        if (previous.equals(STEP + 1)) {
            kill();
        }
    }

    private static String decrement(String point) {
        return point.startsWith(STEP) ? STEP + (Integer.parseInt(point.substring(STEP.length())) - 1) : point;
    }

    private static void kill() {
        int self = Math.toIntExact(ProcessHandle.current().pid());
        Function.getFunction("c", "kill").invokeInt(new Object[] {self, SIGKILL});
        Runtime.getRuntime().halt(1);
    }
}
