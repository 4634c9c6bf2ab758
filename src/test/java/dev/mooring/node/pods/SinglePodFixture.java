package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.ContainerFacts;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A node with one Pod p that has a container c and a volume. */
abstract class SinglePodFixture {
    private static final String MOUNT = ", volumeMounts: [{name: v, mountPath: /v}]";

    @TempDir
    Path directory;

    PodFixture node;

    @BeforeEach
    void begin() {
        node = new PodFixture(1, directory);
    }

    static String pod(String policy, String containers) {
        return """
            {kind: Pod, metadata: {name: p, namespace: ns, uid: u1},
             spec: {nodeName: n1, restartPolicy: POLICY, terminationGracePeriodSeconds: 30, containers: [CONTAINERS],
                    volumes: [{name: v, nfs: {server: nas, path: /x}}]},
             status: {phase: Pending}}
            """.replace("POLICY", policy).replace("CONTAINERS", containers);
    }

    static String container(String fields) {
        return "{name: c, image: busybox, imagePullPolicy: IfNotPresent" + MOUNT + fields + "}";
    }

    void startPod(String pod) {
        node.put(pod);
        node.settle();
        assertThat(node.live("u1")).containsExactly("", "c");
    }

    ContainerFacts newestContainer() {
        return node.engine.all().stream()
                .filter(each -> each.identity().container().equals("c"))
                .reduce((older, newer) -> newer)
                .orElseThrow();
    }

    void passMinutes(int count) {
        for (int i = 0; i < count * 60; i++) {
            node.pass(Duration.ofSeconds(1));
        }
    }

    void assertPodIsGone() {
        node.check();
        node.assertNothingIsLeft();
    }
}
