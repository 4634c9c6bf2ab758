package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the timing of a {@link RuntimeWatcher}. */
class RuntimeWatcherTimingTest extends RuntimeWatcherFixture {
    @Test
    void list_isRepeatedFiveMinutesAfterTheLastOne() {
        connect();
        for (int i = 0; i < 29; i++) {
            pass(Duration.ofSeconds(10));
            sendEvent(RUNNING.id());
            settle();
        }
        assertThat(calls()).hasSize(29).containsOnly("inspect " + RUNNING.id());

        listed = List.of(ENDED);
        pass(Duration.ofMillis(9_999));
        assertThat(calls()).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(calls()).containsExactly("list");
        assertThat(requeued).containsExactly(POD);
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(ENDED);
        pass(Duration.ofMinutes(5));
        assertThat(calls()).containsExactly("list");
        assertThat(states).isEmpty();
    }

    @Test
    void list_failsIsRetried_timesOutMeansEngineAbsent() {
        connect();
        failing.put("list", broken);
        pass(Duration.ofMinutes(5));
        pass(Duration.ofSeconds(5));
        assertThat(calls()).containsExactly("list", "list");
        assertThat(states).isEmpty();
        assertThat(cache.isPresent()).isTrue();

        failing.put("list", slow);
        pass(Duration.ofSeconds(5));
        assertThat(states).containsExactly("absent: too slow");
        assertThat(cache.isPresent()).isFalse();
    }

    @Test
    void inspection_fails_isRetriedWithBackOff() {
        connect();
        String inspect = "inspect " + RUNNING.id();
        failing.put(inspect, slow);
        sendEvent(RUNNING.id());
        settle();
        assertThat(calls()).containsExactly(inspect);
        for (int wait : List.of(200, 400, 800, 1600, 3200, 5000, 5000)) {
            pass(Duration.ofMillis(wait - 1));
            assertThat(calls()).isEmpty();
            pass(Duration.ofMillis(1));
            assertThat(calls()).containsExactly(inspect);
        }

        failing.clear();
        inspected = Optional.of(ENDED);
        pass(Duration.ofSeconds(5));
        assertThat(calls()).containsExactly(inspect);
        assertThat(requeued).containsExactly(POD);
        assertThat(states).isEmpty();
        pass(Duration.ofMinutes(1));
        assertThat(calls()).isEmpty();
    }

    @Test
    void inspection_eventsMeanwhile_isRepeatedOnce() {
        connect();
        String inspect = "inspect " + RUNNING.id();
        during.put(inspect, () -> {
            sendEvent(RUNNING.id());
            sendEvent(RUNNING.id());
            assertThat(threads).isEmpty();
        });
        sendEvent(RUNNING.id());
        settle();
        assertThat(calls()).containsExactly(inspect, inspect);
    }

