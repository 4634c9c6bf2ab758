package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.Labels;
import dev.mooring.testing.Patience;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The life of containers on a real engine. */
class DockerContainersTest {
    private final Quay quay = new Quay();
    private final DockerRuntime runtime = quay.runtime;

    @AfterEach
    void cleanUp() throws Exception {
        quay.close();
    }

    @Test
    void tellsWhoTheEngineIs() throws Exception {
        var info = runtime.info();

        assertThat(info.name()).isEqualTo("docker");
        assertThat(info.version()).matches("\\d+\\.\\d+\\..*");
        assertThat(info.apiVersion()).matches("1\\.\\d+");
        assertThat(info.storage()).isNotEmpty();
        assertThat(PauseProgram.of(runtime.architecture())).isPresent();
    }

    @Test
    void followsAContainerFromItsMakingToItsEnd() throws Exception {
        String id = quay.created(quay.spec("life").shell("exit 3"));
        ContainerFacts made = quay.facts(id);
        assertThat(made.state()).isEqualTo(State.CREATED);
        assertThat(made.id()).isEqualTo(id);
        assertThat(made.name()).isEqualTo(quay.name("life"));
        assertThat(made.image()).isEqualTo("busybox:latest");
        assertThat(made.imageId())
                .isEqualTo(runtime.image("busybox:latest").orElseThrow().id());
        assertThat(made.labels()).containsEntry(Labels.INSTANCE, quay.instance).containsEntry("part", "life");
        assertThat(made.started()).isEmpty();
        assertThat(made.finished()).isEmpty();

        runtime.start(id);
        ContainerFacts ended = quay.await(id);

        assertThat(ended.state()).isEqualTo(State.EXITED);
        assertThat(ended.exitCode()).isEqualTo(3);
        assertThat(ended.outOfMemory()).isFalse();
        assertThat(ended.error()).isEmpty();
        assertThat(ended.started().orElseThrow()).isAfter(made.created());
        // Not after its start: of a process that ends at once, the engine may note the end before the start.
        assertThat(ended.finished().orElseThrow()).isAfter(made.created());
    }

    @Test
    void whatIsDoneTwiceIsDoneOnce() throws Exception {
        SpecBuilder spec = quay.spec("twice").shell("sleep 1000");
        String id = quay.created(spec);
        assertThat(quay.created(spec)).isEqualTo(id);

        runtime.start(id);
        ContainerFacts first = quay.facts(id);
        runtime.start(id);
        assertThat(quay.facts(id)).isEqualTo(first);
        assertThat(quay.created(spec)).isEqualTo(id);

        runtime.stop(id, Duration.ZERO);
        runtime.stop(id, Duration.ZERO);
        assertThat(quay.facts(id).state()).isEqualTo(State.EXITED);

        runtime.remove(id);
        runtime.remove(id);
        runtime.stop(id, Duration.ZERO);
        assertThat(runtime.inspect(id)).isEmpty();
    }

    @Test
    void refusesANameThatIsSomebodyElses() throws Exception {
        SpecBuilder mine = quay.spec("taken");
        String id = quay.created(mine);

        EngineException refusal = refusal(() -> quay.created(
                new SpecBuilder(quay.name("taken"), Map.of(Labels.INSTANCE, quay.instance, "part", "other"))));

        assertThat(refusal.kind()).isEqualTo(Kind.CONFLICT);
        assertThat(refusal).hasMessageContaining(quay.name("taken")).hasMessageContaining(id);
    }

    @Test
    void createdByManyAtOnceItIsOne() throws Exception {
        SpecBuilder spec = quay.spec("many").shell("true");

        List<String> ids = java.util.stream.IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> {
                    try {
                        return quay.created(spec);
                    } catch (EngineException | InterruptedException e) {
                        throw new AssertionError(e);
                    }
                })
                .distinct()
                .toList();

