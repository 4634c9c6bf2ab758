package dev.mooring.chaos.process;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether a watcher was told all that happened in its scope since it began, once, in order and in full. For one thread, once. */
final class WatchCheck {
    private final Truth truth;
    private final String resource;
    private final List<String> problems = new ArrayList<>();
    private final List<Version> events;
    private Map<String, Call.Seen> built = new HashMap<>();

    /** All up to here has been told. */
    private long told;

    /** The first event that has not. */
    private int next;

    private WatchCheck(Truth truth, String resource) {
        this.truth = truth;
        this.resource = resource;
        this.events = truth.ofResource(resource);
    }

    /** @param atLeast the revision the watcher must have come to */
    static List<String> problems(Truth truth, String resource, List<WatchStep> steps, long atLeast) {
        WatchCheck check = new WatchCheck(truth, resource);
        for (WatchStep step : steps) {
            check.take(step);
            if (!check.problems.isEmpty()) {
                return check.problems; // all that follows would only repeat it
            }
        }
        check.end(atLeast);
        return check.problems;
    }

    private void take(WatchStep step) {
        if (step instanceof WatchStep.Listed listed) {
            begin(listed.revision(), listed.objects());
            if (!truth.state(resource, listed.revision()).equals(built)) {
                problems.add("Expected the list at " + listed.revision() + " to be "
                        + truth.state(resource, listed.revision()) + ", but it was " + built);
            }
        } else if (step instanceof WatchStep.Began began) {
            begin(began.revision(), truth.state(resource, began.revision()));
        } else if (step instanceof WatchStep.Resumed resumed && resumed.after() != told) {
            problems.add("Expected to resume after " + told + ", but it was after " + resumed.after());
        } else if (step instanceof WatchStep.Told event) {
            event(event);
        } else if (step instanceof WatchStep.Bookmark mark) {
            mark(mark.revision());
        }
    }

    private void begin(long revision, Map<String, Call.Seen> objects) {
        told = revision;
        next = 0;
        while (next < events.size() && events.get(next).revision() <= revision) {
            next++;
        }
        built = new HashMap<>(objects);
    }

    private void event(WatchStep.Told event) {
        if (next == events.size()) {
            problems.add("Expected nothing after " + told + ", but " + event + " came");
            return;
        }
        Version expected = events.get(next);
        if (!expected.key().equals(event.key())
                || !expected.seen().equals(event.object())
                || expected.kind() != event.kind()) {
            problems.add("Expected " + expected + " after " + told + ", but " + event + " came");
            return;
        }
        next++;
        told = expected.revision();
        if (expected.isPresent()) {
            built.put(expected.key(), expected.seen());
        } else {
            built.remove(expected.key());
        }
    }

    private void mark(long revision) {
        if (next < events.size() && events.get(next).revision() <= revision) {
            problems.add("Expected " + events.get(next) + " before the bookmark " + revision + ", but it did not come");
        }
        if (revision < told) {
            problems.add("Expected bookmarks to go forwards, but " + revision + " came after " + told);
        }
        told = revision;
    }

    private void end(long atLeast) {
        if (told < atLeast) {
            problems.add("Expected to be told all up to " + atLeast + ", but it ended at " + told);
        } else if (!built.equals(truth.state(resource, told))) {
            problems.add("Expected to have built " + truth.state(resource, told) + ", but it is " + built);
        }
    }
}
