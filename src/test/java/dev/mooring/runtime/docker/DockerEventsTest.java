package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime.Follower;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.Patience;
import dev.mooring.testing.RealEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Events of a real engine, and connections to it that break, stay silent or cannot be made. */
@Timeout(120)
class DockerEventsTest {
    private final Quay quay = new Quay();

    @AfterEach
    void cleanUp() throws Exception {
        quay.close();
    }

    @Test
    void tellsWhatHappensToItsContainersOnly() throws Exception {
        Told told = new Told();
        try (Quay other = new Quay();
                AutoCloseable following = quay.runtime.follow(quay.instance, told)) {
            other.created(other.spec("foreign"));
            String id = quay.created(quay.spec("told").shell("true"));
            assertThat(told.next()).isEqualTo(id);
            quay.runtime.start(id);
            assertThat(told.next()).isEqualTo(id); // started
            assertThat(told.next()).isEqualTo(id); // ended
            quay.runtime.remove(id);
            assertThat(told.next()).isEqualTo(id);
            assertThat(told.happened).isEmpty();
        }
        assertThat(told.ended).isEmpty();
    }

    @Test
    void whatHappensAtOnceAfterwardsIsNeverMissed() throws Exception {
        for (int i = 0; i < 5; i++) {
            Told told = new Told();
            AutoCloseable following = quay.runtime.follow(quay.instance, told);
            String id = quay.created(quay.spec("quick" + i));

            while (!told.next().equals(id)) {
                // what happened within the same second before
            }
            following.close();
        }
    }

    @Test
    void aFollowerThatFailsIsToldOn() throws Exception {
        BlockingQueue<String> happened = new LinkedBlockingQueue<>();
        Follower failing = new Follower() {
            @Override
            public void happened(String id) {
                happened.add(id);
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void ended(EngineException why) {}
        };
        try (AutoCloseable following = quay.runtime.follow(quay.instance, failing)) {
            quay.created(quay.spec("one"));
            quay.created(quay.spec("two"));
            assertThat(happened.poll(30, TimeUnit.SECONDS)).isNotNull();
            assertThat(happened.poll(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void tellsOnceThatTheEngineIsGoneAndGoesOnWhenItIsBack(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofSeconds(30))) {
            Told told = new Told();
            runtime.follow(quay.instance, told);
            runtime.list(quay.instance);
            runtime.warmUp();
            proxy.breakAll();

            assertThat(told.end().kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(told.ended.get(0)).hasMessageContaining(proxy.host()).hasMessageContaining("was lost");
            // All connections that were kept are dead: none of the calls shows it.
            String id = runtime.create(quay.spec("back").shell("sleep 1000").spec());
            runtime.start(id);
            assertThat(runtime.list(quay.instance)).hasSize(1);
            proxy.breakAll();
            runtime.stop(id, Duration.ZERO);
            proxy.breakAll();
            runtime.remove(id);
            assertThat(runtime.list(quay.instance)).isEmpty();
            assertThat(told.ended).hasSize(1);
        }
    }

    @Test
    void keepsItsConnections(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofSeconds(30))) {
            for (int i = 0; i < 20; i++) {
                runtime.info();
                runtime.list(quay.instance);
                assertThat(runtime.inspect("docker-test-nobody")).isEmpty();
            }
            assertThat(proxy.accepted()).isEqualTo(1);
        }
    }

    @Test
    void closingIsNoEndToBeTold(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofSeconds(30))) {
            Told told = new Told();
            runtime.follow(quay.instance, told).close();
            proxy.breakAll();
            assertThat(runtime.info().name()).isEqualTo("docker");
            assertThat(told.ended).isEmpty();
        }
    }

