package dev.mooring.chaos.process;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * Whether all that clients saw fits one order in which everything happened at once, somewhere between a request and its answer. The order of the
 * writes is known: their revisions. So each call has a set of revisions at which it may have looked at the world, and it is enough to give each,
 * in the order in which they began, the first one that is not before what had ended by then: if that does not exist, no order fits. This holds for
 * all objects together, which is more than each object by itself.
 */
final class OrderCheck {
    private final Truth truth;
    private final List<String> problems = new ArrayList<>();
    private final List<Point> points = new ArrayList<>();

    /** A range of revisions, both ends included. */
    private record Range(long from, long to) {}

    /** A call: where it may have happened. A write happens when its revision comes to be, others see a revision that is there. */
    private record Point(Object call, long invoked, long ended, boolean write, List<Range> ranges) {
        /** The first place not before what is known to have happened. */
        OptionalLong first(long floor) {
            long least = write ? floor + 1 : floor;
            return ranges.stream()
                    .filter(range -> range.to() >= least)
                    .mapToLong(range -> Math.max(range.from(), least))
                    .min();
        }
    }

    private record Ended(long time, long place) {}

    private OrderCheck(Truth truth) {
        this.truth = truth;
    }

    static List<String> problems(Truth truth, List<Call> calls, List<Listing> listings) {
        OrderCheck check = new OrderCheck(truth);
        calls.forEach(check::place);
        listings.forEach(check::place);
        check.order();
        return check.problems;
    }

    private void order() {
        points.sort(Comparator.comparingLong(Point::invoked));
        PriorityQueue<Ended> underWay = new PriorityQueue<>(Comparator.comparingLong(Ended::time));
        long floor = 0;
        for (Point point : points) {
            while (!underWay.isEmpty() && underWay.peek().time() < point.invoked()) {
                floor = Math.max(floor, underWay.remove().place());
            }
            OptionalLong place = point.first(floor);
            if (place.isEmpty()) {
                problems.add("Revision " + floor + " had been seen when this began, which contradicts it: "
                        + point.call() + ", possible at " + point.ranges());
            } else {
                underWay.add(new Ended(point.ended(), place.getAsLong()));
            }
        }
    }

    private void place(Call call) {
        Optional<List<Range>> ranges = ranges(call);
        boolean write = call.answer() instanceof Call.Written || call.answer() instanceof Call.Removed;
        if (call.isUnknown()) {
            // If it happened, then not before it was asked for; nobody knows until when it may.
            ranges = call.value().isEmpty() ? Optional.empty() : effect(call);
            write = true;
        }
        boolean isWrite = write;
        long ended = call.isUnknown() ? Long.MAX_VALUE : call.ended();
        ranges.ifPresent(found -> points.add(new Point(call, call.invoked(), ended, isWrite, found)));
    }

    private Optional<List<Range>> effect(Call call) {
        return truth.ofKey(call.key()).values().stream()
                .filter(each -> each.value().equals(call.value()))
                .findFirst()
                .map(each -> List.of(new Range(each.revision(), each.revision())));
    }

    private Optional<List<Range>> ranges(Call call) {
        if (call.answer() instanceof Call.Written written) {
            return truth.at(call.key(), written.object().revision()).map(OrderCheck::exactly);
        }
        if (call.answer() instanceof Call.Removed removed) {
            return truth.ofKey(call.key()).values().stream()
                    .filter(each -> !each.isPresent() && each.uid().equals(removed.uid()))
                    .findFirst()
                    .map(OrderCheck::exactly);
        }
        if (call.answer() instanceof Call.Found found) {
            Optional<Version> version = truth.at(call.key(), found.object().revision());
            if (version.isEmpty() || !version.get().seen().equals(found.object())) {
                problems.add(call + " saw what never was: " + version);
                return Optional.empty();
            }
            return version.map(each -> List.of(new Range(each.revision(), truth.until(each))));
        }
        if (call.answer() instanceof Call.Absent) {
            return Optional.of(absent(call.key()));
        }
        if (call.answer() instanceof Call.Exists) {
            return Optional.of(present(call.key(), version -> true));
        }
        if (call.answer() instanceof Call.Conflict) {
            return Optional.of(present(call.key(), version -> conflicts(call, version)));
        }
        return Optional.empty();
    }

    private static List<Range> exactly(Version version) {
        return List.of(new Range(version.revision(), version.revision()));
    }

    private static boolean conflicts(Call call, Version version) {
        return (call.ifRevision() != 0 && call.ifRevision() != version.revision())
                || (!call.ifUid().isEmpty() && !call.ifUid().equals(version.uid()));
    }

    private List<Range> present(String key, java.util.function.Predicate<Version> and) {
        return truth.ofKey(key).values().stream()
                .filter(each -> each.isPresent() && and.test(each))
                .map(each -> new Range(each.revision(), truth.until(each)))
                .toList();
    }

    private List<Range> absent(String key) {
        List<Range> ranges = new ArrayList<>();
        Map.Entry<Long, Version> first = truth.ofKey(key).firstEntry();
        ranges.add(new Range(0, first == null ? Long.MAX_VALUE : first.getKey() - 1));
        truth.ofKey(key).values().stream()
                .filter(each -> !each.isPresent())
                .forEach(each -> ranges.add(new Range(each.revision(), truth.until(each))));
        return ranges;
    }

    private void place(Listing listing) {
        Map<String, Call.Seen> then = truth.state(listing.resource(), listing.revision());
        if (!then.equals(listing.objects())) {
            problems.add("Expected the list of " + listing.resource() + " at revision " + listing.revision() + " to be "
                    + then + ", but it was " + listing.objects());
        }
        points.add(new Point(
                "List of " + listing.resource() + " at " + listing.revision(),
                listing.invoked(),
                listing.ended(),
                false,
                List.of(new Range(listing.revision(), listing.revision()))));
    }
}