    @Test
    void inspection_othersHang_waitsFiveSecondsOnly() {
        connect();
        for (int i = 0; i < 16; i++) {
            sendEvent("hung-" + i);
        }
        List<Runnable> hanging = List.copyOf(threads);
        threads.clear();
        sendEvent(RUNNING.id());
        assertThat(hanging).hasSize(16);
        assertThat(threads).isEmpty();

        inspected = Optional.of(ENDED);
        timers.advanceTimeBy(5, TimeUnit.SECONDS);
        settle();
        // One info call checks the engine for all hanging inspections.
        assertThat(calls()).containsExactly("info", "inspect " + RUNNING.id());
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(ENDED);
        assertThat(states).isEmpty();

        for (int i = 16; i < 40; i++) {
            sendEvent("hung-" + i);
        }
        assertThat(threads).hasSize(16);
        hanging.forEach(Runnable::run);
        assertThat(threads).hasSize(16);
        settle();
        assertThat(calls()).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void inspection_hangsAndEngineDoesNotRespond_engineBecomesAbsent() {
        connect();
        sendEvent("hung");
        Runnable hanging = threads.poll();
        failing.put("info", slow);
        pass(Duration.ofSeconds(5));
        assertThat(states).containsExactly("absent: too slow");

        failing.clear();
        pass(Duration.ofMillis(200));
        assertThat(calls()).containsExactly("info", "unwatch", "info", "watch", "list");
        assertThat(states).containsExactly("absent: too slow", "present");
        requeued.clear();
        inspected = Optional.of(ENDED);
        hanging.run();
        assertThat(requeued).as("Pods requeued by the former connection").isEmpty();
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(RUNNING);
    }

    @Test
    void eventStream_formerOneEnds_isIgnored() {
        connect();
        ContainerRuntime.EventListener former = listeners.get(0);
        former.onStreamEnded(connectionRefused);
        assertThat(calls()).containsExactly("unwatch");
        pass(Duration.ofMillis(200));
        assertThat(states).containsExactly("absent: connection refused", "present");
        calls.clear();

        former.onStreamEnded(connectionRefused);
        former.onEvent(RUNNING.id());
        pass(Duration.ofMinutes(4));

        assertThat(states).hasSize(2);
        assertThat(calls()).isEmpty();
        assertThat(cache.isPresent()).isTrue();
    }

    @Test
    void eventStream_endsDuringFirstList_isClosed() {
        during.put("list", () -> listeners.get(0).onStreamEnded(connectionRefused));
        watcher.start();
        settle();
        assertThat(states).containsExactly("absent: connection refused");
        assertThat(calls()).containsExactly("info", "watch", "list", "unwatch");
        assertThat(cache.isPresent()).isFalse();
    }

    @Test
    void connection_lostRepeatedly_isRetriedWithBackOff() {
        connect();
        for (int wait : List.of(200, 400, 800, 1600)) {
            listeners.get(listeners.size() - 1).onStreamEnded(connectionRefused);
            calls.clear();
            pass(Duration.ofMillis(wait - 1));
            assertThat(calls()).isEmpty();
            pass(Duration.ofMillis(1));
            assertThat(calls()).containsExactly("info", "watch", "list");
        }

        sendEvent(RUNNING.id());
        settle();
        listeners.get(listeners.size() - 1).onStreamEnded(connectionRefused);
        calls.clear();
        pass(Duration.ofMillis(200));
        assertThat(calls()).containsExactly("info", "watch", "list");
    }

    @Test
    void list_containerWithoutTimes_isInspected() {
        ContainerFacts summary = withoutTimes(RUNNING);
        listed = List.of(summary);
        watcher.start();
        settle();
        assertThat(calls()).containsExactly("info", "watch", "list", "inspect " + RUNNING.id());
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(RUNNING);

        requeued.clear();
        failing.put("inspect " + RUNNING.id(), slow);
        pass(Duration.ofMinutes(5));
        assertThat(requeued).isEmpty();
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(RUNNING);

        listed = List.of(withoutTimes(ENDED));
        pass(Duration.ofMinutes(5));
        assertThat(requeued).containsExactly(POD);
        assertThat(cache.cachedPod("uid-p").of("c").get(0).state()).isEqualTo(State.EXITED);
    }

    private static ContainerFacts withoutTimes(ContainerFacts facts) {
        return new ContainerFacts(
                facts.id(),
                facts.name(),
                facts.image(),
                facts.imageId(),
                facts.labels(),
                facts.state(),
                facts.created(),
                Optional.empty(),
                Optional.empty(),
                facts.exitCode(),
                false,
                "",
                "");
    }

    @Test
    void close_duringList_listenerIsNotCalled() {
        during.put("list", watcher::close);
        watcher.start();
        settle();
        pass(Duration.ofMinutes(10));
        assertThat(calls()).containsExactly("info", "watch", "list", "unwatch");
        assertThat(states).isEmpty();
        assertThat(requeued).isEmpty();
        listeners.get(0).onStreamEnded(connectionRefused);
        listeners.get(0).onEvent(RUNNING.id());
        settle();
        assertThat(calls()).isEmpty();
        assertThat(states).isEmpty();
    }

    @Test
    void close_duringWatch_closesEventStream() {
        during.put("watch", watcher::close);
        watcher.start();
        settle();
        assertThat(calls()).containsExactly("info", "watch", "unwatch");
    }

    @Test
    void close_engineAbsent_stopsRetries() {
        failing.put("info", connectionRefused);
        watcher.start();
        settle();
        watcher.close();
        pass(Duration.ofMinutes(10));
        assertThat(calls()).containsExactly("info");
    }

    @Test
    void interruptedCall_isRetriedWithoutStateChange() {
        interrupting.add("info");
        watcher.start();
        settle();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(states).isEmpty();
        pass(Duration.ofMillis(200));
        assertThat(states).containsExactly("present");

        interrupting.add("inspect " + RUNNING.id());
        inspected = Optional.of(ENDED);
        sendEvent(RUNNING.id());
        settle();
        assertThat(Thread.interrupted()).isTrue();
        pass(Duration.ofMillis(200));
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(ENDED);
        assertThat(states).containsExactly("present");
    }
}
