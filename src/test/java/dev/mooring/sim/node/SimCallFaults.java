package dev.mooring.sim.node;

import dev.mooring.sim.Coverage;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.SimThread;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Executes simulated calls and applies the faults armed for them. The effect of a call is atomic; time may pass before
 * and after it, in which the caller may be killed.
 */
final class SimCallFaults {
    private static final int SHORT_MILLIS = 40;
    private static final int SLOW_MILLIS = 40_000;
    private static final int LONG_MILLIS = 400_000;

    private final DeterministicScheduler schedule;
    private final Coverage coverage;
    private final Random random;
    private final Map<String, Deque<SimCallFault>> armed = new TreeMap<>();
    private final List<Hang> hanging = new ArrayList<>();

    /** The effect of a call. */
    interface SimCall<T, E extends Exception> {
        T run() throws E, InterruptedException;
    }

    /** Creates the exception of a failed call. */
    interface CallFailure<E extends Exception> {
        /** @param done whether the call took effect, or may have */
        E of(boolean done);
    }

    private static final class Hang {
        private final Thread thread = Thread.currentThread();
        private boolean released;
    }

    SimCallFaults(DeterministicScheduler schedule, Coverage coverage, Random random) {
        this.schedule = schedule;
        this.coverage = coverage;
        this.random = random;
    }

    /** Arms a fault for the next call of that name. */
    void arm(String call, SimCallFault fault) {
        armed.computeIfAbsent(call, unused -> new ArrayDeque<>()).add(fault);
    }

    /** Removes all faults and releases hanging calls. */
    void clearFaults() {
        armed.clear();
        for (Hang each : hanging) {
            each.released = true;
            each.thread.interrupt();
        }
    }

    /** Returns the number of hanging calls. */
    int hanging() {
        return hanging.size();
    }

    <T, E extends Exception> T perform(String call, SimCall<T, E> action, CallFailure<E> failure)
            throws E, InterruptedException {
        return perform(call, call, action, failure);
    }

    /** @param phase operation in progress, for the coverage */
    <T, E extends Exception> T perform(String call, String phase, SimCall<T, E> action, CallFailure<E> failure)
            throws E, InterruptedException {
        SimThread.requireAlive();
        Deque<SimCallFault> waiting = armed.get(call);
        if (waiting == null || waiting.isEmpty()) {
            return execute(action);
        }
        SimCallFault fault = waiting.poll();
        coverage.hit(call + ' ' + fault, phase);
        switch (fault) {
            case FAILS -> {
                pause(SHORT_MILLIS);
                throw failure.of(false);
            }
            case HALF_DONE -> {
                pause(SHORT_MILLIS);
                action.run();
                pause(SHORT_MILLIS);
                throw failure.of(true);
            }
            case SLOW -> pause(SLOW_MILLIS);
            case HANGS -> {
                hang(Interruptibility.INTERRUPTIBLE);
                throw failure.of(true);
            }
            case HANGS_AFTERWARDS -> {
                T done = action.run();
                hang(Interruptibility.INTERRUPTIBLE);
                return done;
            }
            case STUCK -> hang(Interruptibility.UNINTERRUPTIBLE);
        }
        return action.run();
    }

    private <T, E extends Exception> T execute(SimCall<T, E> action) throws E, InterruptedException {
        int chance = random.nextInt(8);
        if (chance < 2) {
            pause(SHORT_MILLIS);
        }
        T done = action.run();
        if (chance == 2) {
            pause(SHORT_MILLIS);
        }
        return done;
    }

    /** Pauses for a random time up to the given milliseconds. Does not return if the process is killed meanwhile. */
    void pause(int millis) throws InterruptedException {
        SimThread.pause(Duration.ofMillis(1L + random.nextInt(millis)));
        SimThread.requireAlive();
    }

    private enum Interruptibility {
        INTERRUPTIBLE,
        UNINTERRUPTIBLE
    }

    private void hang(Interruptibility interruptibility) throws InterruptedException {
        Hang hang = new Hang();
        hanging.add(hang);
        boolean interrupted = false;
        long end = schedule.nanos()
                + Duration.ofMillis(1L + random.nextInt(LONG_MILLIS)).toNanos();
        try {
            while (!hang.released && schedule.nanos() < end) {
                long before = schedule.nanos();
                try {
                    SimThread.pause(Duration.ofNanos(end - before));
                    if (schedule.nanos() == before) {
                        break; // not on a simulated thread, which could wait
                    }
                } catch (InterruptedException e) {
                    if (hang.released) {
                        break;
                    }
                    if (interruptibility == Interruptibility.INTERRUPTIBLE) {
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } finally {
            hanging.remove(hang);
        }
        SimThread.requireAlive();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
