package dev.mooring.sim.node;

import dev.mooring.sim.Carrier;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.Schedule;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Faults that wait for the calls they are meant for, and how a call goes with and without one. What is done is done in one moment; before and after it
 * time may pass, in which the caller may die.
 */
final class Turns {
    private static final int SHORT_MILLIS = 40;
    private static final int SLOW_MILLIS = 40_000;
    private static final int LONG_MILLIS = 400_000;

    private final Schedule schedule;
    private final Coverage coverage;
    private final Random random;
    private final Map<String, Deque<Fault>> armed = new TreeMap<>();
    private final List<Hang> hanging = new ArrayList<>();

    /** What a call does to the world. */
    interface Deed<T, E extends Exception> {
        T done() throws E, InterruptedException;
    }

    /** What the caller hears. */
    interface Failure<E extends Exception> {
        /** @param done whether it was, or may have been, done all the same */
        E of(boolean done);
    }

    private static final class Hang {
        private final Thread thread = Thread.currentThread();
        private boolean released;
    }

    Turns(Schedule schedule, Coverage coverage, Random random) {
        this.schedule = schedule;
        this.coverage = coverage;
        this.random = random;
    }

    /** The next call of that name is struck. */
    void arm(String call, Fault fault) {
        armed.computeIfAbsent(call, unused -> new ArrayDeque<>()).add(fault);
    }

    /** No more faults, and who hangs comes back. */
    void forgive() {
        armed.clear();
        for (Hang each : hanging) {
            each.released = true;
            each.thread.interrupt();
        }
    }

    /** How many calls hang. */
    int hanging() {
        return hanging.size();
    }

    <T, E extends Exception> T perform(String call, Deed<T, E> deed, Failure<E> failure)
            throws E, InterruptedException {
        return perform(call, call, deed, failure);
    }

    /** @param phase what is under way, for who wants to know where faults struck */
    <T, E extends Exception> T perform(String call, String phase, Deed<T, E> deed, Failure<E> failure)
            throws E, InterruptedException {
        Carrier.requireAlive();
        Deque<Fault> waiting = armed.get(call);
        if (waiting == null || waiting.isEmpty()) {
            return usual(deed);
        }
        Fault fault = waiting.poll();
        coverage.hit(call + ' ' + fault, phase);
        switch (fault) {
            case FAILS -> {
                pause(SHORT_MILLIS);
                throw failure.of(false);
            }
            case HALF_DONE -> {
                pause(SHORT_MILLIS);
                deed.done();
                pause(SHORT_MILLIS);
                throw failure.of(true);
            }
            case SLOW -> pause(SLOW_MILLIS);
            case HANGS -> {
                hang(Patience.INTERRUPTIBLE);
                throw failure.of(true);
            }
            case HANGS_AFTERWARDS -> {
                T done = deed.done();
                hang(Patience.INTERRUPTIBLE);
                return done;
            }
            case STUCK -> hang(Patience.ENDLESS);
        }
        return deed.done();
    }

    private <T, E extends Exception> T usual(Deed<T, E> deed) throws E, InterruptedException {
        int chance = random.nextInt(8);
        if (chance < 2) {
            pause(SHORT_MILLIS);
        }
        T done = deed.done();
        if (chance == 2) {
            pause(SHORT_MILLIS);
        }
        return done;
    }

    /** Lets some of so many milliseconds pass; who dies meanwhile does not come back. */
    void pause(int millis) throws InterruptedException {
        Carrier.pause(Duration.ofMillis(1L + random.nextInt(millis)));
        Carrier.requireAlive();
    }

    private enum Patience {
        INTERRUPTIBLE,
        ENDLESS
    }

    private void hang(Patience patience) throws InterruptedException {
        Hang hang = new Hang();
        hanging.add(hang);
        boolean interrupted = false;
        long end = schedule.nanos()
                + Duration.ofMillis(1L + random.nextInt(LONG_MILLIS)).toNanos();
        try {
            while (!hang.released && schedule.nanos() < end) {
                long before = schedule.nanos();
                try {
                    Carrier.pause(Duration.ofNanos(end - before));
                    if (schedule.nanos() == before) {
                        break; // nobody who could wait
                    }
                } catch (InterruptedException e) {
                    if (hang.released) {
                        break;
                    }
                    if (patience == Patience.INTERRUPTIBLE) {
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } finally {
            hanging.remove(hang);
        }
        Carrier.requireAlive();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
