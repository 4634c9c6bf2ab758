package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.volume.VolumeException.FailureState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests failures of Pods: they are reported, retried with back-off, and recovered from. */
class PodFailureTest extends SinglePodFixture {
    @ParameterizedTest
    @CsvSource({
        "create, FailedCreatePodSandBox",
        "start, FailedCreatePodSandBox",
        "stop, FailedKillPod",
        "remove, ''",
    })
    void failingCall_isRetriedWithBackOffUntilItSucceeds(String call, String reason) {
        boolean ending = call.equals("stop") || call.equals("remove");
        if (ending) {
            startPod(pod("Always", container("")));
        } else {
            node.put(pod("Always", container("")));
        }
        node.engine.broken.add(call);
        if (ending) {
            node.delete("p", 30);
        }
        int before = node.engine.calls(call);

        passMinutes(10);

        assertThat(node.engine.calls(call) - before).isBetween(10, 60);
        if (!reason.isEmpty()) {
            assertThat(node.recordedEvents(reason)).isNotEmpty();
        }
        node.engine.clearFailures();
        passMinutes(2);
        if (ending) {
            assertPodIsGone();
        } else {
            assertThat(node.live("u1")).containsExactly("", "c");
        }
    }

    @Test
    void finishedPod_sandboxRemovalFails_isRetriedWithBackOff() {
        startPod(pod("Never", container("")));
        node.engine.broken.add("remove");
        node.engine.exit(newestContainer().id(), 0);

        passMinutes(10);

        assertThat(node.status("p").path("phase").asText()).isEqualTo("Succeeded");
        assertThat(node.engine.calls("remove")).isBetween(10, 30);
        node.engine.clearFailures();
        passMinutes(2);
        assertThat(node.engine.all())
                .extracting(each -> each.identity().container())
                .containsExactly("c");
    }

    @Test
    void deletedPod_containerRemovalFails_isRetriedWithBackOff() {
        startPod(pod("Always", container("")));
        node.engine.broken.add("remove");
        node.volumes.remove("pods/ns/p");

        passMinutes(10);

        assertThat(node.engine.calls("remove")).isBetween(20, 60);
        node.engine.clearFailures();
        passMinutes(2);
        assertPodIsGone();
    }

    @Test
    void deletedPod_oneRemovalFails_othersAreRemoved() {
        startPod(pod("Always", container("")));
        node.engine.fails("remove", Kind.FAILED);
        node.delete("p", 30);
        node.settle();

        assertThat(node.engine.all()).hasSize(1);
    }

    @Test
    void crashingContainer_isRestartedWithBackOff() {
        node.engine.exitsImmediately.put("c", 1);
        node.put(pod("Always", container("")));
        node.settle();

        passMinutes(30);

        assertThat(node.status("p")
                        .path("containerStatuses")
                        .path(0)
                        .path("restartCount")
                        .asInt())
                .isBetween(8, 12);
        assertThat(node.engine.calls("create")).isLessThan(15);
        assertThat(node.recordedEvents("BackOff"))
                .containsExactly("Warning BackOff Back-off restarting failed container c in pod p_ns(u1)");
        assertThat(node.engine.all()).hasSizeLessThanOrEqualTo(3);
        assertThat(node.context.messages().size()).isLessThanOrEqualTo(2);
    }

    @Test
    void sandbox_exitsImmediately_isRecreatedWithBackOff() {
        node.engine.exitsImmediately.put("", 0);
        node.put(pod("Always", container("")));
        node.settle();

        passMinutes(10);

        assertThat(node.engine.calls("create")).isBetween(10, 40);
        assertThat(node.engine.all()).hasSizeLessThanOrEqualTo(3);
        node.engine.exitsImmediately.clear();
        passMinutes(2);
        assertThat(node.live("u1")).containsExactly("", "c");
    }

    @Test
    void pod_volumeNotMountedForTwoMinutes_getsEventWithItsError() {
        for (int i = 0; i < 40; i++) {
            node.volumes.kernel.fails("setUp", FailureState.CLEAN);
        }
        node.put(pod("Always", container("")));
        node.settle();
        for (int i = 0; i < 122; i++) {
            node.pass(Duration.ofSeconds(1));
        }
        assertThat(failedMountEvents()).isEmpty();

        node.pass(Duration.ofSeconds(1));
        assertThat(failedMountEvents())
                .containsExactly(
                        "Warning FailedMount Unable to attach or mount volumes: unmounted volumes=[v]: waiting for"
                                + " volume \"v\": meant to fail");
    }

    private List<String> failedMountEvents() {
        return node.recordedEvents("FailedMount").stream()
                .filter(each -> each.contains("Unable to attach"))
                .toList();
    }

    @Test
    void longRunningPod_volumeMountedAgainAfterReboot_getsNoEvent() {
        startPod(pod("Always", container("")));
        passMinutes(5);
        node.volumes.reboot();
        node.engine.endAll();
        node.volumes.kernel.fails("setUp", FailureState.CLEAN);
        passMinutes(1);

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(failedMountEvents()).isEmpty();
    }

    @Test
    void newPod_engineAbsent_getsEventAndWaitingMessage() {
        node.settle();
        node.engine.down = true;
        node.cache.markAbsent("connection refused");
        node.put(pod("Always", container("")));
        node.settle();

        assertThat(node.recordedEvents("FailedCreatePodSandBox"))
                .containsExactly(
                        "Warning FailedCreatePodSandBox Failed to create pod sandbox: the container engine does not"
                                + " answer: connection refused");
        assertThat(node.status("p")
                        .path("containerStatuses")
                        .path(0)
                        .path("state")
                        .path("waiting")
                        .path("message")
                        .asText())
                .contains("does not answer");
    }

    @Test
    void deletedPod_engineAbsent_staysUntilEngineReturns() {
        startPod(pod("Always", container("")));
        node.engine.down = true;
        node.cache.markAbsent("connection refused");
        node.delete("p", 5);
        passMinutes(2);
        assertThat(node.podKeys()).hasSize(1);
        assertThat(node.volumes.kernel.mounted).hasSize(1);

        node.engine.clearFailures();
        passMinutes(1);
        assertPodIsGone();
    }

    @Test
    void deletedPod_nodeNeverHadEngine_isRemoved() {
        node = new PodFixture(1, directory, "---\n{kind: Node, metadata: {name: n1}}\n");
        node.engine.down = true;
        node.put(pod("Always", container("")));
        node.settle();
        node.delete("p", 5);
        node.settle();

        assertThat(node.podKeys()).isEmpty();
    }
}
