package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
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

    @Test
    void message_noFile_isEmpty() {
        assertThat(messages().of(pod, spec(0), ContainerFactsFixture.ended("c", 0, 1, ContainerFactsFixture.START)))
                .isEmpty();
        assertThat(node.volumes.threads).isEmpty();
    }

    @Test
    void message_fallbackToLogs_readsLogOnceAfterFailure() {
        node.engine.log = "it broke\n";
        messages().of(pod, spec(1), ContainerFactsFixture.ended("d", 0, 0, ContainerFactsFixture.START));
        assertThat(node.volumes.threads).isEmpty();

        assertThat(messages().of(pod, spec(1), ContainerFactsFixture.ended("d", 1, 1, ContainerFactsFixture.START)))
                .isEmpty();
        assertThat(messages().of(pod, spec(1), ContainerFactsFixture.ended("d", 1, 1, ContainerFactsFixture.START)))
                .isEmpty();
        assertThat(node.volumes.threads).hasSize(1);
        node.volumes.threads.poll().run();

        assertThat(messages().of(pod, spec(1), ContainerFactsFixture.ended("d", 1, 1, ContainerFactsFixture.START)))
                .isEqualTo("it broke\n");
        assertThat(node.volumes.threads).isEmpty();
    }

    @Test
    void messages_manyAttempts_lastTwoOfEachContainerAreKept() {
        for (int attempt = 0; attempt < 100; attempt++) {
            messages().of(pod, spec(0), ContainerFactsFixture.ended("c", attempt, 1, ContainerFactsFixture.START));
            messages().of(pod, spec(1), ContainerFactsFixture.ended("d", attempt, 0, ContainerFactsFixture.START));
        }
        assertThat(messages().size()).isEqualTo(4);

        messages().forget("u1");
        assertThat(messages().size()).isZero();
    }

    @Test
    void message_readAfterPodForgotten_isDropped() {
        messages().of(pod, spec(1), ContainerFactsFixture.ended("d", 0, 1, ContainerFactsFixture.START));
        messages().forget("u1");
        node.volumes.threads.poll().run();

        assertThat(messages().size()).isZero();
    }
}
