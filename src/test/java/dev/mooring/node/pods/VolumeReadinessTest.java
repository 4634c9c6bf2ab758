package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests volume readiness with the objects that the populator and the reconciler write. */
class VolumeReadinessTest {
    private static final String POD = """
        {kind: Pod, metadata: {name: p, namespace: ns, uid: u1},
         spec: {nodeName: n1, restartPolicy: Always, containers: [{name: c, image: busybox, volumeMounts: [{name: a, mountPath: /a},
           {name: b, mountPath: /b}]}], volumes: [{name: a, nfs: {server: nas, path: /a}},
           {name: b, persistentVolumeClaim: {claimName: nothing}}, {name: unused, nfs: {server: nas, path: /c}}]}}
        """;

    @TempDir
    Path directory;

    private PodFixture node;

    @BeforeEach
    void begin() {
        node = new PodFixture(1, directory);
    }

    private VolumeReadiness readiness() {
        StoredObject pod = node.volumes.world().get(Pod.key("ns", "p")).orElseThrow();
        return VolumeReadiness.of(node.volumes.world(), Pod.of(pod));
    }

    @Test
    void readiness_nothingPopulated_usedVolumesAreMissing() {
        node.put(POD);

        assertThat(readiness().missing()).isEqualTo(Map.of("a", "", "b", ""));
        assertThat(readiness().isComplete()).isFalse();
        assertThat(readiness().message()).isEqualTo("waiting for volume \"a\"; waiting for volume \"b\"");
    }

    @Test
    void readiness_oneVolumeMounted_otherIsMissingWithReason() {
        node.put(POD);
        node.settle();

        assertThat(readiness().mounted()).hasSize(1);
        assertThat(readiness().missing()).containsOnlyKeys("b");
        assertThat(readiness().message()).contains("\"b\": ").contains("\"nothing\" not found");
    }

    @Test
    void readiness_mountFailed_hasItsMessage() {
        node.volumes.kernel.fails("setUp", FailureState.CLEAN);
        node.put(POD);
        node.settle();

        assertThat(readiness().missing().get("a")).isEqualTo("meant to fail");
        node.pass(Duration.ofSeconds(10));
        assertThat(readiness().missing()).containsOnlyKeys("b");
    }

    @Test
    void readiness_mountOfFormerPodOfSameName_isIgnored() {
        node.put(POD);
        node.settle();
        node.volumes.remove("pods/ns/p");
        node.put(POD.replace("u1", "u2"));

        assertThat(readiness().mounted()).isEmpty();
    }
}
