package dev.mooring.sim;

import dev.mooring.sim.Schedule.Alarm;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that carries blocking code through the simulation. It runs only while the schedule's thread waits for it, so there is never more than one that
 * does something; what it shares with others needs no further care.
 *
 * <p>Interrupting the thread while it is paused wakes it, as it would a thread that sleeps; the schedule looks for that after each step, so it too
 * happens in an order the seed decides.
 */
public final class Carrier {
    private static final ThreadLocal<Carrier> CURRENT = new ThreadLocal<>();
    private static final ThreadLocal<Deque<Carrier>> IDLE = ThreadLocal.withInitial(ArrayDeque::new);

    private final Thread thread = new Thread(this::work, "sim-carrier");
    private volatile Thread schedulesThread;
    private volatile boolean running;
    private volatile boolean sawInterrupt;
    private Deque<Carrier> home;
    private Living life;
    private Strand strand;
    private Runnable task;
    private Alarm alarm;
    private boolean asleep;
    private Throwable escaped;

    private Carrier() {
        thread.setDaemon(true);
    }

    /** One that has nothing to do; given back when its task has ended. */
    static Carrier borrow() {
        Deque<Carrier> idle = IDLE.get();
        Carrier carrier = idle.isEmpty() ? new Carrier() : idle.pop();
        carrier.home = idle;
        return carrier;
    }

    /** Runs a task until it pauses or ends. */
    void begin(Living of, Strand on, Runnable what) {
        life = of;
        strand = on;
        task = what;
        resume();
    }

    /**
     * Lets time pass for the code that calls it, on a carrier. Elsewhere nothing happens: who cannot wait does not.
     *
     * @throws InterruptedException if its thread was interrupted before or meanwhile
     */
    public static void pause(Duration time) throws InterruptedException {
        Carrier self = CURRENT.get();
        if (self != null) {
            self.pauseFor(time);
        }
    }

    /** Before anything is done to the world outside: the dead do nothing. */
    public static void requireAlive() {
        Carrier self = CURRENT.get();
        if (self != null && !self.life.isAlive()) {
            throw new Killed();
        }
    }

    private void pauseFor(Duration time) throws InterruptedException {
        requireAlive();
        if (!Thread.interrupted()) {
            asleep = true;
            alarm = life.schedule().alarm(time, strand, this::awake);
            life.schedule().sleeps(this);
            running = false;
            LockSupport.unpark(schedulesThread);
            awaitTurn();
            requireAlive();
            if (!sawInterrupt && !Thread.interrupted()) {
                return;
            }
        }
        sawInterrupt = false;
        Thread.interrupted();
        throw new InterruptedException("interrupted while it waited");
    }

    private void awaitTurn() {
        while (!running) {
            LockSupport.park(this);
            if (!running && thread.isInterrupted()) {
                // In this order, so that the schedule never sees neither.
                sawInterrupt = true;
                Thread.interrupted();
            }
        }
    }

    boolean wasInterrupted() {
        return thread.isInterrupted() || sawInterrupt;
    }

    /** Its time is over. */
    private void awake() {
        if (asleep) {
            asleep = false;
            life.schedule().wakes(this);
            resume();
        }
    }

    /** It was interrupted: goes on when it is its turn. */
    void wake() {
        alarm.turnOff();
        life.schedule().wakes(this);
        strand.execute(() -> {
            if (asleep) {
                asleep = false;
                resume();
            }
        });
    }

    /** Ends what it does. */
    void unwind() {
        life.schedule().wakes(this);
        alarm.turnOff();
        asleep = false;
        resume();
    }

    /** On the schedule's thread: lets it run until it pauses or ends. */
    private void resume() {
        schedulesThread = Thread.currentThread();
        running = true;
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        } else {
            LockSupport.unpark(thread);
        }
        while (running) {
            LockSupport.park(this);
        }
        if (task == null) {
            Throwable thrown = escaped;
            escaped = null;
            life.ended(this);
            home.push(this);
            if (thrown != null) {
                throw new AssertionError("A task on a thread of its own broke", thrown);
            }
        }
    }

    private void work() {
        CURRENT.set(this);
        while (true) {
            awaitTurn();
            Runnable given = task;
            if (given != null) {
                perform(given);
            }
            task = null;
            sawInterrupt = false;
            Thread.interrupted();
            running = false;
            LockSupport.unpark(schedulesThread);
        }
    }

    private void perform(Runnable given) {
        try {
            given.run();
        } catch (Killed e) {
            // As meant.
        } catch (Throwable e) {
            escaped = life.isAlive() ? e : null;
        }
    }
}
