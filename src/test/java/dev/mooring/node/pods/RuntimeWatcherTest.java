package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a {@link RuntimeWatcher} on real threads with a scripted engine. Waits only for the next call or notification.
 */
@Timeout(180)
class RuntimeWatcherTest {
    private static final ContainerFacts RUNNING =
            ContainerFactsFixture.container("c", 0, State.RUNNING, ContainerFactsFixture.START);
    private static final ContainerFacts ENDED = ContainerFactsFixture.ended("c", 0, 1, ContainerFactsFixture.START);
    private static final ObjectKey POD = ObjectKey.parse("pods/default/p");

    /** The calls of the watcher to the engine. */
    public interface RuntimeCalls {
        ContainerRuntime.EngineInfo info() throws EngineException;

        List<ContainerFacts> list(String instance) throws EngineException;

        Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException;

        AutoCloseable watchEvents(String instance, ContainerRuntime.EventListener listener) throws EngineException;
    }

    private final class ScriptedRuntime implements RuntimeCalls {
        private volatile Optional<EngineException> infoFailure = Optional.empty();
        private volatile Optional<EngineException> inspectFailure = Optional.empty();
        private volatile Optional<ContainerFacts> inspected = Optional.of(RUNNING);
        private volatile ContainerRuntime.EventListener listener;
        private final Map<String, CountDownLatch> hanging = new ConcurrentHashMap<>();

        @Override
        public ContainerRuntime.EngineInfo info() throws EngineException {
            calls.add("info");
            throwIfPresent(infoFailure);
            return new ContainerRuntime.EngineInfo("fake", "1", "1", "memory");
        }

        @Override
        public List<ContainerFacts> list(String instance) {
            calls.add("list " + instance);
            return inspected.stream().toList();
        }

        @Override
        public Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException {
            calls.add("inspect " + id);
            CountDownLatch end = hanging.get(id);
            if (end != null) {
                end.await();
                throw new EngineException(Kind.TOO_SLOW, "too slow");
            }
            throwIfPresent(inspectFailure);
            return inspected;
        }

        /** Gets the value of a field that the test may change at the same time. */
        private static void throwIfPresent(Optional<EngineException> failure) throws EngineException {
            if (failure.isPresent()) {
                throw failure.get();
            }
        }

        @Override
        public AutoCloseable watchEvents(String instance, ContainerRuntime.EventListener newListener) {
            calls.add("watch " + instance);
            listener = newListener;
            return () -> calls.add("unwatch");
        }
    }

    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    private final BlockingQueue<RuntimeWatcher.State> states = new LinkedBlockingQueue<>();
    private final BlockingQueue<ObjectKey> requeued = new LinkedBlockingQueue<>();
    private final ScriptedRuntime engine = new ScriptedRuntime();
    private final ContainerCache cache = new ContainerCache(() -> true);
    private final ExecutorService threads = WorkContext.newThreads();
    private final RuntimeWatcher watcher;

    RuntimeWatcherTest() {
        PodRequeue requeue = new PodRequeue();
        requeue.setTarget(requeued::add);
        WorkContext context = new WorkContext(null, Clock.systemUTC(), Schedulers.computation(), threads);
        watcher = new RuntimeWatcher(runtime(engine), "i", cache, requeue, context, states::add);
    }

