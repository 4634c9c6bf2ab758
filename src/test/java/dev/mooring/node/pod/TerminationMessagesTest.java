package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminationMessagesTest {
    @TempDir
    Path own;

    private PodBench node;
    private Pod pod;

    @BeforeEach
    void begin() {
        node = new PodBench(1, own);
        node.put("{kind: Pod, metadata: {name: p, namespace: ns, uid: u1}, spec: {nodeName: n2, restartPolicy: Always,"
                + " containers: [{name: c, image: x}, {name: d, image: x, terminationMessagePolicy:"
                + " FallbackToLogsOnError}]}}");
        pod = node.pod("p").orElseThrow();
    }

    private JsonNode spec(int which) {
        return pod.spec().path("containers").path(which);
    }

    private TerminationMessages messages() {
        return node.parts.messages();
    }

    @Test
    void nothingWasLeftBehind() {
        assertThat(messages().of(pod, spec(0), Facts.ended("c", 0, 1, Facts.START)))
                .isEmpty();
        assertThat(node.bench.threads).isEmpty();
    }

    @Test
    void theEndOfTheLogIsAskedForOnceAndOnlyAfterAFailure() {
        node.engine.log = "it broke\n";
        messages().of(pod, spec(1), Facts.ended("d", 0, 0, Facts.START));
        assertThat(node.bench.threads).isEmpty();

        assertThat(messages().of(pod, spec(1), Facts.ended("d", 1, 1, Facts.START)))
                .isEmpty();
        assertThat(messages().of(pod, spec(1), Facts.ended("d", 1, 1, Facts.START)))
                .isEmpty();
        assertThat(node.bench.threads).hasSize(1);
        node.bench.threads.poll().run();

        assertThat(messages().of(pod, spec(1), Facts.ended("d", 1, 1, Facts.START)))
                .isEqualTo("it broke\n");
        assertThat(node.bench.threads).isEmpty();
    }

    @Test
    void onlyTheLastTwoOfAContainerAreKept() {
        for (int attempt = 0; attempt < 100; attempt++) {
            messages().of(pod, spec(0), Facts.ended("c", attempt, 1, Facts.START));
            messages().of(pod, spec(1), Facts.ended("d", attempt, 0, Facts.START));
        }
        assertThat(messages().size()).isEqualTo(4);

        messages().forget("u1");
        assertThat(messages().size()).isZero();
    }

    @Test
    void whatIsFoundOutAfterThePodIsForgottenIsNotKept() {
        messages().of(pod, spec(1), Facts.ended("d", 0, 1, Facts.START));
        messages().forget("u1");
        node.bench.threads.poll().run();

        assertThat(messages().size()).isZero();
    }
}
