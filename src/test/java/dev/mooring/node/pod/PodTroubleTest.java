package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.volume.VolumeException.Left;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong with Pods is told, tried again ever less often, and goes well once it can. */
class PodTroubleTest extends OnePod {
    /** What is tried again and again without success is tried ever less often, and goes well once it can. */
    @ParameterizedTest
    @CsvSource({
        "create, FailedCreatePodSandBox",
        "start, FailedCreatePodSandBox",
        "stop, FailedKillPod",
        "remove, ''",
    })
    void whatFailsIsNotTriedInALoop(String call, String reason) {
        boolean ending = call.equals("stop") || call.equals("remove");
        if (ending) {
            runs(pod("Always", container("")));
        } else {
            node.put(pod("Always", container("")));
        }
        node.engine.broken.add(call);
        if (ending) {
            node.delete("p", 30);
        }
        int before = node.engine.calls(call);

        minutes(10);

        assertThat(node.engine.calls(call) - before).isBetween(10, 60);
        if (!reason.isEmpty()) {
            assertThat(node.told(reason)).isNotEmpty();
        }
        node.engine.forgive();
        minutes(2);
        if (ending) {
            isGone();
        } else {
            assertThat(node.live("u1")).containsExactly("", "c");
        }
    }

    @Test
    void theSandboxOfAFinishedPodThatCannotBeRemovedIsNotTriedInALoop() {
        runs(pod("Never", container("")));
        node.engine.broken.add("remove");
        node.engine.exit(c().id(), 0);

        minutes(10);

        assertThat(node.status("p").path("phase").asText()).isEqualTo("Succeeded");
        assertThat(node.engine.calls("remove")).isBetween(10, 30);
        node.engine.forgive();
        minutes(2);
        assertThat(node.engine.all())
                .extracting(each -> each.whose().container())
                .containsExactly("c");
    }

    @Test
    void aPodThatIsGoneButCannotBeRemovedIsNotTriedInALoop() {
        runs(pod("Always", container("")));
        node.engine.broken.add("remove");
        node.bench.remove("pods/ns/p");

        minutes(10);

        assertThat(node.engine.calls("remove")).isBetween(20, 60);
        node.engine.forgive();
        minutes(2);
        isGone();
    }

    @Test
    void oneThatCannotBeRemovedKeepsNoneOfTheOthers() {
        runs(pod("Always", container("")));
        node.engine.fails("remove", Kind.FAILED);
        node.delete("p", 30);
        node.settle();

        assertThat(node.engine.all()).hasSize(1);
    }

    @Test
    void aCrashLoopWaitsEverLonger() {
        node.engine.endsAtOnce.put("c", 1);
        node.put(pod("Always", container("")));
        node.settle();

        minutes(30);

        assertThat(node.status("p")
                        .path("containerStatuses")
                        .path(0)
                        .path("restartCount")
                        .asInt())
                .isBetween(8, 12);
        assertThat(node.engine.calls("create")).isLessThan(15);
        assertThat(node.told("BackOff"))
                .containsExactly("Warning BackOff Back-off restarting failed container c in pod p_ns(u1)");
        assertThat(node.engine.all()).hasSizeLessThanOrEqualTo(3);
        assertThat(node.parts.messages().size()).isLessThanOrEqualTo(2);
    }

    @Test
    void aSandboxThatEndsAtOnceIsNotMadeAnewInALoop() {
        node.engine.endsAtOnce.put("", 0);
        node.put(pod("Always", container("")));
        node.settle();

        minutes(10);

        assertThat(node.engine.calls("create")).isBetween(10, 40);
        assertThat(node.engine.all()).hasSizeLessThanOrEqualTo(3);
        node.engine.endsAtOnce.clear();
        minutes(2);
        assertThat(node.live("u1")).containsExactly("", "c");
    }

    @Test
    void volumesThatBlockAPodAreToldWithWhatIsWrongWithEach() {
        for (int i = 0; i < 40; i++) {
            node.bench.kernel.fails("setUp", Left.NOTHING);
        }
        node.put(pod("Always", container("")));
        node.settle();
        for (int i = 0; i < 122; i++) {
            node.pass(Duration.ofSeconds(1));
        }
        assertThat(unmounted()).isEmpty();

        node.pass(Duration.ofSeconds(1));
        assertThat(unmounted())
                .containsExactly(
                        "Warning FailedMount Unable to attach or mount volumes: unmounted volumes=[v]: waiting for"
                                + " volume \"v\": meant to fail");
    }

    private List<String> unmounted() {
        return node.told("FailedMount").stream()
                .filter(each -> each.contains("Unable to attach"))
                .toList();
    }

    @Test
    void aPodThatHasRunForLongIsNotBlockedByAVolumeThatIsMountedAnew() {
        runs(pod("Always", container("")));
        minutes(5);
        node.bench.reboot();
        node.engine.endAll();
        node.bench.kernel.fails("setUp", Left.NOTHING);
        minutes(1);

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(unmounted()).isEmpty();
    }

    @Test
    void aNewPodIsToldThatTheEngineIsAway() {
        node.settle();
        node.engine.down = true;
        node.book.absent("connection refused");
        node.put(pod("Always", container("")));
        node.settle();

        assertThat(node.told("FailedCreatePodSandBox"))
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
    void aPodWhoseContainerRunsIsNotLetGoWhileTheEngineIsAway() {
        runs(pod("Always", container("")));
        node.engine.down = true;
        node.book.absent("connection refused");
        node.delete("p", 5);
        minutes(2);
        assertThat(node.podKeys()).hasSize(1);
        assertThat(node.bench.kernel.mounted).hasSize(1);

        node.engine.forgive();
        minutes(1);
        isGone();
    }

    @Test
    void aPodGoesWhereThereWasNeverAnEngine() {
        node = new PodBench(1, own, "---\n{kind: Node, metadata: {name: n1}}\n");
        node.engine.down = true;
        node.put(pod("Always", container("")));
        node.settle();
        node.delete("p", 5);
        node.settle();

        assertThat(node.podKeys()).isEmpty();
    }
}