    @Test
    void anEngineThatSaysNothingIsTooSlow(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofMillis(200))) {
            proxy.keepSilent();

            EngineException slow = catchThrowableOfType(EngineException.class, () -> runtime.inspect("some"));

            assertThat(slow.kind()).isEqualTo(Kind.TOO_SLOW);
            assertThat(slow)
                    .hasMessage("the Docker daemon at " + proxy.host()
                            + " did not answer GET /containers/some/json within 0.2 seconds");
        }
    }

    @Test
    void containersThatHangAreListedWithWhatTheListSays(@TempDir Path directory) throws Exception {
        String well = quay.created(quay.spec("well"));
        List<String> hanging = List.of(
                quay.created(quay.spec("made")),
                quay.running(quay.spec("runs").shell("sleep 1000")),
                quay.running(quay.spec("ends").shell("exit 7")));
        quay.await(hanging.get(2));
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofSeconds(60))) {
            hanging.forEach(id -> proxy.lose("/containers/" + id + "/json"));

            Map<String, ContainerFacts> listed = runtime.list(quay.instance).stream()
                    .collect(Collectors.toMap(ContainerFacts::id, Function.identity()));

            assertThat(listed).hasSize(4).containsEntry(well, quay.facts(well));
            for (String id : hanging) {
                ContainerFacts facts = quay.facts(id);
                assertThat(listed.get(id))
                        .isEqualTo(new ContainerFacts(
                                id,
                                facts.name(),
                                facts.image(),
                                facts.imageId(),
                                facts.labels(),
                                facts.state(),
                                facts.created().truncatedTo(ChronoUnit.SECONDS),
                                Optional.empty(),
                                Optional.empty(),
                                facts.exitCode(),
                                false,
                                "",
                                facts.address()));
            }
            assertThat(listed.get(hanging.get(2)).exitCode()).isEqualTo(7);
        }
    }

    @Test
    void waitingForAnEngineCanBeInterrupted(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofMinutes(10))) {
            proxy.keepSilent();
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                assertThatThrownBy(() -> runtime.stop("some", Duration.ofMinutes(10)))
                        .isInstanceOf(InterruptedException.class);
                return true;
            });
            Thread thread = new Thread(task);
            thread.start();
            Patience.until(() -> proxy.accepted() > 0);
            thread.interrupt();
            assertThat(task.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void anEngineThatIsNotThereIsSaidSoAtOnce(@TempDir Path directory) throws Exception {
        String host = "unix://" + directory.resolve("nobody.sock");
        try (DockerRuntime runtime =
                DockerRuntime.connect(new DockerSettings(host, Optional.empty(), Duration.ofMinutes(10)))) {
            runtime.warmUp();
            for (int i = 0; i < 3; i++) {
                EngineException absent = catchThrowableOfType(EngineException.class, runtime::info);
                assertThat(absent.kind()).isEqualTo(Kind.UNREACHABLE);
                assertThat(absent)
                        .hasMessage("cannot connect to the Docker daemon at " + host
                                + ": No such file or directory. Is the docker daemon running?");
            }
            assertThat(catchThrowableOfType(EngineException.class, () -> runtime.follow("x", new Told()))
                            .kind())
                    .isEqualTo(Kind.UNREACHABLE);
        }
    }

    @Test
    void nothingIsAskedAfterClosing() {
        DockerRuntime runtime = DockerRuntime.connect(quay.settings);
        runtime.close();

        assertThat(catchThrowableOfType(EngineException.class, runtime::info).kind())
                .isEqualTo(Kind.UNREACHABLE);
    }

    private static SocketProxy proxy(Path directory) throws Exception {
        return new SocketProxy(directory.resolve("p.sock"), RealEngine.shared().socket());
    }

    private static DockerRuntime through(SocketProxy proxy, Duration deadline) {
        return DockerRuntime.connect(new DockerSettings(proxy.host(), Optional.empty(), deadline));
    }

    private static final class Told implements Follower {
        private final BlockingQueue<String> happened = new LinkedBlockingQueue<>();
        private final BlockingQueue<EngineException> ends = new LinkedBlockingQueue<>();
        private final List<EngineException> ended = new CopyOnWriteArrayList<>();

        @Override
        public void happened(String id) {
            happened.add(id);
        }

        @Override
        public void ended(EngineException why) {
            ended.add(why);
            ends.add(why);
        }

        String next() throws InterruptedException {
            return Optional.ofNullable(happened.poll(30, TimeUnit.SECONDS)).orElseThrow();
        }

        EngineException end() throws InterruptedException {
            return Optional.ofNullable(ends.poll(30, TimeUnit.SECONDS)).orElseThrow();
        }
    }
}
