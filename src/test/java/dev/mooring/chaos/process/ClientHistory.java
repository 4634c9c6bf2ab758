package dev.mooring.chaos.process;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls and responses of all clients. Thread-safe. */
final class ClientHistory {
    private final Queue<RecordedCall> calls = new ConcurrentLinkedQueue<>();
    private final Queue<ListResult> listings = new ConcurrentLinkedQueue<>();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answers = new AtomicInteger();

    void add(RecordedCall call) {
        calls.add(call);
        if (!call.isUnknown()) {
            answers.incrementAndGet();
        }
    }

    void add(ListResult listing) {
        listings.add(listing);
    }

    /** Records a problem that a client detected itself. */
    void problem(String description) {
        problems.add(description);
    }

    int answers() {
        return answers.get();
    }

    List<RecordedCall> calls() {
        return List.copyOf(calls);
    }

    List<ListResult> listings() {
        return List.copyOf(listings);
    }

    List<String> problems() {
        return List.copyOf(problems);
    }
}
