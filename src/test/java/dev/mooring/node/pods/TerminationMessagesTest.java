package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminationMessagesTest {
    @TempDir
    Path directory;

    private PodFixture node;
    private Pod pod;

    @BeforeEach
    void begin() {
        node = new PodFixture(1, directory);
        node.put("{kind: Pod, metadata: {name: p, namespace: ns, uid: u1}, spec: {nodeName: n2, restartPolicy: Always,"
                + " containers: [{name: c, image: x}, {name: d, image: x, terminationMessagePolicy:"
                + " FallbackToLogsOnError}]}}");
        pod = node.pod("p").orElseThrow();
    }

    private JsonNode spec(int index) {
        return pod.spec().path("containers").path(index);
    }

    private TerminationMessages messages() {
        return node.context.messages();
    }

    private void read(int index, String container, int attempt, int exitCode) {
        messages().read(pod, spec(index), ended(container, attempt, exitCode));
    }

    private static ContainerFacts ended(String container, int attempt, int exitCode) {
        return ContainerFactsFixture.ended(container, attempt, exitCode, ContainerFactsFixture.START);
    }

    private void runNext() {
        node.volumes.threads.remove().run();
    }

    @Test
    void message_noFile_isEmptyAfterItWasRead() {
        assertThat(messages().of(pod, ended("c", 0, 1))).isEmpty();
        assertThat(node.volumes.threads).as("asking starts nothing").isEmpty();

        read(0, "c", 0, 1);
        assertThat(messages().of(pod, ended("c", 0, 1))).isEmpty();
        runNext();

        assertThat(messages().of(pod, ended("c", 0, 1))).contains("");
        assertThat(node.volumes.threads).isEmpty();
    }

    @Test
    void message_fallbackToLogs_readsLogOnceAfterFailure() {
        node.engine.log = "it broke\n";
        read(1, "d", 0, 0);
        runNext();
        assertThat(node.volumes.threads).isEmpty();

        read(1, "d", 1, 1);
        read(1, "d", 1, 1);
        assertThat(node.volumes.threads).hasSize(1);
        runNext();
        assertThat(messages().of(pod, ended("d", 1, 1))).contains("");
        assertThat(node.volumes.threads).hasSize(1);
        runNext();

        assertThat(messages().of(pod, ended("d", 1, 1))).contains("it broke\n");
        assertThat(node.volumes.threads).isEmpty();
    }

    @Test
    void messages_manyAttempts_lastTwoOfEachContainerAreKept() {
        for (int attempt = 0; attempt < 100; attempt++) {
            read(0, "c", attempt, 1);
            read(1, "d", attempt, 0);
            runNext();
            runNext();
        }
        assertThat(messages().size()).isEqualTo(4);

        messages().forget("u1");
        assertThat(messages().size()).isZero();
    }

    @Test
    void message_readAfterPodForgotten_isDropped() {
        read(1, "d", 0, 1);
        messages().forget("u1");
        runNext();

        assertThat(messages().size()).isZero();
    }
}
