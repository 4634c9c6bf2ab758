package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.ConditionPoller;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the life cycle of containers on a real engine. */
class DockerContainersTest {
    private final DockerFixture docker = new DockerFixture();
    private final DockerRuntime runtime = docker.runtime;

    @AfterEach
    void cleanUp() throws Exception {
        docker.close();
    }

    @Test
    void info_reportsNameVersionsAndStorage() throws Exception {
        var info = runtime.info();

        assertThat(info.name()).isEqualTo("docker");
        assertThat(info.version()).matches("\\d+\\.\\d+\\..*");
        assertThat(info.apiVersion()).matches("1\\.\\d+");
        assertThat(info.storage()).isNotEmpty();
        assertThat(PauseProgram.of(runtime.architecture())).isPresent();
    }

    @Test
    void container_createdThenExits_reportsEachState() throws Exception {
        String id = docker.created(docker.spec("lifecycle").shell("exit 3"));
        ContainerFacts made = docker.facts(id);
        assertThat(made.state()).isEqualTo(State.CREATED);
        assertThat(made.id()).isEqualTo(id);
        assertThat(made.name()).isEqualTo(docker.name("lifecycle"));
        assertThat(made.image()).isEqualTo("busybox:latest");
        assertThat(made.imageId())
                .isEqualTo(runtime.image("busybox:latest").orElseThrow().id());
        assertThat(made.labels())
                .containsEntry(ContainerLabels.INSTANCE, docker.instance)
                .containsEntry("part", "lifecycle");
        assertThat(made.started()).isEmpty();
        assertThat(made.finished()).isEmpty();

        runtime.start(id);
        ContainerFacts ended = docker.await(id);

        assertThat(ended.state()).isEqualTo(State.EXITED);
        assertThat(ended.exitCode()).isEqualTo(3);
        assertThat(ended.oomKilled()).isFalse();
        assertThat(ended.error()).isEmpty();
        assertThat(ended.started().orElseThrow()).isAfter(made.created());
        // Not compared with its start: the engine may record the end of a short process before its start.
        assertThat(ended.finished().orElseThrow()).isAfter(made.created());
    }

    @Test
    void createStartStopRemove_repeated_areIdempotent() throws Exception {
        SpecBuilder spec = docker.spec("twice").shell("sleep 1000");
        String id = docker.created(spec);
        assertThat(docker.created(spec)).isEqualTo(id);

        runtime.start(id);
        ContainerFacts first = docker.facts(id);
        runtime.start(id);
        assertThat(docker.facts(id)).isEqualTo(first);
        assertThat(docker.created(spec)).isEqualTo(id);

        runtime.stop(id, Duration.ZERO);
        runtime.stop(id, Duration.ZERO);
        assertThat(docker.facts(id).state()).isEqualTo(State.EXITED);

        runtime.remove(id);
        runtime.remove(id);
        runtime.stop(id, Duration.ZERO);
        assertThat(runtime.inspect(id)).isEmpty();
    }

    @Test
    void create_nameOfAnotherContainer_isConflict() throws Exception {
        SpecBuilder mine = docker.spec("taken");
        String id = docker.created(mine);

        EngineException refusal = refusal(() -> docker.created(new SpecBuilder(
                docker.name("taken"), Map.of(ContainerLabels.INSTANCE, docker.instance, "part", "other"))));

        assertThat(refusal.kind()).isEqualTo(Kind.CONFLICT);
        assertThat(refusal).hasMessageContaining(docker.name("taken")).hasMessageContaining(id);
    }

    @Test
    void create_concurrently_makesOneContainer() throws Exception {
        SpecBuilder spec = docker.spec("many").shell("true");

        List<String> ids = java.util.stream.IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> {
                    try {
                        return docker.created(spec);
                    } catch (EngineException | InterruptedException e) {
                        throw new AssertionError(e);
                    }
                })
                .distinct()
                .toList();

