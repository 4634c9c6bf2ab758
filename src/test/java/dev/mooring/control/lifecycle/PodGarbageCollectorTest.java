package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PodGarbageCollectorTest {
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

    private static final String TERMINATING =
            pod(", deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30");

    private static ControllerFixture run(String yaml) {
        return new ControllerFixture(new PodGarbageCollector(), NAMESPACE + yaml).settle();
    }

    @Test
    void terminatingPod_nodeNeverExisted_isDeletedAfterQuarantine() {
        ControllerFixture run = run(TERMINATING);
        run.advance(Duration.ofMillis(39_999));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofMillis(1));
        assertThat(run.takeEvents()).containsExactly("PodDeleted pods/default/p");
        assertThat(run.waiting()).isZero();
    }

    @Test
    void terminatingPod_nodeMissingAndClockSetBack_isDeletedAfterQuarantine() {
        PodGarbageCollector collector = new PodGarbageCollector();
        World world = WorldFixture.of(NAMESPACE + TERMINATING);
        ObjectKey key = Pod.key("default", "p");
        Instant first = Instant.parse("2026-01-01T12:00:00Z");
        Instant back = first.minus(Duration.ofHours(2));
        collector.reconcile(world, key, first);
        assertThat(collector.reconcile(world, key, back).requeueAfter()).contains(PodGarbageCollector.QUARANTINE);
        assertThat(collector
                        .reconcile(world, key, back.plus(PodGarbageCollector.QUARANTINE))
                        .proposals())
                .hasSize(1);
    }

    @Test
    void pod_notTerminatingAndNodeMissing_isKept() {
        ControllerFixture run = run(pod(""));
        run.advance(Duration.ofHours(1));
        assertThat(run.takeEvents()).isEmpty();
        assertThat(run.reconciles()).isZero();
    }

    @Test
    void pod_removedBeforeItsNode_isIgnored() {
        ControllerFixture run = run(NODE + pod(""));
        run.remove("pods/default/p").settle();
        run.remove("nodes/n1").settle();
        run.advance(Duration.ofHours(1));
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void terminatingPod_nodeExists_isLeftToTheNode() {
        ControllerFixture run = run(NODE + TERMINATING);
        run.advance(Duration.ofHours(1));
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void terminatingPod_nodeRemoved_isDeletedAfterQuarantine() {
        ControllerFixture run = run(NODE + TERMINATING);
        run.remove("nodes/n1").settle();
        run.advance(Duration.ofSeconds(39));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofSeconds(1));
        assertThat(run.takeEvents()).containsExactly("PodDeleted pods/default/p");
    }

    @Test
    void terminatingPod_nodeRegisteredAgainDuringQuarantine_isKept() {
        ControllerFixture run = run(NODE + TERMINATING);
        run.remove("nodes/n1").settle();
        run.advance(Duration.ofSeconds(39));
        run.put(NODE).settle();
        run.advance(Duration.ofHours(1));
        assertThat(run.takeEvents()).isEmpty();
        run.remove("nodes/n1").settle();
        run.advance(Duration.ofSeconds(39));
        assertThat(run.takeEvents()).isEmpty();
        run.advance(Duration.ofSeconds(1));
        assertThat(run.takeEvents()).containsExactly("PodDeleted pods/default/p");
    }

    @Test
    void terminatingPod_withFinalizer_endsButIsNotRemoved() {
        ControllerFixture run = run(pod(", deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30,"
                + " finalizers: [example.com/mine]"));
        run.advance(Duration.ofSeconds(40));
        assertThat(run.takeEvents()).containsExactly("PodEnded pods/default/p");
        assertThat(WorldFixture.tree(run.world(), "pods/default/p")
                        .at("/metadata/deletionGracePeriodSeconds")
                        .asInt())
                .isZero();
        run.advance(Duration.ofHours(1));
        assertThat(run.takeEvents()).isEmpty();
    }
}
