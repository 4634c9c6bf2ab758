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

/** Whatever is done to a queue, in any order. */
class WorkQueueProperties {
    private enum Kind {
        ADD,
        ADD_AFTER,
        TAKE,
        SUCCEED,
        SUCCEED_AND_LOOK_AGAIN,
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
    void everyKeyIsHandedOutAfterItsLastAddAndNeverToTwo(@ForAll("steps") List<Step> steps) {
        WorkQueue queue = new WorkQueue(new Backoff(Duration.ofNanos(4), Duration.ofNanos(32)));
        Set<ObjectKey> working = new HashSet<>();
        // Keys that must still be handed out, and by when at the latest.
        Map<ObjectKey, Long> owed = new HashMap<>();
        long now = 0;
        for (Step step : steps) {
            ObjectKey key = claim("k" + step.key());
            boolean works = working.contains(key);
            switch (step.kind()) {
                case ADD -> {
                    queue.add(key, now);
                    owed.put(key, now);
                }
                case ADD_AFTER -> {
                    queue.addAfter(key, Duration.ofNanos(step.amount()), now);
                    owed.merge(key, now + step.amount(), Math::min);
                }
                case TAKE -> take(queue, working, owed, now);
                case SUCCEED -> {
                    if (works) {
                        queue.succeeded(key, Optional.empty(), now);
                        working.remove(key);
                    }
                }
                case SUCCEED_AND_LOOK_AGAIN -> {
                    if (works) {
                        queue.succeeded(key, Optional.of(Duration.ofNanos(step.amount())), now);
                        working.remove(key);
                        owed.merge(key, now + step.amount(), Math::min);
                    }
                }
                case CONFLICT -> {
                    if (works) {
                        queue.conflicted(key, now);
                        working.remove(key);
                        owed.merge(key, now + 32, Math::min);
                    }
                }
                case FAIL -> {
                    if (works) {
                        queue.failed(key, now);
                        working.remove(key);
                        owed.merge(key, now + 32, Math::min);
                    }
                }
                case WAIT -> now += step.amount();
            }
            assertThat(queue.working()).isEqualTo(working.size());
        }
        finish(queue, working, owed, now);
    }

    private static void take(WorkQueue queue, Set<ObjectKey> working, Map<ObjectKey, Long> owed, long now) {
        Optional<WorkQueue.Taken> taken = queue.take(now);
        taken.ifPresent(each -> {
            assertThat(working.add(each.key())).as("nobody else works on it").isTrue();
            assertThat(owed.remove(each.key())).as("somebody wanted it").isNotNull();
        });
        if (taken.isEmpty()) {
            owed.forEach((key, due) -> assertThat(due > now || working.contains(key))
                    .as("%s is due at %d and it is %d", key, due, now)
                    .isTrue());
        }
    }

    /** All workers come to an end, nothing new is wanted: each owed key comes once, when it is due, and then the queue is empty. */
    private static void finish(WorkQueue queue, Set<ObjectKey> working, Map<ObjectKey, Long> owed, long then) {
        long now = then;
        for (ObjectKey key : Set.copyOf(working)) {
            queue.succeeded(key, Optional.empty(), now);
            working.remove(key);
        }
        while (queue.nextDue().isPresent()) {
            now = Math.max(now, queue.nextDue().getAsLong());
            take(queue, working, owed, now);
            for (ObjectKey key : Set.copyOf(working)) {
                queue.succeeded(key, Optional.empty(), now);
                working.remove(key);
            }
        }
        assertThat(owed).isEmpty();
        assertThat(queue.size()).isZero();
    }
}