        assertThat(ids).hasSize(1);
    }

    @Test
    void keepsTheEnginesWordsOfAFailedStart() throws Exception {
        String id = quay.created(quay.spec("nocommand").command("no-such-command"));

        EngineException refusal = refusal(() -> runtime.start(id));

        assertThat(refusal.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refusal.getMessage())
                .contains("exec: \"no-such-command\": executable file not found in $PATH")
                .doesNotContain("\n", "{", "Status");
        ContainerFacts facts = quay.facts(id);
        assertThat(facts.state()).isEqualTo(State.CREATED);
        assertThat(facts.error()).contains("executable file not found in $PATH");
        assertThat(facts.exitCode()).isZero();
    }

    @Test
    void saysWhatIsMissing() {
        assertThat(refusal(() -> runtime.start("docker-test-nobody")).kind()).isEqualTo(Kind.NOT_FOUND);
        EngineException noImage =
                refusal(() -> quay.created(quay.spec("noimage").image("mooring.test/nothing:1")));
        assertThat(noImage.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(noImage).hasMessage("No such image: mooring.test/nothing:1");
        assertThatThrownBy(() -> runtime.inspect("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> runtime.remove("../images/busybox")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void letsAContainerEndInItsTime() throws Exception {
        String id = quay.running(
                quay.spec("grace").shell("trap 'exit 7' TERM; echo ready; while true; do sleep 0.05; done"));
        awaitReady(id);

        runtime.stop(id, Duration.ofSeconds(30));

        ContainerFacts ended = quay.facts(id);
        assertThat(ended.state()).isEqualTo(State.EXITED);
        assertThat(ended.exitCode()).isEqualTo(7);
    }

    @Test
    void endsAContainerThatDoesNotWantTo() throws Exception {
        String id =
                quay.running(quay.spec("stubborn").shell("trap '' TERM; echo ready; while true; do sleep 0.05; done"));
        awaitReady(id);

        runtime.stop(id, Duration.ofMillis(300));

        ContainerFacts ended = quay.facts(id);
        assertThat(ended.exitCode()).isEqualTo(137);
        Duration taken =
                Duration.between(ended.started().orElseThrow(), ended.finished().orElseThrow());
        assertThat(taken).isGreaterThan(Duration.ofSeconds(1)); // fractions round up
    }

    @Test
    void removesWhatRunsWithItsVolumes() throws Exception {
        String id = quay.running(quay.spec("removed").shell("sleep 1000"));

        runtime.remove(id);

        assertThat(runtime.inspect(id)).isEmpty();
        assertThat(runtime.list(quay.instance)).isEmpty();
    }

    @Test
    void removedByManyAtOnceItIsGone() throws Exception {
        String id = quay.running(quay.spec("gone").shell("sleep 1000"));

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
    void tellsThatMemoryRanOut() throws Exception {
        OptionalLong memory = OptionalLong.of(16 << 20);
        var limited = new dev.mooring.runtime.ContainerSpec.Resources(
                OptionalLong.of(500_000_000), OptionalLong.of(2), memory, OptionalInt.of(500), OptionalLong.empty());

        String id = quay.running(quay.spec("oom").shell("exec tail /dev/zero").resources(limited));
        ContainerFacts ended = quay.await(id);

        assertThat(ended.exitCode()).isEqualTo(137);
        assertThat(ended.outOfMemory()).isTrue();
        var host = quay.raw(Call.get(Call.container(id) + "/json")).json().path("HostConfig");
        assertThat(host.path("MemorySwap").asLong()).isEqualTo(16 << 20);
        assertThat(host.path("CpuQuota").asLong()).isEqualTo(50_000);
        assertThat(host.path("CpuShares").asLong()).isEqualTo(2);
        assertThat(host.path("OomScoreAdj").asInt()).isEqualTo(500);
    }

    @Test
    void listsAllOfItsOwnAndNoOthers() throws Exception {
        for (int i = 0; i < 9; i++) {
            quay.created(quay.spec("listed" + i));
        }
        try (Quay other = new Quay()) {
            other.created(other.spec("foreign"));

            assertThat(runtime.list(quay.instance))
                    .hasSize(9)
                    .allSatisfy(facts -> assertThat(facts.whose().instance()).isEqualTo(quay.instance))
                    .extracting(ContainerFacts::name)
                    .doesNotHaveDuplicates();
            assertThat(runtime.list(other.instance)).hasSize(1);
        }
        assertThat(runtime.list("docker-test-nobody")).isEmpty();
    }

    @Test
    void commandsArgumentsAndEnvironmentAreAsKubernetesHasThem() throws Exception {
        // busybox has no entrypoint, and sh as its command
        assertThat(quay.output(quay.spec("args").args("echo", "only", "args"))).isEqualTo("only args\n");
        assertThat(quay.output(quay.spec("both").command("echo", "command").args("args")))
                .isEqualTo("command args\n");
        assertThat(quay.output(quay.spec("command").command("echo", "command"))).isEqualTo("command\n");
        assertThat(quay.output(quay.spec("env")
                        .shell("pwd; echo \"$A|$B\"")
                        .environment("A", "x=y \"z\"")
                        .environment("B", "")
                        .workingDirectory("/tmp")))
                .isEqualTo("/tmp\nx=y \"z\"|\n");
    }

    @Test
    void warmingUpWorksAtAnyTime() throws Exception {
        runtime.warmUp();
        runtime.warmUp();

        assertThat(quay.output(quay.spec("warm").shell("echo warm"))).isEqualTo("warm\n");
    }

    private void awaitReady(String id) throws Exception {
        Patience.until(() -> quay.logs(id).contains("ready"));
    }

    private static EngineException refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(EngineException.class, call);
    }
}
