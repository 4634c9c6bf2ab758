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
     * How long to look for the next item before sleeping, where that pays off. To be woken costs a good part of a sync, and a writer
     * that has just been answered often comes back at once.
     */
    private static final long LOOK_NANOS = 60_000;

    /** If the last item came within this time, waking included, looking would have found it. If not, there is no looking: an idle inbox sleeps. */
    private static final long WORTH_LOOKING_NANOS = 2 * LOOK_NANOS;

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final int capacity;
    private volatile Thread sleeper;

    /** Whether the last item came soon; of the one who takes. */
    private boolean worthLooking;

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
        Optional<T> item = poll();
        if (item.isPresent()) {
            return item;
        }
        long start = System.nanoTime();
        while (item.isEmpty() && !enough.getAsBoolean()) {
            if (worthLooking && System.nanoTime() - start < LOOK_NANOS) {
                Thread.onSpinWait();
            } else {
                sleep(enough);
            }
            item = poll();
        }
        worthLooking = System.nanoTime() - start < WORTH_LOOKING_NANOS;
        return item;
    }

    private void sleep(BooleanSupplier enough) throws InterruptedException {
        sleeper = Thread.currentThread();
        try {
            if (queue.isEmpty() && !enough.getAsBoolean()) {
                LockSupport.park(this);
            }
        } finally {
            sleeper = null;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("The thread that waits for proposals was interrupted");
        }
    }
}
