package dev.mooring.chaos.process;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * Checks that the calls of all clients are linearizable: each takes effect at one point between its request and its
 * response. The order of writes is given by their revisions. So each call has a set of revisions at which it may have
 * taken effect. In order of their starts, each call is assigned the first of these revisions that is not before those
 * of calls that had ended by then; if there is none, no order fits. The check covers all objects together, which is
 * stricter than a check of each object.
 */
final class LinearizabilityCheck {
    private final RecordedHistory history;
    private final List<String> problems = new ArrayList<>();
    private final List<Point> points = new ArrayList<>();

    /** A range of revisions, inclusive. */
    private record Range(long from, long to) {}

    /** A call with the revisions at which it may have taken effect. A write creates its revision, a read sees one. */
    private record Point(Object call, long invoked, long ended, boolean write, List<Range> ranges) {
        /** Returns the first possible revision that is not before the floor. */
        OptionalLong first(long floor) {
            long min = write ? floor + 1 : floor;
            return ranges.stream()
                    .filter(range -> range.to() >= min)
                    .mapToLong(range -> Math.max(range.from(), min))
                    .min();
        }
    }

    private record CallEnd(long time, long place) {}

    private LinearizabilityCheck(RecordedHistory history) {
        this.history = history;
    }

    static List<String> problems(RecordedHistory history, List<RecordedCall> calls, List<ListResult> listings) {
        LinearizabilityCheck check = new LinearizabilityCheck(history);
        calls.forEach(check::place);
        listings.forEach(check::place);
        check.order();
        return check.problems;
    }

    private void order() {
        points.sort(Comparator.comparingLong(Point::invoked));
        PriorityQueue<CallEnd> running = new PriorityQueue<>(Comparator.comparingLong(CallEnd::time));
        long floor = 0;
        for (Point point : points) {
            while (!running.isEmpty() && running.peek().time() < point.invoked()) {
                floor = Math.max(floor, running.remove().place());
            }
            OptionalLong place = point.first(floor);
            if (place.isEmpty()) {
                problems.add("Revision " + floor + " had been seen before the call began, which contradicts it: "
                        + point.call() + ", possible at " + point.ranges());
            } else {
                running.add(new CallEnd(point.ended(), place.getAsLong()));
            }
        }
    }

    private void place(RecordedCall call) {
        Optional<List<Range>> ranges = ranges(call);
        boolean write = call.answer() instanceof RecordedCall.Written || call.answer() instanceof RecordedCall.Removed;
        if (call.isUnknown()) {
            // If it took effect, then not before the request; there is no upper bound.
            ranges = call.value().isEmpty() ? Optional.empty() : effect(call);
            write = true;
        }
        boolean isWrite = write;
        long ended = call.isUnknown() ? Long.MAX_VALUE : call.ended();
        ranges.ifPresent(found -> points.add(new Point(call, call.invoked(), ended, isWrite, found)));
    }

    private Optional<List<Range>> effect(RecordedCall call) {
        return history.ofKey(call.key()).values().stream()
                .filter(each -> each.value().equals(call.value()))
                .findFirst()
                .map(each -> List.of(new Range(each.revision(), each.revision())));
    }

    private Optional<List<Range>> ranges(RecordedCall call) {
        if (call.answer() instanceof RecordedCall.Written written) {
            return history.at(call.key(), written.object().revision()).map(LinearizabilityCheck::exactly);
        }
        if (call.answer() instanceof RecordedCall.Removed removed) {
            return history.ofKey(call.key()).values().stream()
                    .filter(each -> !each.isPresent() && each.uid().equals(removed.uid()))
                    .findFirst()
                    .map(LinearizabilityCheck::exactly);
        }
        if (call.answer() instanceof RecordedCall.ReadObject found) {
            Optional<ObjectVersion> version =
                    history.at(call.key(), found.object().revision());
            if (version.isEmpty() || !version.get().seen().equals(found.object())) {
                problems.add(call + " saw an object that never existed: " + version);
                return Optional.empty();
            }
            return version.map(each -> List.of(new Range(each.revision(), history.until(each))));
        }
        if (call.answer() instanceof RecordedCall.Absent) {
            return Optional.of(absent(call.key()));
        }
        if (call.answer() instanceof RecordedCall.Exists) {
            return Optional.of(present(call.key(), version -> true));
        }
        if (call.answer() instanceof RecordedCall.Conflict) {
            return Optional.of(present(call.key(), version -> conflicts(call, version)));
        }
        return Optional.empty();
    }

    private static List<Range> exactly(ObjectVersion version) {
        return List.of(new Range(version.revision(), version.revision()));
    }

    private static boolean conflicts(RecordedCall call, ObjectVersion version) {
        return (call.ifRevision() != 0 && call.ifRevision() != version.revision())
                || (!call.ifUid().isEmpty() && !call.ifUid().equals(version.uid()));
    }

    private List<Range> present(String key, java.util.function.Predicate<ObjectVersion> and) {
        return history.ofKey(key).values().stream()
                .filter(each -> each.isPresent() && and.test(each))
                .map(each -> new Range(each.revision(), history.until(each)))
                .toList();
    }

    private List<Range> absent(String key) {
        List<Range> ranges = new ArrayList<>();
        Map.Entry<Long, ObjectVersion> first = history.ofKey(key).firstEntry();
        ranges.add(new Range(0, first == null ? Long.MAX_VALUE : first.getKey() - 1));
        history.ofKey(key).values().stream()
                .filter(each -> !each.isPresent())
                .forEach(each -> ranges.add(new Range(each.revision(), history.until(each))));
        return ranges;
    }

    private void place(ListResult listing) {
        Map<String, RecordedCall.SeenObject> expected = history.state(listing.resource(), listing.revision());
        if (!expected.equals(listing.objects())) {
            problems.add("Expected the list of " + listing.resource() + " at revision " + listing.revision() + " to be "
                    + expected + ", but it was " + listing.objects());
        }
        points.add(new Point(
                "List of " + listing.resource() + " at " + listing.revision(),
                listing.invoked(),
                listing.ended(),
                false,
                List.of(new Range(listing.revision(), listing.revision()))));
    }
}
