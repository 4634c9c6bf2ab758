package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StrandedPodsTest {
    private static final String NAMESPACE = "---\n{kind: Namespace, metadata: {name: default}}\n";
    private static final String NODE = "---\n{kind: Node, metadata: {name: n1}}\n";

    private static String pod(String metadata) {
        return """
            ---
            kind: Pod
            metadata: {name: p, namespace: default%s}
            spec: {nodeName: n1}
            """.formatted(metadata);
    }

    private static final String LEAVING =
            pod(", deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30");

    private static OneController run(String yaml) {
        return new OneController(new StrandedPods(), NAMESPACE + yaml).settle();
    }

    @Test
    void aDeletedPodOfANodeThatNeverWasGoesAfterAWhile() {
        OneController run = run(LEAVING);
        run.pass(Duration.ofMillis(39_999));
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofMillis(1));
        assertThat(run.did()).containsExactly("PodDeleted pods/default/p");
        assertThat(run.waiting()).isZero();
    }

    @Test
    void aPodThatNobodyHasDeletedStays() {
        OneController run = run(pod(""));
        run.pass(Duration.ofHours(1));
        assertThat(run.did()).isEmpty();
        assertThat(run.looks()).isZero();
    }

    @Test
    void aPodThatGoesWithoutEverHavingWaitedIsNoConcern() {
        OneController run = run(NODE + pod(""));
        run.remove("pods/default/p").settle();
        run.remove("nodes/n1").settle();
        run.pass(Duration.ofHours(1));
        assertThat(run.did()).isEmpty();
    }

    @Test
    void aPodOfANodeThatIsThereIsTheNodesBusiness() {
        OneController run = run(NODE + LEAVING);
        run.pass(Duration.ofHours(1));
        assertThat(run.did()).isEmpty();
    }

    @Test
    void aNodeThatGoesTakesItsDeletedPodsAlong() {
        OneController run = run(NODE + LEAVING);
        run.remove("nodes/n1").settle();
        run.pass(Duration.ofSeconds(39));
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofSeconds(1));
        assertThat(run.did()).containsExactly("PodDeleted pods/default/p");
    }

    @Test
    void aNodeThatIsRegisteredAgainInTimeKeepsThem() {
        OneController run = run(NODE + LEAVING);
        run.remove("nodes/n1").settle();
        run.pass(Duration.ofSeconds(39));
        run.put(NODE).settle();
        run.pass(Duration.ofHours(1));
        assertThat(run.did()).isEmpty();
        run.remove("nodes/n1").settle();
        run.pass(Duration.ofSeconds(39));
        assertThat(run.did()).isEmpty();
        run.pass(Duration.ofSeconds(1));
        assertThat(run.did()).containsExactly("PodDeleted pods/default/p");
    }

    @Test
    void onePodThatSomebodyHoldsIsOnlyEnded() {
        OneController run = run(pod(", deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30,"
                + " finalizers: [example.com/mine]"));
        run.pass(Duration.ofSeconds(40));
        assertThat(run.did()).containsExactly("PodEnded pods/default/p");
        assertThat(Worlds.tree(run.world(), "pods/default/p")
                        .at("/metadata/deletionGracePeriodSeconds")
                        .asInt())
                .isZero();
        run.pass(Duration.ofHours(1));
        assertThat(run.did()).isEmpty();
    }
}
