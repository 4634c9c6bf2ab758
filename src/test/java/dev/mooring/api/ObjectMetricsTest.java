package dev.mooring.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.world.World;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ObjectMetricsTest {
    private World world = WorldFixture.of("""
        {kind: PersistentVolume, metadata: {name: v}, status: {phase: Bound}}
        ---
        {kind: PersistentVolumeClaim, metadata: {name: c, namespace: team}, status: {phase: Pending}}
        ---
        kind: Pod
        metadata: {name: p, namespace: team, uid: u1}
        spec: {nodeName: n1}
        status: {phase: Running, containerStatuses: [{state: {running: {}}}, {state: {terminated: {}}}]}
        ---
        kind: Pod
        metadata: {name: elsewhere, namespace: team, uid: u2}
        spec: {nodeName: n2}
        status: {phase: Running, containerStatuses: [{state: {running: {}}}]}
        """);
    private final ObjectMetrics metrics = new ObjectMetrics(() -> world, "n1");

    @Test
    void collect_objectsOfEachKind_showsTheirPhases() throws IOException {
        assertThat(scrape())
                .contains("kube_persistentvolume_status_phase{persistentvolume=\"v\",phase=\"Bound\"} 1.0")
                .contains("kube_persistentvolume_status_phase{persistentvolume=\"v\",phase=\"Released\"} 0.0")
                .contains(
                        "kube_persistentvolumeclaim_status_phase{namespace=\"team\",persistentvolumeclaim=\"c\",phase=\"Pending\"}"
                            + " 1.0")
                .contains("kube_pod_status_phase{namespace=\"team\",phase=\"Running\",pod=\"p\",uid=\"u1\"} 1.0")
                .contains("kube_pod_status_phase{namespace=\"team\",phase=\"Failed\",pod=\"p\",uid=\"u1\"} 0.0")
                .contains("kubelet_running_pods 1.0")
                .contains("kubelet_running_containers{container_state=\"running\"} 1.0")
                .contains("kubelet_running_containers{container_state=\"exited\"} 1.0");
    }

    @Test
    void collect_objectsChangedAndRemoved_showsNewPhasesAndDropsRemovedObjects() throws IOException {
        scrape();
        world = WorldFixture.of(
                "{kind: PersistentVolumeClaim, metadata: {name: c, namespace: team}, status: {phase: Bound}}");

        assertThat(scrape())
                .contains("persistentvolumeclaim=\"c\",phase=\"Bound\"} 1.0")
                .contains("persistentvolumeclaim=\"c\",phase=\"Pending\"} 0.0")
                .contains("kubelet_running_pods 0.0")
                .doesNotContain("persistentvolume=\"v\"", "pod=\"p\"");
    }

    private String scrape() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, metrics.collect());
        return out.toString(StandardCharsets.UTF_8);
    }
}
