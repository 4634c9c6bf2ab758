package dev.mooring.chaos.process;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks that a watcher received every event of its scope once, in order and complete. For one thread, single use. */
final class WatchCheck {
    private final RecordedHistory history;
    private final String resource;
    private final List<String> problems = new ArrayList<>();
    private final List<ObjectVersion> events;
    private Map<String, RecordedCall.SeenObject> built = new HashMap<>();

    /** Revision up to which all events were received. */
    private long lastRevision;

    /** Index of the next expected event. */
    private int next;

    private WatchCheck(RecordedHistory history, String resource) {
        this.history = history;
        this.resource = resource;
        this.events = history.ofResource(resource);
    }

    /** @param atLeast the revision that the watcher must have reached */
    static List<String> problems(RecordedHistory history, String resource, List<WatchStep> steps, long atLeast) {
        WatchCheck check = new WatchCheck(history, resource);
        for (WatchStep step : steps) {
            check.process(step);
            if (!check.problems.isEmpty()) {
                return check.problems; // later steps would only repeat the problem
            }
        }
        check.end(atLeast);
        return check.problems;
    }

    private void process(WatchStep step) {
        if (step instanceof WatchStep.Listed listed) {
            begin(listed.revision(), listed.objects());
            if (!history.state(resource, listed.revision()).equals(built)) {
                problems.add("Expected the list at " + listed.revision() + " to be "
                        + history.state(resource, listed.revision()) + ", but it was " + built);
            }
        } else if (step instanceof WatchStep.Began began) {
            begin(began.revision(), history.state(resource, began.revision()));
        } else if (step instanceof WatchStep.Resumed resumed && resumed.after() != lastRevision) {
            problems.add("Expected to resume after " + lastRevision + ", but resumed after " + resumed.after());
        } else if (step instanceof WatchStep.Received event) {
            event(event);
        } else if (step instanceof WatchStep.Bookmark mark) {
            mark(mark.revision());
        }
    }

    private void begin(long revision, Map<String, RecordedCall.SeenObject> objects) {
        lastRevision = revision;
        next = 0;
        while (next < events.size() && events.get(next).revision() <= revision) {
            next++;
        }
        built = new HashMap<>(objects);
    }

    private void event(WatchStep.Received event) {
        if (next == events.size()) {
            problems.add("Expected no event after " + lastRevision + ", but received " + event);
            return;
        }
        ObjectVersion expected = events.get(next);
        if (!expected.key().equals(event.key())
                || !expected.seen().equals(event.object())
                || expected.kind() != event.kind()) {
            problems.add("Expected " + expected + " after " + lastRevision + ", but received " + event);
            return;
        }
        next++;
        lastRevision = expected.revision();
        if (expected.isPresent()) {
            built.put(expected.key(), expected.seen());
        } else {
            built.remove(expected.key());
        }
    }

    private void mark(long revision) {
        if (next < events.size() && events.get(next).revision() <= revision) {
            problems.add("Missing " + events.get(next) + " before the bookmark " + revision);
        }
        if (revision < lastRevision) {
            problems.add("Bookmark " + revision + " received after revision " + lastRevision);
        }
        lastRevision = revision;
    }

    private void end(long atLeast) {
        if (lastRevision < atLeast) {
            problems.add("Expected all events up to " + atLeast + ", but the last was " + lastRevision);
        } else if (!built.equals(history.state(resource, lastRevision))) {
            problems.add("Expected the state " + history.state(resource, lastRevision) + ", but it is " + built);
        }
    }
}
