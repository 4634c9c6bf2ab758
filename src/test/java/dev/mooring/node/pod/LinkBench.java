package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.EngineInfo;
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

/** A link in virtual time and without threads: a question that is not let happen hangs. */
abstract class LinkBench {
    static final ContainerFacts RUNNING = Facts.container("c", 0, State.RUNNING, Facts.START);
    static final ContainerFacts ENDED = Facts.ended("c", 0, 1, Facts.START);
    final EngineException gone = new EngineException(Kind.UNREACHABLE, "connection refused");
    final EngineException slow = new EngineException(Kind.TOO_SLOW, "too slow");
    final EngineException broken = new EngineException(Kind.FAILED, "broken");
    static final ObjectKey POD = ObjectKey.parse("pods/default/p");

    final Deque<Runnable> threads = new ArrayDeque<>();
    final TestScheduler timers = new TestScheduler();
    final List<String> asked = new ArrayList<>();
    final List<String> told = new ArrayList<>();
    final List<ObjectKey> woken = new ArrayList<>();
    final List<ContainerRuntime.Follower> followers = new ArrayList<>();
    final Map<String, EngineException> failing = new HashMap<>();
    final Map<String, Runnable> during = new HashMap<>();
    final Set<String> interrupting = new HashSet<>();
    Optional<ContainerFacts> has = Optional.of(RUNNING);
    List<ContainerFacts> listed = List.of(RUNNING);
    final ContainerBook book = new ContainerBook(() -> true);
    final EngineLink link;

    LinkBench() {
        PodWakes wakes = new PodWakes();
        wakes.lead(woken::add);
        ContainerRuntime runtime = (ContainerRuntime) Proxy.newProxyInstance(
                ContainerRuntime.class.getClassLoader(),
                new Class<?>[] {ContainerRuntime.class},
                (proxy, method, arguments) -> {
                    try {
                        return Asked.class
                                .getMethod(method.getName(), method.getParameterTypes())
                                .invoke(new Scripted(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        WorkParts parts = new WorkParts(null, Clock.systemUTC(), timers, threads::add);
        link = new EngineLink(runtime, "i", book, wakes, parts, this::tell);
    }

    private void tell(EngineLink.State state) {
        told.add(state instanceof EngineLink.State.Absent absent ? "absent: " + absent.why() : "present");
    }

    /** What is asked of the engine. */
    public interface Asked {
        EngineInfo info() throws EngineException, InterruptedException;

        List<ContainerFacts> list(String instance) throws EngineException, InterruptedException;

        Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException;

        AutoCloseable follow(String instance, ContainerRuntime.Follower follower)
                throws EngineException, InterruptedException;
    }

    private final class Scripted implements Asked {
        private void ask(String question) throws EngineException, InterruptedException {
            asked.add(question);
            Runnable meanwhile = during.remove(question);
            if (meanwhile != null) {
                meanwhile.run();
            }
            if (interrupting.remove(question)) {
                throw new InterruptedException();
            }
            if (failing.containsKey(question)) {
                throw failing.get(question);
            }
        }

        @Override
        public EngineInfo info() throws EngineException, InterruptedException {
            ask("info");
            return new EngineInfo("fake", "1", "1", "memory");
        }

        @Override
        public List<ContainerFacts> list(String instance) throws EngineException, InterruptedException {
            ask("list");
            return listed;
        }

        @Override
        public Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException {
            ask("inspect " + id);
            return has;
        }

        @Override
        public AutoCloseable follow(String instance, ContainerRuntime.Follower follower)
                throws EngineException, InterruptedException {
            ask("follow");
            followers.add(follower);
            return () -> asked.add("unfollow");
        }
    }

    LinkBench settle() {
        while (!threads.isEmpty()) {
            threads.poll().run();
        }
        return this;
    }

    void pass(Duration time) {
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
        settle();
    }

    List<String> asked() {
        List<String> since = List.copyOf(asked);
        asked.clear();
        return since;
    }

    void up() {
        link.start();
        settle();
        assertThat(asked()).containsExactly("info", "follow", "list");
        assertThat(told).containsExactly("present");
        told.clear();
        woken.clear();
    }

    void happens(String id) {
        followers.get(followers.size() - 1).happened(id);
    }
}
