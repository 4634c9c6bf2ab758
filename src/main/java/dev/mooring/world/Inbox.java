package dev.mooring.world;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A bounded queue from many threads to one. Offering never blocks; the one who takes sleeps while there is nothing. */
final class Inbox<T> {
    /**
     * Looks before sleeping: waking a thread costs a good part of a sync, and a writer that has just been answered often comes back at once.
     * Bounded, so that an idle ledger sleeps.
     */
    private static final int LOOKS = 200;

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final int capacity;
    private volatile Thread sleeper;

    Inbox(int capacity) {
        this.capacity = capacity;
    }

    int size() {
        return size.get();
    }

    /** Whether there was room. */
    boolean offer(T item) {
        if (size.incrementAndGet() > capacity) {
            size.decrementAndGet();
            return false;
        }
        queue.add(item);
        wakeUp();
        return true;
    }

    Optional<T> poll() {
        T item = queue.poll();
        if (item == null) {
            return Optional.empty();
        }
        size.decrementAndGet();
        return Optional.of(item);
    }

    /** Lets the one who waits look at his reason to stop. */
    void wakeUp() {
        Thread waiting = sleeper;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    /**
     * The next item; waits for it.
     *
     * @param enough nothing is waited for once this holds
     * @throws InterruptedException if the thread is being killed
     */
    Optional<T> await(BooleanSupplier enough) throws InterruptedException {
        for (int look = 0; ; look++) {
            if (Thread.interrupted()) {
                throw new InterruptedException("The thread that waits for proposals was interrupted");
            }
            Optional<T> item = poll();
            if (item.isPresent() || enough.getAsBoolean()) {
                return item;
            }
            if (look < LOOKS) {
                Thread.onSpinWait();
            } else {
                sleep(enough);
            }
        }
    }

    private void sleep(BooleanSupplier enough) {
        sleeper = Thread.currentThread();
        if (queue.isEmpty() && !enough.getAsBoolean()) {
            LockSupport.park(this);
        }
        sleeper = null;
    }
}
