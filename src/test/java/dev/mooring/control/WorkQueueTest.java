package dev.mooring.control;

import static dev.mooring.testing.Samples.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.model.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkQueueTest {
    private static final ObjectKey A = claim("a");
    private static final ObjectKey B = claim("b");

    private final WorkQueue queue = new WorkQueue(new Backoff(Duration.ofMillis(5), Duration.ofMillis(30)));

    private static long ms(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    private List<ObjectKey> takeAll(long now) {
        List<ObjectKey> keys = new ArrayList<>();
        for (Optional<WorkQueue.QueuedKey> taken = queue.take(now); taken.isPresent(); taken = queue.take(now)) {
            keys.add(taken.get().key());
        }
        return keys;
    }

    private void succeeded(ObjectKey key, long now) {
        queue.succeeded(key, Optional.empty(), now);
    }

    @Test
    void workQueue_keyAddedTwice_returnsItOnce() {
        queue.add(A, 0);
        queue.add(B, 0);
        queue.add(A, 0);
        assertThat(takeAll(0)).containsExactly(A, B);
    }

    @Test
    void workQueue_keyAddedWhileInProgress_returnsItAgainAfterwards() {
        queue.add(A, 0);
        assertThat(takeAll(0)).containsExactly(A);
        queue.add(A, 1);
        assertThat(takeAll(1)).isEmpty();
        succeeded(A, 2);
        assertThat(takeAll(2)).containsExactly(A);
        succeeded(A, 3);
        assertThat(takeAll(3)).isEmpty();
        assertThat(queue.size()).isZero();
    }

    @Test
    void workQueue_keyAddedWithSeveralDelays_returnsItAfterTheShortest() {
        queue.addAfter(A, Duration.ofMillis(20), 0);
        queue.addAfter(A, Duration.ofMillis(10), 0);
        queue.addAfter(A, Duration.ofMillis(30), 0);
        assertThat(queue.nextDue()).hasValue(ms(10));
        assertThat(takeAll(ms(10) - 1)).isEmpty();
        assertThat(takeAll(ms(10))).containsExactly(A);
        succeeded(A, ms(10));
        assertThat(takeAll(ms(100))).isEmpty();
    }

    @Test
    void workQueue_delayedKeyAddedWithoutDelay_returnsItAtOnce() {
        queue.addAfter(A, Duration.ofMillis(20), 0);
        queue.add(A, 1);
        assertThat(takeAll(1)).containsExactly(A);
        succeeded(A, 1);
        assertThat(queue.nextDue()).isEmpty();
    }

    @Test
    void workQueue_delaysOfWorkerAndCaller_requeuesAtTheEarlier() {
        queue.add(A, 0);
        takeAll(0);
        queue.addAfter(A, Duration.ofMillis(7), 0);
        queue.succeeded(A, Optional.of(Duration.ofMillis(9)), 0);
        assertThat(queue.nextDue()).hasValue(ms(7));
        takeAll(ms(7));
        queue.addAfter(A, Duration.ofMillis(9), ms(7));
        queue.succeeded(A, Optional.of(Duration.ofMillis(2)), ms(7));
        assertThat(queue.nextDue()).hasValue(ms(9));
    }

    @Test
    void workQueue_repeatedFailures_delayGrowsUntilSuccess() {
        long now = 0;
        for (long wait : new long[] {5, 10, 20, 30, 30}) {
            queue.add(A, now);
            takeAll(now);
            assertThat(queue.failed(A, now)).isEqualTo(Duration.ofMillis(wait));
            assertThat(queue.nextDue()).hasValue(now + ms(wait));
            now += ms(wait);
        }
        assertThat(takeAll(now)).containsExactly(A);
        succeeded(A, now);
        queue.add(A, now);
        takeAll(now);
        assertThat(queue.failed(A, now)).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void backoff_repeatedFailures_logsTheFirstAndEachDoubling() {
        assertThat(IntStream.rangeClosed(1, 20).filter(Backoff::isLogged)).containsExactly(1, 2, 4, 8, 16);
    }

    @Test
    void workQueue_failedKeyAddedMeanwhile_keepsItsFailureCount() {
        queue.add(A, 0);
        takeAll(0);
        queue.add(A, 0);
        queue.failed(A, 0);
        assertThat(takeAll(0)).containsExactly(A);
        assertThat(queue.failed(A, 0)).isEqualTo(Duration.ofMillis(10));
        assertThat(queue.failures(A)).isEqualTo(2);
    }

    @Test
    void workQueue_oneKeyFails_delaysOfOtherKeysAreUnaffected() {
        queue.add(A, 0);
        queue.add(B, 0);
        takeAll(0);
        queue.failed(A, 0);
        assertThat(queue.failed(B, 0)).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void workQueue_repeatedConflicts_requeuesAtOnceThenWithDelay() {
        queue.add(A, 0);
        takeAll(0);
        for (int i = 0; i < WorkQueue.MAX_IMMEDIATE_RETRIES; i++) {
            queue.add(B, 0);
            queue.conflicted(A, 0);
            assertThat(takeAll(0)).containsExactly(B, A);
            succeeded(B, 0);
        }
        queue.conflicted(A, 0);
        assertThat(takeAll(0)).isEmpty();
        assertThat(queue.nextDue()).hasValue(ms(5));
    }

    @Test
    void workQueue_overdueKeys_reportsTheirLag() {
        queue.add(A, 3);
        queue.addAfter(B, Duration.ofNanos(2), 3);
        assertThat(queue.take(9).orElseThrow().lag()).isEqualTo(Duration.ofNanos(6));
        assertThat(queue.take(9).orElseThrow().lag()).isEqualTo(Duration.ofNanos(4));
    }

    @Test
    void workQueue_empty_hasNoDueTimeAndReturnsNothing() {
        assertThat(queue.nextDue()).isEqualTo(OptionalLong.empty());
        assertThat(queue.take(0)).isEmpty();
    }

    @Test
    void workQueue_manyReschedules_keepsOneEntryPerKey() {
        for (int i = 0; i < 1_000; i++) {
            queue.addAfter(A, Duration.ofHours(24), i);
            queue.add(A, i);
            takeAll(i);
            queue.succeeded(A, Optional.of(Duration.ofHours(24)), i);
        }
        assertThat(queue.size()).isEqualTo(1);
        assertThat(takeAll(ms(48 * 3_600_000L))).containsExactly(A);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE - 10, -5, Long.MIN_VALUE})
    void workQueue_anyClockOrigin_ordersKeysByDueTime(long origin) {
        queue.addAfter(A, Duration.ofNanos(20), origin);
        queue.addAfter(B, Duration.ofNanos(5), origin);
        assertThat(takeAll(origin + 19)).containsExactly(B);
        assertThat(takeAll(origin + 20)).containsExactly(A);
    }

    @Test
    void workQueue_delayAboveMaximum_isCapped() {
        queue.addAfter(A, Duration.ofDays(1_000_000), 0);
        assertThat(queue.nextDue()).hasValue(WorkQueue.MAX_DELAY.toNanos());
    }

    @Test
    void workQueue_resultOfKeyNotInProgress_throws() {
        queue.add(A, 0);
        assertThatThrownBy(() -> queue.failed(A, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(A.text());
    }
}
