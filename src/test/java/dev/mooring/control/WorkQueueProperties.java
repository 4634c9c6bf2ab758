package dev.mooring.control;

import static dev.mooring.testing.Samples.claim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Properties of the work queue under random sequences of calls. */
class WorkQueueProperties {
    private enum Kind {
        ADD,
        ADD_AFTER,
        TAKE,
        SUCCEED,
        SUCCEED_AND_REQUEUE,
        CONFLICT,
        FAIL,
        WAIT
    }

    record Step(Kind kind, int key, int amount) {}

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.of(Kind.class),
                        Arbitraries.integers().between(0, 3),
                        Arbitraries.integers().between(0, 50))
                .as(Step::new)
                .list()
                .ofMaxSize(80);
    }

    @Property(tries = 2_000)
    void workQueue_anySequenceOfCalls_returnsEachAddedKeyOnceToOneWorker(@ForAll("steps") List<Step> steps) {
        WorkQueue queue = new WorkQueue(new Backoff(Duration.ofNanos(4), Duration.ofNanos(32)));
        Set<ObjectKey> working = new HashSet<>();
        // Keys that the queue must still return, with the latest time for each.
        Map<ObjectKey, Long> expected = new HashMap<>();
        long now = 0;
        for (Step step : steps) {
            ObjectKey key = claim("k" + step.key());
            boolean isWorking = working.contains(key);
            switch (step.kind()) {
                case ADD -> {
                    queue.add(key, now);
                    expected.put(key, now);
                }
                case ADD_AFTER -> {
                    queue.addAfter(key, Duration.ofNanos(step.amount()), now);
                    expected.merge(key, now + step.amount(), Math::min);
                }
                case TAKE -> take(queue, working, expected, now);
                case SUCCEED -> {
                    if (isWorking) {
                        queue.succeeded(key, Optional.empty(), now);
                        working.remove(key);
                    }
                }
                case SUCCEED_AND_REQUEUE -> {
                    if (isWorking) {
                        queue.succeeded(key, Optional.of(Duration.ofNanos(step.amount())), now);
                        working.remove(key);
                        expected.merge(key, now + step.amount(), Math::min);
                    }
                }
                case CONFLICT -> {
                    if (isWorking) {
                        queue.conflicted(key, now);
                        working.remove(key);
                        expected.merge(key, now + 32, Math::min);
                    }
                }
                case FAIL -> {
                    if (isWorking) {
                        queue.failed(key, now);
                        working.remove(key);
                        expected.merge(key, now + 32, Math::min);
                    }
                }
                case WAIT -> now += step.amount();
            }
            assertThat(queue.working()).isEqualTo(working.size());
        }
        finish(queue, working, expected, now);
    }

    private static void take(WorkQueue queue, Set<ObjectKey> working, Map<ObjectKey, Long> expected, long now) {
        Optional<WorkQueue.QueuedKey> taken = queue.take(now);
        taken.ifPresent(each -> {
            assertThat(working.add(each.key()))
                    .as("no other worker has the key")
                    .isTrue();
            assertThat(expected.remove(each.key())).as("the key was added").isNotNull();
        });
        if (taken.isEmpty()) {
            expected.forEach((key, due) -> assertThat(due > now || working.contains(key))
                    .as("%s is due at %d; now is %d", key, due, now)
                    .isTrue());
        }
    }

    /** Finishes all work without new keys: each expected key is returned once, when due; then the queue is empty. */
    private static void finish(WorkQueue queue, Set<ObjectKey> working, Map<ObjectKey, Long> expected, long start) {
        long now = start;
        for (ObjectKey key : Set.copyOf(working)) {
            queue.succeeded(key, Optional.empty(), now);
            working.remove(key);
        }
        while (queue.nextDue().isPresent()) {
            now = Math.max(now, queue.nextDue().getAsLong());
            take(queue, working, expected, now);
            for (ObjectKey key : Set.copyOf(working)) {
                queue.succeeded(key, Optional.empty(), now);
                working.remove(key);
            }
        }
        assertThat(expected).isEmpty();
        assertThat(queue.size()).isZero();
    }
}
