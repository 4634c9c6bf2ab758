package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.EngineException.Kind;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Removals of many Pods' containers; a task that is not let happen hangs. */
class RemovalsTest extends OnePod {
    private static final ContainerFacts CONTAINER = Facts.ended("c", 0, 0, Facts.START);
    private static final ContainerFacts SANDBOX = Facts.sandbox(0, State.EXITED, Facts.START);

    private Removals removals;
    private Deque<Runnable> threads;

    @BeforeEach
    void prepare() {
        removals = new Removals(node.parts);
        threads = node.bench.threads;
        threads.clear();
    }

    private void remove(int pod, ContainerFacts... all) {
        removals.remove("u" + pod, Pod.key("ns", "p" + pod), Step.REMOVAL, List.of(all));
    }

    private boolean isBusy(int pod) {
        return node.book.page("u" + pod).isBusy(Step.REMOVAL);
    }

    @Test
    void containersThatHangDelayNobody() {
        for (int i = 0; i < 50; i++) {
            remove(i, CONTAINER);
        }
        assertThat(threads).hasSize(50);
    }

    @Test
    void eightSandboxesAreRemovedAtATime() {
        for (int i = 0; i < 10; i++) {
            remove(i, SANDBOX);
        }
        assertThat(threads).hasSize(8);
        for (int i = 0; i < 3; i++) {
            threads.poll().run();
        }
        assertThat(threads).as("eight without those that have ended, of ten").hasSize(7);
        assertThat(isBusy(0)).isFalse();
        assertThat(isBusy(3)).isTrue();
        assertThat(isBusy(9)).isTrue();
        node.bench.settle();
        assertThat(isBusy(9)).isFalse();
        assertThat(node.engine.calls("remove")).isEqualTo(10);
    }

    @Test
    void aSandboxIsRemovedAfterTheOthersAndWaitsForItsTurnOnly() {
        for (int i = 0; i < 8; i++) {
            remove(i, SANDBOX);
        }
        List<Runnable> hanging = List.copyOf(threads);
        threads.clear();
        remove(8, SANDBOX, CONTAINER);
        threads.poll().run();
        assertThat(node.engine.calls("remove")).isEqualTo(1);
        assertThat(threads).isEmpty();
        assertThat(isBusy(8)).isTrue();

        hanging.get(0).run();
        threads.poll().run();
        assertThat(isBusy(8)).isFalse();
        assertThat(node.engine.calls("remove")).isEqualTo(3);
    }

    @Test
    void oneThatCannotBeRemovedKeepsNoneOfTheOthers() {
        node.engine.fails("remove", Kind.FAILED);
        remove(0, CONTAINER, Facts.ended("d", 0, 0, Facts.START), SANDBOX);
        node.bench.settle();
        assertThat(node.engine.calls("remove")).isEqualTo(3);
        Trouble trouble = node.book.page("u0").troubles().get(Step.REMOVAL);
        assertThat(trouble.message()).isEqualTo("meant to fail");
        assertThat(trouble.times()).isEqualTo(1);

        remove(0, CONTAINER);
        node.bench.settle();
        assertThat(node.book.page("u0").troubles()).isEmpty();
    }

    @Test
    void whatRunsOfAPodThatIsGoneIsEndedFirstAndStaysIfItCannotBe() {
        ContainerFacts live = Facts.container("c", 0, State.RUNNING, Facts.START);
        node.engine.fails("stop", Kind.FAILED);
        removals.clearAway("u0", Pod.key("ns", "p0"), List.of(live, SANDBOX));
        threads.poll().run();
        assertThat(node.engine.calls("remove")).isZero();
        assertThat(node.book.page("u0").troubles()).containsKey(Step.REMOVAL);

        removals.clearAway("u0", Pod.key("ns", "p0"), List.of(live, SANDBOX));
        node.bench.settle();
        assertThat(node.engine.calls("stop")).isEqualTo(2);
        assertThat(node.engine.calls("remove")).isEqualTo(2);
    }
}
