package dev.mooring.chaos.process;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What all clients have asked and been told. Any thread may write. */
final class Diary {
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final Queue<Listing> listings = new ConcurrentLinkedQueue<>();
    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answers = new AtomicInteger();

    void note(Call call) {
        calls.add(call);
        if (!call.isUnknown()) {
            answers.incrementAndGet();
        }
    }

    void note(Listing listing) {
        listings.add(listing);
    }

    /** Something that is wrong by itself. */
    void problem(String what) {
        problems.add(what);
    }

    int answers() {
        return answers.get();
    }

    List<Call> calls() {
        return List.copyOf(calls);
    }

    List<Listing> listings() {
        return List.copyOf(listings);
    }

    List<String> problems() {
        return List.copyOf(problems);
    }
}
