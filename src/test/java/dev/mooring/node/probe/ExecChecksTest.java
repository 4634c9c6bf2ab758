package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Worlds;
import dev.mooring.node.usage.LookoutBench;
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

/** Probes that run a command, with an engine that does what the test says, in virtual time. */
class ExecChecksTest {
    private final LookoutBench node = new LookoutBench("");
    private final FakeExec engine = new FakeExec();
    private final Checks checks = new Checks(engine, node.parts());

    private CompletableFuture<Answer> ask(String container) {
        ObjectNode spec = Worlds.objects("{name: c, " + container + "}").get(0);
        ProbeSpec probe = ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow();
        CompletableFuture<Answer> answer =
                checks.check(new Checker.Target(spec, "id", ""), probe).toCompletableFuture();
        node.settle();
        return answer;
    }

    private CompletableFuture<Answer> ask() {
        return ask("livenessProbe: {timeoutSeconds: 5, exec: {command: [is, \"it\", well]}}");
    }

    @Test
    void succeedsWithTheCommand() {
        CompletableFuture<Answer> answer = ask();
        assertThat(engine.begun).containsExactly("id is it well");
        assertThat(answer).isNotDone();

        engine.last().write(Channel.STDOUT, "fine");
        engine.last().exit(0);

        assertThat(answer).isCompletedWithValue(Answer.success());
        assertThat(engine.last().closed).isTrue();
    }

    @Test
    void failsWithWhatTheCommandWrote() {
        CompletableFuture<Answer> answer = ask();
        engine.last().write(Channel.STDOUT, "it is ");
        engine.last().write(Channel.STDERR, "broken");
        engine.last().exit(3);

        assertThat(answer).isCompletedWithValue(Answer.failure("it is broken"));
    }

    @Test
    void keepsNoMoreThanTheBeginningOfWhatItWrote() {
        CompletableFuture<Answer> answer = ask();
        for (int i = 0; i < 100; i++) {
            engine.last().write(Channel.STDOUT, "x".repeat(1000));
        }
        engine.last().exit(1);

        assertThat(answer.join().text()).hasSize(10 * 1024);
    }

    @Test
    void aCommandThatTakesTooLongHasFailed() {
        CompletableFuture<Answer> answer = ask();
        node.pass(Duration.ofSeconds(4));
        assertThat(answer).isNotDone();

        node.pass(Duration.ofSeconds(1));

        assertThat(answer).isCompletedWithValue(Answer.failure("command timed out: \"is it well\" timed out after 5s"));
    }

    @Test
    void aContainerGetsNoMoreProcessesWhileItsLastOnesDoNotEnd() {
        for (int i = 0; i < Commands.MAX_LINGERING; i++) {
            assertThat(ask()).isNotDone();
            node.pass(Duration.ofSeconds(5));
        }
        assertThat(engine.begun).hasSize(Commands.MAX_LINGERING);

        assertThat(ask().join().text()).contains("timed out");
        assertThat(engine.begun).hasSize(Commands.MAX_LINGERING);

        engine.running.get(0).exit(0);
        assertThat(ask()).isNotDone();
        assertThat(engine.begun).hasSize(Commands.MAX_LINGERING + 1);
    }

    @Test
    void onlySoManyAreBegunAtATimeAndAllOfThemInTheEnd() {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        ObjectNode spec = Worlds.objects("{name: c, livenessProbe: {exec: {command: [x]}}}")
                .get(0);
        ProbeSpec probe = ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow();
        for (int i = 0; i < 1000; i++) {
            answers.add(
                    checks.check(new Checker.Target(spec, "id" + i, ""), probe).toCompletableFuture());
            assertThat(node.threads).hasSizeLessThanOrEqualTo(16);
        }
        node.settle();
        assertThat(engine.running).hasSize(128);

        for (int i = 0; i < 1000; i++) {
            engine.running.get(i).exit(0);
            node.settle();
        }

        assertThat(answers).allMatch(each -> each.join().isSuccess());
    }

    @ParameterizedTest
    @EnumSource
    void whatTheEngineDoesNotDoSaysNothingAboutTheContainer(EngineException.Kind kind) {
        engine.refusal = Optional.of(new EngineException(kind, "the engine's words"));

        Answer answer = ask().join();

        boolean told = kind == EngineException.Kind.REFUSED || kind == EngineException.Kind.FAILED;
        assertThat(answer).isEqualTo(Answer.unknown(told ? "the engine's words" : ""));
    }

    @Test
    void aSessionThatBreaksSaysNothingEither() {
        CompletableFuture<Answer> answer = ask();

        engine.last().breakOff(new EngineException(EngineException.Kind.FAILED, "gone"));

        assertThat(answer).isCompletedWithValue(Answer.unknown("gone"));
    }

    @Test
    void theCommandMayNameWhatTheSpecHasInItsEnvironment() {
        CompletableFuture<Answer> answer = ask("env: [{name: A, value: one}, {name: B, valueFrom: {fieldRef: {}}}],"
                + " livenessProbe: {exec: {command: [say, \"$(A)$(B)$$(A)$(\", \"$\"]}}");

        assertThat(answer).isNotDone();
        assertThat(engine.begun).containsExactly("id say one$(B)$(A)$( $");
    }
}
