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

/** An engine that answers as it is told to, and a link on real threads. Nobody waits longer than until the next thing has happened. */
@Timeout(60)
class EngineLinkTest {
    private static final ContainerFacts RUNNING = Facts.container("c", 0, State.RUNNING, Facts.START);
    private static final ContainerFacts ENDED = Facts.ended("c", 0, 1, Facts.START);
    private static final ObjectKey POD = ObjectKey.parse("pods/default/p");

    /** What is asked of the engine. */
    public interface Asked {
        EngineInfo info() throws EngineException;

        List<ContainerFacts> list(String instance) throws EngineException;

        Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException;

        AutoCloseable follow(String instance, ContainerRuntime.Follower follower) throws EngineException;
    }

    private final class Scripted implements Asked {
        private volatile Optional<EngineException> away = Optional.empty();
        private volatile Optional<EngineException> blind = Optional.empty();
        private volatile Optional<ContainerFacts> has = Optional.of(RUNNING);
        private volatile ContainerRuntime.Follower follower;
        private final Map<String, CountDownLatch> hanging = new ConcurrentHashMap<>();

        @Override
        public EngineInfo info() throws EngineException {
            asked.add("info");
            if (away.isPresent()) {
                throw away.get();
            }
            return new EngineInfo("fake", "1", "1", "memory");
        }

        @Override
        public List<ContainerFacts> list(String instance) {
            asked.add("list " + instance);
            return has.stream().toList();
        }

        @Override
        public Optional<ContainerFacts> inspect(String id) throws EngineException, InterruptedException {
            asked.add("inspect " + id);
            CountDownLatch end = hanging.get(id);
            if (end != null) {
                end.await();
                throw new EngineException(Kind.TOO_SLOW, "too slow");
            }
            if (blind.isPresent()) {
                throw blind.get();
            }
            return has;
        }

        @Override
        public AutoCloseable follow(String instance, ContainerRuntime.Follower told) {
            asked.add("follow " + instance);
            follower = told;
            return () -> asked.add("unfollow");
        }
    }

    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private final BlockingQueue<EngineLink.State> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<ObjectKey> woken = new LinkedBlockingQueue<>();
    private final Scripted engine = new Scripted();
    private final ContainerBook book = new ContainerBook(() -> true);
    private final ExecutorService threads = WorkParts.newThreads();
    private final EngineLink link;

    EngineLinkTest() {
        PodWakes wakes = new PodWakes();
        wakes.lead(woken::add);
        WorkParts parts = new WorkParts(null, Clock.systemUTC(), Schedulers.computation(), threads);
        link = new EngineLink(runtime(engine), "i", book, wakes, parts, told::add);
    }