        assertThat(ids).hasSize(1);
    }

    @Test
    void start_unknownCommand_keepsTheEngineMessage() throws Exception {
        String id = docker.created(docker.spec("nocommand").command("no-such-command"));

        EngineException refusal = refusal(() -> runtime.start(id));

        assertThat(refusal.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refusal.getMessage())
                .contains("exec: \"no-such-command\": executable file not found in $PATH")
                .doesNotContain("\n", "{", "Status");
        ContainerFacts facts = docker.facts(id);
        assertThat(facts.state()).isEqualTo(State.CREATED);
        assertThat(facts.error()).contains("executable file not found in $PATH");
        assertThat(facts.exitCode()).isZero();
    }

    @Test
    void containerOrImage_missing_isNotFound() {
        assertThat(refusal(() -> runtime.start("docker-test-missing")).kind()).isEqualTo(Kind.NOT_FOUND);
        EngineException noImage =
                refusal(() -> docker.created(docker.spec("noimage").image("mooring.test/nothing:1")));
        assertThat(noImage.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(noImage).hasMessage("No such image: mooring.test/nothing:1");
        assertThatThrownBy(() -> runtime.inspect("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> runtime.remove("../images/busybox")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void stop_containerHandlesSigterm_exitsGracefully() throws Exception {
        String id = docker.running(
                docker.spec("grace").shell("trap 'exit 7' TERM; echo ready; while true; do sleep 0.05; done"));
        awaitReady(id);

        runtime.stop(id, DockerFixture.DEADLINE);

        ContainerFacts ended = docker.facts(id);
        assertThat(ended.state()).isEqualTo(State.EXITED);
        assertThat(ended.exitCode()).isEqualTo(7);
    }

    @Test
    void stop_containerIgnoresSigterm_isKilledAfterGracePeriod() throws Exception {
        String id = docker.running(
                docker.spec("stubborn").shell("trap '' TERM; echo ready; while true; do sleep 0.05; done"));
        awaitReady(id);

        runtime.stop(id, Duration.ofMillis(300));

        ContainerFacts ended = docker.facts(id);
        assertThat(ended.exitCode()).isEqualTo(137);
        Duration taken =
                Duration.between(ended.started().orElseThrow(), ended.finished().orElseThrow());
        assertThat(taken).isGreaterThan(Duration.ofSeconds(1)); // fractions round up
    }

    @Test
    void remove_runningContainer_removesIt() throws Exception {
        String id = docker.running(docker.spec("removed").shell("sleep 1000"));

        runtime.remove(id);

        assertThat(runtime.inspect(id)).isEmpty();
        assertThat(runtime.list(docker.instance)).isEmpty();
    }

    @Test
    void remove_concurrently_removesTheContainer() throws Exception {
        String id = docker.running(docker.spec("gone").shell("sleep 1000"));

        java.util.stream.IntStream.range(0, 6).parallel().forEach(i -> {
            try {
                runtime.remove(id);
                assertThat(runtime.inspect(id)).isEmpty();
            } catch (EngineException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void container_exceedsMemoryLimit_isReportedAsOomKilled() throws Exception {
        OptionalLong memory = OptionalLong.of(16 << 20);
        var limited = new dev.mooring.runtime.ContainerSpec.ContainerResources(
                OptionalLong.of(500_000_000),
                OptionalLong.of(2),
                memory,
                OptionalLong.empty(),
                OptionalInt.of(500),
                OptionalLong.empty());

        // The engine's event may come after the end of the container, and Docker 20.10 loses a few of them.
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        String id = "";
        boolean reported = false;
        try (AutoCloseable subscription = runtime.watchEvents(docker.instance, listener(events))) {
            for (int attempt = 0; attempt < 5 && !reported; attempt++) {
                id = docker.running(docker.spec("oom" + attempt)
                        .shell("exec tail /dev/zero")
                        .resources(limited));
                ContainerFacts ended = docker.await(id);
                assertThat(ended.exitCode()).isEqualTo(137);
                reported = ended.oomKilled();
                while (!reported && events.poll(5, TimeUnit.SECONDS) != null) {
                    reported = docker.facts(id).oomKilled();
                }
            }
        }
        assertThat(reported).isTrue();
        var host = docker.raw(DockerRequest.get(DockerRequest.container(id) + "/json"))
                .json()
                .path("HostConfig");
        assertThat(host.path("MemorySwap").asLong()).isEqualTo(16 << 20);
        assertThat(host.path("CpuQuota").asLong()).isEqualTo(50_000);
        assertThat(host.path("CpuShares").asLong()).isEqualTo(2);
        assertThat(host.path("OomScoreAdj").asInt()).isEqualTo(500);
    }

    private static ContainerRuntime.EventListener listener(BlockingQueue<String> events) {
        return new ContainerRuntime.EventListener() {
            @Override
            public void onEvent(String id) {
                events.add(id);
            }

            @Override
            public void onStreamEnded(EngineException why) {}
        };
    }

    @Test
    void container_pidsLimit_isSetInItsCgroup() throws Exception {
        var limited = new dev.mooring.runtime.ContainerSpec.ContainerResources(
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.of(77),
                OptionalInt.empty(),
                OptionalLong.empty());

        String output = docker.output(docker.spec("pids")
                .shell("cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null")
                .resources(limited));

        assertThat(output).isEqualTo("77\n");
    }

    @Test
    void list_returnsOnlyContainersOfTheInstance() throws Exception {
        for (int i = 0; i < 9; i++) {
            docker.created(docker.spec("listed" + i));
        }
        try (DockerFixture other = new DockerFixture()) {
            other.created(other.spec("foreign"));

            assertThat(runtime.list(docker.instance))
                    .hasSize(9)
                    .allSatisfy(facts -> assertThat(facts.identity().instance()).isEqualTo(docker.instance))
                    .extracting(ContainerFacts::name)
                    .doesNotHaveDuplicates();
            assertThat(runtime.list(other.instance)).hasSize(1);
        }
        assertThat(runtime.list("docker-test-missing")).isEmpty();
    }

    @Test
    void container_commandArgsAndEnvironment_followKubernetes() throws Exception {
        // busybox has no entrypoint, and sh as its command
        assertThat(docker.output(docker.spec("args").args("echo", "only", "args")))
                .isEqualTo("only args\n");
        assertThat(docker.output(docker.spec("both").command("echo", "command").args("args")))
                .isEqualTo("command args\n");
        assertThat(docker.output(docker.spec("command").command("echo", "command")))
                .isEqualTo("command\n");
        assertThat(docker.output(docker.spec("env")
                        .shell("pwd; echo \"$A|$B\"")
                        .environment("A", "x=y \"z\"")
                        .environment("B", "")
                        .workingDirectory("/tmp")))
                .isEqualTo("/tmp\nx=y \"z\"|\n");
    }

    @Test
    void warmUp_repeated_hasNoEffectOnContainers() throws Exception {
        runtime.warmUp();
        runtime.warmUp();

        assertThat(docker.output(docker.spec("warm").shell("echo warm"))).isEqualTo("warm\n");
    }

    private void awaitReady(String id) throws Exception {
        ConditionPoller.until(() -> docker.logs(id).contains("ready"));
    }

    private static EngineException refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(EngineException.class, call);
    }
}
