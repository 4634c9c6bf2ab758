package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.volume.VolumeException.Left;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With what populator and reconciler really write. */
class VolumeReadinessTest {
    private static final String POD = """
        {kind: Pod, metadata: {name: p, namespace: ns, uid: u1},
         spec: {nodeName: n1, restartPolicy: Always, containers: [{name: c, image: busybox, volumeMounts: [{name: a, mountPath: /a},
           {name: b, mountPath: /b}]}], volumes: [{name: a, nfs: {server: nas, path: /a}},
           {name: b, persistentVolumeClaim: {claimName: nothing}}, {name: unused, nfs: {server: nas, path: /c}}]}}
        """;

    @TempDir
    Path own;

    private PodBench node;

    @BeforeEach
    void begin() {
        node = new PodBench(1, own);
    }

    private VolumeReadiness readiness() {
        StoredObject pod = node.bench.world().get(Pod.key("ns", "p")).orElseThrow();
        return VolumeReadiness.of(node.bench.world(), Pod.of(pod));
    }

    @Test
    void beforeAnythingIsKnownAllThatIsUsedIsMissing() {
        node.put(POD);

        assertThat(readiness().missing()).isEqualTo(Map.of("a", "", "b", ""));
        assertThat(readiness().isComplete()).isFalse();
        assertThat(readiness().words()).isEqualTo("waiting for volume \"a\"; waiting for volume \"b\"");
    }

    @Test
    void whatIsMountedIsThereAndWhatIsNotSaysWhy() {
        node.put(POD);
        node.settle();

        assertThat(readiness().mounted()).hasSize(1);
        assertThat(readiness().missing()).containsOnlyKeys("b");
        assertThat(readiness().words()).contains("\"b\": ").contains("\"nothing\" not found");
    }

    @Test
    void aFailedMountSaysWhy() {
        node.bench.kernel.fails("setUp", Left.NOTHING);
        node.put(POD);
        node.settle();

        assertThat(readiness().missing().get("a")).isEqualTo("meant to fail");
        node.pass(Duration.ofSeconds(10));
        assertThat(readiness().missing()).containsOnlyKeys("b");
    }

    @Test
    void whatIsMountedForAnotherPodOfThatNameIsNotThere() {
        node.put(POD);
        node.settle();
        node.bench.remove("pods/ns/p");
        node.put(POD.replace("u1", "u2"));

        assertThat(readiness().mounted()).isEmpty();
    }
}