    private static ContainerRuntime runtime(Asked asked) {
        return (ContainerRuntime) Proxy.newProxyInstance(
                ContainerRuntime.class.getClassLoader(),
                new Class<?>[] {ContainerRuntime.class},
                (proxy, method, arguments) -> {
                    try {
                        return Asked.class
                                .getMethod(method.getName(), method.getParameterTypes())
                                .invoke(asked, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        link.close();
        threads.shutdownNow();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(30, TimeUnit.SECONDS);
        assertThat(next).as("something happens").isNotNull();
        return next;
    }

    private void isUp() throws InterruptedException {
        assertThat(next(told)).isInstanceOf(EngineLink.State.Present.class);
        assertThat(next(woken)).isEqualTo(PodWakes.EVERYTHING);
    }

    private static EngineException gone() {
        return new EngineException(Kind.UNREACHABLE, "connection refused");
    }

    @Test
    void followsBeforeItListsSoThatNothingIsMissed() throws InterruptedException {
        link.start();
        isUp();

        assertThat(List.of(next(asked), next(asked), next(asked))).containsExactly("info", "follow i", "list i");
        assertThat(book.isPresent()).isTrue();
        assertThat(book.page("uid-p").of("c")).containsExactly(RUNNING);
    }

    @Test
    void looksAtWhatHappensAndWakesItsPod() throws InterruptedException {
        link.start();
        isUp();

        engine.has = Optional.of(ENDED);
        engine.follower.happened(RUNNING.id());
        assertThat(next(woken)).isEqualTo(POD);
        assertThat(book.page("uid-p").of("c")).containsExactly(ENDED);

        engine.has = Optional.empty();
        engine.follower.happened(RUNNING.id());
        assertThat(next(woken)).isEqualTo(POD);
        assertThat(book.isEmpty()).isTrue();
    }

    @Test
    void absenceIsToldOnceAndTriedUntilItIsOver() throws InterruptedException {
        engine.away = Optional.of(gone());
        link.start();
        assertThat(next(told)).isEqualTo(new EngineLink.State.Absent("connection refused"));
        assertThat(next(woken)).isEqualTo(PodWakes.EVERYTHING);
        for (int i = 0; i < 3; i++) {
            assertThat(next(asked)).isEqualTo("info");
        }

        engine.away = Optional.empty();

        isUp();
        assertThat(told).isEmpty();
        assertThat(woken).isEmpty();
    }

    @Test
    void whenTheEngineGoesWhatWasKnownStaysAndEverythingIsListedAnew() throws InterruptedException {
        link.start();
        isUp();
        asked.clear();

        engine.away = Optional.of(gone());
        engine.follower.ended(gone());
        assertThat(next(told)).isEqualTo(new EngineLink.State.Absent("connection refused"));
        assertThat(next(woken)).isEqualTo(PodWakes.EVERYTHING);
        assertThat(book.isPresent()).isFalse();
        assertThat(book.mayRun("uid-p")).isTrue();
        assertThat(next(asked)).isEqualTo("unfollow");

        engine.has = Optional.empty();
        engine.away = Optional.empty();
        isUp();
        assertThat(book.isPresent()).isTrue();
        assertThat(book.mayRun("uid-p")).isFalse();
        List<String> since = new ArrayList<>();
        asked.drainTo(since);
        assertThat(since).endsWith("info", "follow i", "list i");
    }

    @Test
    void oneContainerThatCannotBeLookedAtIsNoAbsence() throws InterruptedException {
        link.start();
        isUp();
        asked.clear();

        engine.blind = Optional.of(new EngineException(Kind.FAILED, "broken"));
        engine.follower.happened(RUNNING.id());
        assertThat(next(asked)).isEqualTo("inspect " + RUNNING.id());
        engine.blind = Optional.empty();
        engine.has = Optional.of(ENDED);

        // With whatever happens next, at the latest after a while.
        engine.follower.happened("another");
        assertThat(next(woken)).isEqualTo(POD);
        assertThat(book.isPresent()).isTrue();
        assertThat(told).isEmpty();
    }

    @Test
    void aContainerThatIsTooSlowIsNoAbsence() throws InterruptedException {
        link.start();
        isUp();
        asked.clear();

        engine.blind = Optional.of(new EngineException(Kind.TOO_SLOW, "too slow"));
        engine.follower.happened(RUNNING.id());
        assertThat(next(asked)).isEqualTo("inspect " + RUNNING.id());
        assertThat(next(asked)).isEqualTo("inspect " + RUNNING.id());
        engine.has = Optional.of(ENDED);
        engine.blind = Optional.empty();

        assertThat(next(woken)).isEqualTo(POD);
        assertThat(book.page("uid-p").of("c")).containsExactly(ENDED);
        assertThat(book.isPresent()).isTrue();
        assertThat(told).isEmpty();
    }

    @Test
    void aContainerThatCannotBeReachedIsAnAbsence() throws InterruptedException {
        link.start();
        isUp();

        engine.away = Optional.of(gone());
        engine.blind = Optional.of(gone());
        engine.follower.happened(RUNNING.id());

        assertThat(next(told)).isEqualTo(new EngineLink.State.Absent("connection refused"));
        assertThat(book.isPresent()).isFalse();
    }

    @Test
    void aContainerWhoseLookHangsDelaysNoOtherAndIsLookedAtOnceAtATime() throws InterruptedException {
        link.start();
        isUp();
        asked.clear();
        CountDownLatch end = new CountDownLatch(1);
        engine.hanging.put("hung", end);

        engine.follower.happened("hung");
        assertThat(next(asked)).isEqualTo("inspect hung");
        engine.follower.happened("hung");
        engine.has = Optional.of(ENDED);
        engine.follower.happened(RUNNING.id());
        assertThat(next(woken)).isEqualTo(POD);
        assertThat(book.page("uid-p").of("c")).containsExactly(ENDED);
        assertThat(next(asked)).isEqualTo("inspect " + RUNNING.id());
        assertThat(asked).isEmpty();

        engine.has = Optional.empty();
        engine.hanging.clear();
        end.countDown();
        assertThat(next(asked)).isEqualTo("inspect hung");
        assertThat(told).isEmpty();
    }

    @Test
    void endsWhenItIsClosed() throws InterruptedException {
        link.start();
        isUp();
        asked.clear();

        link.close();

        assertThat(next(asked)).isEqualTo("unfollow");
    }
}