    private static ContainerRuntime runtime(RuntimeCalls engine) {
        return (ContainerRuntime) Proxy.newProxyInstance(
                ContainerRuntime.class.getClassLoader(),
                new Class<?>[] {ContainerRuntime.class},
                (proxy, method, arguments) -> {
                    try {
                        return RuntimeCalls.class
                                .getMethod(method.getName(), method.getParameterTypes())
                                .invoke(engine, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        watcher.close();
        threads.shutdownNow();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(60, TimeUnit.SECONDS);
        assertThat(next).as("next element within 60 s").isNotNull();
        return next;
    }

    private void awaitConnected() throws InterruptedException {
        assertThat(next(states)).isInstanceOf(RuntimeWatcher.State.Present.class);
        assertThat(next(requeued)).isEqualTo(PodRequeue.ALL_PODS);
    }

    private static EngineException connectionRefused() {
        return new EngineException(Kind.UNREACHABLE, "connection refused");
    }

    @Test
    void start_watchesEventsBeforeListing() throws InterruptedException {
        watcher.start();
        awaitConnected();

        assertThat(List.of(next(calls), next(calls), next(calls))).containsExactly("info", "watch i", "list i");
        assertThat(cache.isPresent()).isTrue();
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(RUNNING);
    }

    @Test
    void event_containerChanged_updatesCacheAndRequeuesPod() throws InterruptedException {
        watcher.start();
        awaitConnected();

        engine.inspected = Optional.of(ENDED);
        engine.listener.onEvent(RUNNING.id());
        assertThat(next(requeued)).isEqualTo(POD);
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(ENDED);

        engine.inspected = Optional.empty();
        engine.listener.onEvent(RUNNING.id());
        assertThat(next(requeued)).isEqualTo(POD);
        assertThat(cache.isEmpty()).isTrue();
    }

    @Test
    void unreachableEngine_isReportedOnceAndRetriedUntilConnected() throws InterruptedException {
        engine.infoFailure = Optional.of(connectionRefused());
        watcher.start();
        assertThat(next(states)).isEqualTo(new RuntimeWatcher.State.Absent("connection refused"));
        assertThat(next(requeued)).isEqualTo(PodRequeue.ALL_PODS);
        for (int i = 0; i < 3; i++) {
            assertThat(next(calls)).isEqualTo("info");
        }

        engine.infoFailure = Optional.empty();

        awaitConnected();
        assertThat(states).isEmpty();
        assertThat(requeued).isEmpty();
    }

    @Test
    void lostConnection_keepsCacheAndListsAgainAfterReconnect() throws InterruptedException {
        watcher.start();
        awaitConnected();
        calls.clear();

        engine.infoFailure = Optional.of(connectionRefused());
        engine.listener.onStreamEnded(connectionRefused());
        assertThat(next(states)).isEqualTo(new RuntimeWatcher.State.Absent("connection refused"));
        assertThat(next(requeued)).isEqualTo(PodRequeue.ALL_PODS);
        assertThat(cache.isPresent()).isFalse();
        assertThat(cache.mayRun("uid-p")).isTrue();
        // The attempts to reconnect do not wait for it.
        String call = next(calls);
        while (call.equals("info")) {
            call = next(calls);
        }
        assertThat(call).isEqualTo("unwatch");

        engine.inspected = Optional.empty();
        engine.infoFailure = Optional.empty();
        awaitConnected();
        assertThat(cache.isPresent()).isTrue();
        assertThat(cache.mayRun("uid-p")).isFalse();
        List<String> remaining = new ArrayList<>();
        calls.drainTo(remaining);
        assertThat(remaining).endsWith("info", "watch i", "list i");
    }

    @Test
    void inspection_fails_engineStaysPresent() throws InterruptedException {
        watcher.start();
        awaitConnected();
        calls.clear();

        engine.inspectFailure = Optional.of(new EngineException(Kind.FAILED, "broken"));
        engine.listener.onEvent(RUNNING.id());
        assertThat(next(calls)).isEqualTo("inspect " + RUNNING.id());
        engine.inspectFailure = Optional.empty();
        engine.inspected = Optional.of(ENDED);

        // The next event retries the inspection; without one, a timer does.
        engine.listener.onEvent("another");
        assertThat(next(requeued)).isEqualTo(POD);
        assertThat(cache.isPresent()).isTrue();
        assertThat(states).isEmpty();
    }

    @Test
    void inspection_tooSlow_isRetriedAndEngineStaysPresent() throws InterruptedException {
        watcher.start();
        awaitConnected();
        calls.clear();

        engine.inspectFailure = Optional.of(new EngineException(Kind.TOO_SLOW, "too slow"));
        engine.listener.onEvent(RUNNING.id());
        assertThat(next(calls)).isEqualTo("inspect " + RUNNING.id());
        assertThat(next(calls)).isEqualTo("inspect " + RUNNING.id());
        engine.inspected = Optional.of(ENDED);
        engine.inspectFailure = Optional.empty();

        assertThat(next(requeued)).isEqualTo(POD);
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(ENDED);
        assertThat(cache.isPresent()).isTrue();
        assertThat(states).isEmpty();
    }

    @Test
    void inspection_engineUnreachable_engineBecomesAbsent() throws InterruptedException {
        watcher.start();
        awaitConnected();

        engine.infoFailure = Optional.of(connectionRefused());
        engine.inspectFailure = Optional.of(connectionRefused());
        engine.listener.onEvent(RUNNING.id());

        assertThat(next(states)).isEqualTo(new RuntimeWatcher.State.Absent("connection refused"));
        assertThat(cache.isPresent()).isFalse();
    }

    @Test
    void inspection_hangs_othersAreNotDelayed() throws InterruptedException {
        watcher.start();
        awaitConnected();
        calls.clear();
        CountDownLatch end = new CountDownLatch(1);
        engine.hanging.put("hung", end);

        engine.listener.onEvent("hung");
        assertThat(next(calls)).isEqualTo("inspect hung");
        engine.listener.onEvent("hung");
        engine.inspected = Optional.of(ENDED);
        engine.listener.onEvent(RUNNING.id());
        assertThat(next(requeued)).isEqualTo(POD);
        assertThat(cache.cachedPod("uid-p").of("c")).containsExactly(ENDED);
        assertThat(next(calls)).isEqualTo("inspect " + RUNNING.id());
        assertThat(calls).isEmpty();

        engine.inspected = Optional.empty();
        engine.hanging.clear();
        end.countDown();
        assertThat(next(calls)).isEqualTo("inspect hung");
        assertThat(states).isEmpty();
    }

    @Test
    void close_closesEventStream() throws InterruptedException {
        watcher.start();
        awaitConnected();
        calls.clear();

        watcher.close();

        assertThat(next(calls)).isEqualTo("unwatch");
    }
}
