package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.ContainerFacts;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A Pod p with a container c and a volume, on a node of its own. */
abstract class OnePod {
    private static final String MOUNT = ", volumeMounts: [{name: v, mountPath: /v}]";

    @TempDir
    Path own;

    PodBench node;

    @BeforeEach
    void begin() {
        node = new PodBench(1, own);
    }

    static String pod(String policy, String containers) {
        return """
            {kind: Pod, metadata: {name: p, namespace: ns, uid: u1},
             spec: {nodeName: n1, restartPolicy: POLICY, terminationGracePeriodSeconds: 30, containers: [CONTAINERS],
                    volumes: [{name: v, nfs: {server: nas, path: /x}}]},
             status: {phase: Pending}}
            """.replace("POLICY", policy).replace("CONTAINERS", containers);
    }

    static String container(String more) {
        return "{name: c, image: busybox, imagePullPolicy: IfNotPresent" + MOUNT + more + "}";
    }

    void runs(String pod) {
        node.put(pod);
        node.settle();
        assertThat(node.live("u1")).containsExactly("", "c");
    }

    ContainerFacts c() {
        return node.engine.all().stream()
                .filter(each -> each.whose().container().equals("c"))
                .reduce((older, newer) -> newer)
                .orElseThrow();
    }

    void minutes(int count) {
        for (int i = 0; i < count * 60; i++) {
            node.pass(Duration.ofSeconds(1));
        }
    }

    void isGone() {
        node.check();
        node.nothingIsLeft();
    }
}
