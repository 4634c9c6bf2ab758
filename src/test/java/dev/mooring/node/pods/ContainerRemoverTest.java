package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.EngineException.Kind;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the removal of the containers of many Pods; tasks that the test does not run stand for hanging calls. */
class ContainerRemoverTest extends SinglePodFixture {
    private static final ContainerFacts CONTAINER = ContainerFactsFixture.ended("c", 0, 0, ContainerFactsFixture.START);
    private static final ContainerFacts SANDBOX =
            ContainerFactsFixture.sandbox(0, State.EXITED, ContainerFactsFixture.START);

    private ContainerRemover remover;
    private Deque<Runnable> threads;

    @BeforeEach
    void prepare() {
        remover = new ContainerRemover(node.context);
        threads = node.volumes.threads;
        threads.clear();
    }

    private void remove(int pod, ContainerFacts... all) {
        remover.remove("u" + pod, Pod.key("ns", "p" + pod), PodAction.REMOVAL, List.of(all));
    }

    private boolean isBusy(int pod) {
        return node.cache.cachedPod("u" + pod).isBusy(PodAction.REMOVAL);
    }

    @Test
    void remove_hangingContainers_doNotDelayOthers() {
        for (int i = 0; i < 50; i++) {
            remove(i, CONTAINER);
        }
        assertThat(threads).hasSize(50);
    }

    @Test
    void remove_manySandboxes_removesEightAtATime() {
        for (int i = 0; i < 10; i++) {
            remove(i, SANDBOX);
        }
        assertThat(threads).hasSize(8);
        for (int i = 0; i < 3; i++) {
            threads.poll().run();
        }
        assertThat(threads).as("running removals").hasSize(7);
        assertThat(isBusy(0)).isFalse();
        assertThat(isBusy(3)).isTrue();
        assertThat(isBusy(9)).isTrue();
        node.volumes.settle();
        assertThat(isBusy(9)).isFalse();
        assertThat(node.engine.calls("remove")).isEqualTo(10);
    }

    @Test
    void remove_sandbox_waitsForContainersAndFreeSlot() {
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
    void remove_oneContainerFails_removesTheOthers() {
        node.engine.fails("remove", Kind.FAILED);
        remove(0, CONTAINER, ContainerFactsFixture.ended("d", 0, 0, ContainerFactsFixture.START), SANDBOX);
        node.volumes.settle();
        assertThat(node.engine.calls("remove")).isEqualTo(3);
        PodActionFailure failure = node.cache.cachedPod("u0").failures().get(PodAction.REMOVAL);
        assertThat(failure.message()).isEqualTo("meant to fail");
        assertThat(failure.count()).isEqualTo(1);

        remove(0, CONTAINER);
        node.volumes.settle();
        assertThat(node.cache.cachedPod("u0").failures()).isEmpty();
    }

    @Test
    void removeLeftovers_runningContainer_isStoppedFirst() {
        ContainerFacts running = ContainerFactsFixture.container("c", 0, State.RUNNING, ContainerFactsFixture.START);
        node.engine.fails("stop", Kind.FAILED);
        remover.removeLeftovers("u0", Pod.key("ns", "p0"), List.of(running, SANDBOX));
        threads.poll().run();
        assertThat(node.engine.calls("remove")).isZero();
        assertThat(node.cache.cachedPod("u0").failures()).containsKey(PodAction.REMOVAL);

        remover.removeLeftovers("u0", Pod.key("ns", "p0"), List.of(running, SANDBOX));
        node.volumes.settle();
        assertThat(node.engine.calls("stop")).isEqualTo(2);
        assertThat(node.engine.calls("remove")).isEqualTo(2);
    }
}
