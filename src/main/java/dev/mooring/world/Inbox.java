package dev.mooring.world;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A bounded queue from many producers to one consumer. Offering never blocks; the consumer sleeps while the queue is
 * empty.
 */
final class Inbox<T> {
    /**
     * How long the consumer spins for the next item before it sleeps. A wake-up costs a considerable part of a sync,
     * and a writer that was just answered often proposes again at once.
     */
    private static final long SPIN_NANOS = 60_000;

    /** Spinning is used only if the last item arrived within this time, including the wake-up. An idle inbox sleeps. */
    private static final long SPIN_WORTHWHILE_NANOS = 2 * SPIN_NANOS;

    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final int capacity;
    private volatile Thread waitingThread;

    /** Whether the last item arrived soon. Accessed by the consumer only. */
    private boolean spinWorthwhile;

    Inbox(int capacity) {
        this.capacity = capacity;
    }

    int size() {
        return size.get();
    }

    /** Adds an item. Returns false if the queue is full. */
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

    /** Wakes the consumer so that it checks its stop condition. */
    void wakeUp() {
        Thread waiting = waitingThread;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    /**
     * Takes the next item; waits for one.
     *
     * @param stop stops waiting when true
     * @throws InterruptedException if the thread is interrupted
     */
    Optional<T> await(BooleanSupplier stop) throws InterruptedException {
        Optional<T> item = poll();
        if (item.isPresent()) {
            return item;
        }
        long start = System.nanoTime();
        while (item.isEmpty() && !stop.getAsBoolean()) {
            if (spinWorthwhile && System.nanoTime() - start < SPIN_NANOS) {
                Thread.onSpinWait();
            } else {
                sleep(stop);
            }
            item = poll();
        }
        spinWorthwhile = System.nanoTime() - start < SPIN_WORTHWHILE_NANOS;
        return item;
    }

    private void sleep(BooleanSupplier stop) throws InterruptedException {
        waitingThread = Thread.currentThread();
        try {
            if (queue.isEmpty() && !stop.getAsBoolean()) {
                LockSupport.park(this);
            }
        } finally {
            waitingThread = null;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted while waiting for proposals");
        }
    }
}
