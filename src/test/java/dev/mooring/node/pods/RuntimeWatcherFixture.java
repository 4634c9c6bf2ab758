package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Runs a {@link RuntimeWatcher} in virtual time and without threads; a task that the test does not run stands for a
 * hanging call.
 */
abstract class RuntimeWatcherFixture {
    static final ContainerFacts RUNNING =
            ContainerFactsFixture.container("c", 0, State.RUNNING, ContainerFactsFixture.START);
    static final ContainerFacts ENDED = ContainerFactsFixture.ended("c", 0, 1, ContainerFactsFixture.START);
    final EngineException connectionRefused = new EngineException(Kind.UNREACHABLE, "connection refused");
    final EngineException slow = new EngineException(Kind.TOO_SLOW, "too slow");
    final EngineException broken = new EngineException(Kind.FAILED, "broken");
    static final ObjectKey POD = ObjectKey.parse("pods/default/p");

    final Deque<Runnable> threads = new ArrayDeque<>();
    final TestScheduler timers = new TestScheduler();
    final List<String> calls = new ArrayList<>();
    final List<String> states = new ArrayList<>();
    final List<ObjectKey> requeued = new ArrayList<>();
    final List<ContainerRuntime.EventListener> listeners = new ArrayList<>();
    final Map<String, EngineException> failing = new HashMap<>();
    final Map<String, Runnable> during = new HashMap<>();
    final Set<String> interrupting = new HashSet<>();
    Optional<ContainerFacts> inspected = Optional.of(RUNNING);
    List<ContainerFacts> listed = List.of(RUNNING);
    final ContainerCache cache = new ContainerCache(() -> true);
    final RuntimeWatcher watcher;

    RuntimeWatcherFixture() {
        PodRequeue requeue = new PodRequeue();
        requeue.setTarget(requeued::add);
        ContainerRuntime runtime = (ContainerRuntime) Proxy.newProxyInstance(
                ContainerRuntime.class.getClassLoader(),
                new Class<?>[] {ContainerRuntime.class},
                (proxy, method, arguments) -> {
                    try {
                        return RuntimeCalls.class
                                .getMethod(method.getName(), method.getParameterTypes())
                                .invoke(new ScriptedRuntime(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        WorkContext context = new WorkContext(null, Clock.systemUTC(), timers, threads::add);
        watcher = new RuntimeWatcher(runtime, "i", cache, requeue, context, this::addState);
    }

    private void addState(RuntimeWatcher.State state) {
        states.add(state instanceof RuntimeWatcher.State.Absent absent ? "absent: " + absent.reason() : "present");
    }

    /** The calls of the watcher to the engine. */
    public interface RuntimeCalls {
        ContainerRuntime.EngineInfo info() throws EngineException, InterruptedException;

        List<ContainerFacts> list(String instance) throws EngineException, InterruptedException;

        Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException;

        AutoCloseable watchEvents(String instance, ContainerRuntime.EventListener listener)
                throws EngineException, InterruptedException;
    }

    private final class ScriptedRuntime implements RuntimeCalls {
        private void recordCall(String call) throws EngineException, InterruptedException {
            calls.add(call);
            Runnable action = during.remove(call);
            if (action != null) {
                action.run();
            }
            if (interrupting.remove(call)) {
                throw new InterruptedException();
            }
            if (failing.containsKey(call)) {
                throw failing.get(call);
            }
        }

        @Override
        public ContainerRuntime.EngineInfo info() throws EngineException, InterruptedException {
            recordCall("info");
            return new ContainerRuntime.EngineInfo("fake", "1", "1", "memory");
        }

        @Override
        public List<ContainerFacts> list(String instance) throws EngineException, InterruptedException {
            recordCall("list");
            return listed;
        }

        @Override
        public Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException {
            recordCall("inspect " + id);
            return inspected;
        }

        @Override
        public AutoCloseable watchEvents(String instance, ContainerRuntime.EventListener listener)
                throws EngineException, InterruptedException {
            recordCall("watch");
            listeners.add(listener);
            return () -> calls.add("unwatch");
        }
    }

    RuntimeWatcherFixture settle() {
        while (!threads.isEmpty()) {
            threads.poll().run();
        }
        return this;
    }

    void pass(Duration time) {
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
        settle();
    }

    List<String> calls() {
        List<String> result = List.copyOf(calls);
        calls.clear();
        return result;
    }

    void connect() {
        watcher.start();
        settle();
        assertThat(calls()).containsExactly("info", "watch", "list");
        assertThat(states).containsExactly("present");
        states.clear();
        requeued.clear();
    }

    void sendEvent(String id) {
        listeners.get(listeners.size() - 1).onEvent(id);
    }
}
