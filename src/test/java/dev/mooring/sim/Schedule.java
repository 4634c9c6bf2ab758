package dev.mooring.sim;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Decides what happens next. Everything that would be a thread, a timer or an event loop elsewhere is a {@link Strand} here, and exactly one of
 * them does exactly one thing at a time: which one, a seed says. Time passes only here.
 *
 * <p>Two runs with the same seed do the same, to the last step. Used by one thread; coroutines ({@link Carrier}) run while that thread waits.
 */
public final class Schedule {
    /** Where virtual time begins. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final int LONGEST_STEP_MICROS = 500;

    /** Something that can be done whenever a condition holds. */
    public interface Source {
        boolean isReady();

        void run();
    }

    private final Random chance;
    private final List<Strand> ready = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final List<Carrier> sleeping = new ArrayList<>();
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    private final SimClock clock = new SimClock();
    private long nanos;
    private long alarmNumbers;
    private long steps;
    private Duration skew = Duration.ZERO;
    private Runnable crashed = () -> {};
    private long trace = 1469598103934665603L;

    /** To be done at a time; those of the same moment in the order in which they were set. */
    static final class Alarm implements Comparable<Alarm> {
        private final long due;
        private final long number;
        private final Strand strand;
        private final Runnable task;
        private boolean off;

        private Alarm(long due, long number, Strand strand, Runnable task) {
            this.due = due;
            this.number = number;
            this.strand = strand;
            this.task = task;
        }

        void turnOff() {
            off = true;
        }

        boolean isOff() {
            return off;
        }

        @Override
        public int compareTo(Alarm other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
        }
    }

    public Schedule(long seed) {
        this.chance = new Random(seed * 0x9E3779B97F4A7C15L + 0x7F4A7C15);
    }

    /** For the order of things, and for nothing else: who needs chance for something else has a source of its own. */
    Random chance() {
        return chance;
    }

    /** What time the machine believes it is; may jump. */
    public Clock clock() {
        return clock;
    }

    /** Nanoseconds that only ever grow. */
    public long nanos() {
        return nanos;
    }

    /** How many things have happened. */
    public long steps() {
        return steps;
    }

    /** A number that depends on all that was done, in its order: two runs that differ anywhere have different ones. */
    public long trace() {
        return trace;
    }

    /** The machine's clock is set. */
    public void setClockBy(Duration jump) {
        skew = skew.plus(jump);
    }

    public void add(Source source) {
        sources.add(source);
    }

    /** Has somebody told when what is done ends the process it is done in. */
    void whenCrashed(Runnable told) {
        crashed = told;
    }

    public void remove(Source source) {
        sources.remove(source);
    }

    void nowReady(Strand strand) {
        ready.add(strand);
    }

    Alarm alarm(Duration delay, Strand strand, Runnable task) {
        Alarm alarm = new Alarm(nanos + Math.max(0, delay.toNanos()), alarmNumbers++, strand, task);
        alarms.add(alarm);
        return alarm;
    }

    void sleeps(Carrier carrier) {
        sleeping.add(carrier);
    }

    void wakes(Carrier carrier) {
        sleeping.remove(carrier);
    }

    /** Does one thing, whatever the seed says; whether there was anything to do without waiting. */
    public boolean step() {
        pass(Duration.ofNanos(chance.nextInt(LONGEST_STEP_MICROS) * 1000L));
        List<Source> able = sources;
        int from = ready.size();
        int choices = from;
        for (int i = 0; i < able.size(); i++) {
            choices += able.get(i).isReady() ? 1 : 0;
        }
        if (choices == 0) {
            return wakeInterrupted();
        }
        steps++;
        int choice = chance.nextInt(choices);
        if (choice < from) {
            Strand strand = ready.get(choice);
            // The order of the others does not matter: one of them is chosen by chance.
            ready.set(choice, ready.get(from - 1));
            ready.remove(from - 1);
            note(strand.name());
            try {
                strand.runOne();
            } catch (SimCrash e) {
                crashed.run();
            } finally {
                // Whose thread was killed in the middle of it has noticed, or never will; the others are on this one,
                // too.
                Thread.interrupted();
            }
        } else {
            runSource(choice - from);
        }
        wakeInterrupted();
        return true;
    }

    private void runSource(int which) {
        int left = which;
        for (Source each : List.copyOf(sources)) {
            if (each.isReady() && left-- == 0) {
                note("source");
                each.run();
                return;
            }
        }
    }

    private void note(String what) {
        trace = (trace ^ what.hashCode()) * 1099511628211L + nanos;
    }

    /** Who was interrupted by what was just done goes on; whether there was anybody. */
    private boolean wakeInterrupted() {
        boolean some = false;
        for (int i = 0; i < sleeping.size(); i++) {
            if (sleeping.get(i).wasInterrupted()) {
                sleeping.get(i--).wake();
                some = true;
            }
        }
        return some;
    }

    /** Lets time pass; what is due then becomes ready, and is not done yet. */
    public void pass(Duration time) {
        nanos += time.toNanos();
        while (!alarms.isEmpty() && alarms.peek().due <= nanos) {
            Alarm alarm = alarms.poll();
            if (!alarm.off) {
                alarm.off = true;
                alarm.strand.execute(alarm.task);
            }
        }
    }

    /** Does things, letting time pass when there is nothing else to do, until a condition holds; whether it does. */
    public boolean runUntil(BooleanSupplier reached, Duration atMost) {
        long end = nanos + atMost.toNanos();
        while (!reached.getAsBoolean()) {
            if (!step()) {
                while (!alarms.isEmpty() && alarms.peek().off) {
                    alarms.poll();
                }
                if (alarms.isEmpty() || alarms.peek().due > end) {
                    nanos = Math.max(nanos, end);
                    return reached.getAsBoolean();
                }
                pass(Duration.ofNanos(Math.max(0, alarms.peek().due - nanos)));
            }
            if (nanos > end) {
                return reached.getAsBoolean();
            }
        }
        return true;
    }

    /** Lets so much time pass, with everything that happens in it. */
    public void run(Duration time) {
        runUntil(() -> false, time);
    }

    private final class SimClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return START.plus(skew).plusNanos(nanos);
        }
    }
}
