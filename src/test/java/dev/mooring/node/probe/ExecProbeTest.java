package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.node.monitor.NodeControllersFixture;
import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.EngineException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests exec probes with a fake engine, in virtual time. */
class ExecProbeTest {
    private final NodeControllersFixture node = new NodeControllersFixture("");
    private final FakeExecRuntime engine = new FakeExecRuntime();
    private final ContainerProber prober = new ContainerProber(engine, node.context());

    private CompletableFuture<Prober.ProbeResult> probe(String container) {
        ObjectNode spec = WorldFixture.objects("{name: c, " + container + "}").get(0);
        ProbeSpec probe = ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow();
        CompletableFuture<Prober.ProbeResult> result =
                prober.probe(new Prober.Target(spec, "id", ""), probe).toCompletableFuture();
        node.settle();
        return result;
    }

    private CompletableFuture<Prober.ProbeResult> probe() {
        return probe("livenessProbe: {timeoutSeconds: 5, exec: {command: [is, \"it\", well]}}");
    }

    @Test
    void execProbe_commandSucceeds_succeeds() {
        CompletableFuture<Prober.ProbeResult> result = probe();
        assertThat(engine.commands).containsExactly("id is it well");
        assertThat(result).isNotDone();

        engine.last().write(Channel.STDOUT, "fine");
        engine.last().exit(0);

        assertThat(result).isCompletedWithValue(Prober.ProbeResult.success());
        assertThat(engine.last().closed).isTrue();
    }

    @Test
    void execProbe_commandFails_failsWithItsOutput() {
        CompletableFuture<Prober.ProbeResult> result = probe();
        engine.last().write(Channel.STDOUT, "it is ");
        engine.last().write(Channel.STDERR, "broken");
        engine.last().exit(3);

        assertThat(result).isCompletedWithValue(Prober.ProbeResult.failure("it is broken"));
    }

    @Test
    void execProbe_longOutput_isTruncated() {
        CompletableFuture<Prober.ProbeResult> result = probe();
        for (int i = 0; i < 100; i++) {
            engine.last().write(Channel.STDOUT, "x".repeat(1000));
        }
        engine.last().exit(1);

        assertThat(result.join().message()).hasSize(10 * 1024);
    }

    @Test
    void execProbe_commandExceedsTimeout_fails() {
        CompletableFuture<Prober.ProbeResult> result = probe();
        node.pass(Duration.ofSeconds(4));
        assertThat(result).isNotDone();

        node.pass(Duration.ofSeconds(1));

        assertThat(result)
                .isCompletedWithValue(
                        Prober.ProbeResult.failure("command timed out: \"is it well\" timed out after 5s"));
    }

    @Test
    void execProbe_tooManyLingeringCommands_startsNoMore() {
        for (int i = 0; i < ExecRunner.MAX_LINGERING; i++) {
            assertThat(probe()).isNotDone();
            node.pass(Duration.ofSeconds(5));
        }
        assertThat(engine.commands).hasSize(ExecRunner.MAX_LINGERING);

        assertThat(probe().join().message()).contains("timed out");
        assertThat(engine.commands).hasSize(ExecRunner.MAX_LINGERING);

        engine.running.get(0).exit(0);
        assertThat(probe()).isNotDone();
        assertThat(engine.commands).hasSize(ExecRunner.MAX_LINGERING + 1);
    }

    @Test
    void execProbes_runWithLimitedConcurrencyAndAllComplete() {
        List<CompletableFuture<Prober.ProbeResult>> results = new ArrayList<>();
        ObjectNode spec = WorldFixture.objects("{name: c, livenessProbe: {exec: {command: [x]}}}")
                .get(0);
        ProbeSpec probe = ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow();
        for (int i = 0; i < 1000; i++) {
            results.add(
                    prober.probe(new Prober.Target(spec, "id" + i, ""), probe).toCompletableFuture());
            assertThat(node.threads).hasSizeLessThanOrEqualTo(16);
        }
        node.settle();
        assertThat(engine.running).hasSize(128);

        for (int i = 0; i < 1000; i++) {
            engine.running.get(i).exit(0);
            node.settle();
        }

        assertThat(results).allMatch(each -> each.join().isSuccess());
    }

    @ParameterizedTest
    @EnumSource
    void execProbe_engineFails_isUnknown(EngineException.Kind kind) {
        engine.execFailure = Optional.of(new EngineException(kind, "message of the engine"));

        Prober.ProbeResult result = probe().join();

        boolean reported = kind == EngineException.Kind.REFUSED || kind == EngineException.Kind.FAILED;
        assertThat(result).isEqualTo(Prober.ProbeResult.unknown(reported ? "message of the engine" : ""));
    }

    @Test
    void execProbe_sessionBreaks_isUnknown() {
        CompletableFuture<Prober.ProbeResult> result = probe();

        engine.last().fail(new EngineException(EngineException.Kind.FAILED, "gone"));

        assertThat(result).isCompletedWithValue(Prober.ProbeResult.unknown("gone"));
    }

    @Test
    void execProbe_variablesInCommand_areExpanded() {
        CompletableFuture<Prober.ProbeResult> result =
                probe("env: [{name: A, value: one}, {name: B, valueFrom: {fieldRef: {}}}],"
                        + " livenessProbe: {exec: {command: [say, \"$(A)$(B)$$(A)$(\", \"$\"]}}");

        assertThat(result).isNotDone();
        assertThat(engine.commands).containsExactly("id say one$(B)$(A)$( $");
    }
}
