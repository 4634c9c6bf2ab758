package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Controller;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.EngineException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods from their beginning to their end, one thing at a time. */
class PodDriverTest extends OnePod {
    @Test
    void aPodRunsAndGoes() {
        runs(pod("Always", container("")));
        assertThat(node.status("p").path("phase").asText()).isEqualTo("Running");
        assertThat(node.told("Started")).containsExactly("Normal Started Started container c");

        node.delete("p", 30);
        node.settle();

        assertThat(node.told("Killing")).containsExactly("Normal Killing Stopping container c");
        isGone();
    }

    @Test
    void whenTheSandboxDiesItIsMadeAnewAndThePodIsTold() {
        runs(pod("Always", container("")));
        minutes(1);
        node.engine.all().stream()
                .filter(each -> each.whose().container().isEmpty())
                .forEach(each -> node.engine.exit(each.id(), 137));
        minutes(1);

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(c().whose().attempt()).isEqualTo(1);
        assertThat(node.told("SandboxChanged"))
                .containsExactly("Normal SandboxChanged Pod sandbox changed, it will be killed and re-created.");
        node.check();
    }

    @Test
    void whatWasMadeForASandboxThatDiedIsMadeAnewAndNoFailureOfThePod() {
        node.put(pod("Never", container("")));
        node.engine.during.put(
                "create afterwards",
                () -> node.engine.during.put(
                        "create afterwards",
                        () -> node.engine.all().stream()
                                .filter(each -> each.whose().container().isEmpty())
                                .forEach(each -> node.engine.exit(each.id(), 137))));
        node.settle();
        minutes(1);

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(c().whose().attempt()).isZero();
        node.check();
    }

    @Test
    void nothingIsStartedOnWhatIsNotMountedAnyMoreAndWhatWasMadeForItIsRemoved() {
        node.put(pod("Always", container("")));
        node.engine.during.put(
                "create", () -> node.engine.during.put("create", () -> node.bench.kernel.mounted.clear()));
        node.settle();

        assertThat(node.engine.faults).isEmpty();
        assertThat(node.engine.did).noneMatch(each -> each.startsWith("start mooring_c_"));
        assertThat(node.engine.all()).noneMatch(each -> each.whose().container().equals("c"));
        assertThat(node.status("p")
                        .path("containerStatuses")
                        .path(0)
                        .path("state")
                        .path("waiting")
                        .path("reason")
                        .asText())
                .startsWith("Create");
    }

    @ParameterizedTest
    @CsvSource({
        "create, true",
        "create, false",
        "create afterwards, true",
        "create afterwards, false",
        "start, true",
        "start, false"
    })
    void aPodThatGoesWhileItBeginsLeavesNothing(String call, boolean byForce) {
        node.put(pod("Always", container("")));
        node.engine.during.put(call, () -> {
            if (byForce) {
                node.bench.remove("pods/ns/p");
            } else {
                node.delete("p", 30);
            }
        });
        node.settle();
        minutes(1);

        isGone();
    }

    /** Nobody knows whether the engine will still do what it was asked for. */
    @Test
    void aVolumeStaysUnderWhatMayJustBeStarting() {
        node.put(pod("Always", container("")));
        node.engine.during.put(
                "start", () -> node.engine.during.put("start", () -> node.engine.fails("start", Kind.TOO_SLOW)));
        node.settle();
        assertThat(c().state()).isEqualTo(State.CREATED);
        assertThat(node.book.mayRun("u1")).isTrue();

        node.engine.broken.add("remove");
        node.bench.remove("pods/ns/p");
        node.settle();
        assertThat(node.bench.kernel.mounted).hasSize(1);

        node.engine.forgive();
        minutes(1);
        isGone();
    }

    @Test
    void aPostStartHookThatFailsEndsTheContainer() {
        node.engine.execExit = 3;
        node.put(pod("Always", container(", lifecycle: {postStart: {exec: {command: [up]}}}")));
        node.settle();

        assertThat(node.told("FailedPostStartHook"))
                .containsExactly("Warning FailedPostStartHook PostStartHook failed");
        assertThat(node.told("Killing")).containsExactly("Normal Killing FailedPostStartHook");
        assertThat(node.live("u1")).containsExactly("");
        assertThat(node.engine.calls("exec")).isEqualTo(2);
    }

    @Test
    void aPreStopHookIsRunBeforeTheEndAndItsFailureChangesNothing() {
        runs(pod("Always", container(", lifecycle: {preStop: {exec: {command: [down]}}}")));
        node.engine.execExit = 1;
        node.engine.did.clear();
        node.delete("p", 30);
        node.settle();

        assertThat(node.engine.did)
                .startsWith("exec mooring_c_p_ns_u1_0 down", "stop mooring_c_p_ns_u1_0")
                .hasSize(4);
        assertThat(node.told("FailedPreStopHook")).containsExactly("Warning FailedPreStopHook PreStopHook failed");
        isGone();
    }

    @Test
    void whatCrashesIsBegunAtOnceWhenSomethingElseIsAskedFor() {
        node.engine.endsAtOnce.put("c", 1);
        node.put(pod("Always", container("")));
        minutes(4);
        assertThat(node.live("u1")).containsExactly("");

        node.engine.images.add("better");
        node.engine.endsAtOnce.clear();
        node.bench.change(
                "pods/ns/p",
                pod -> pod.withArray("/spec/containers").get(0).withObject("").put("image", "better"));
        node.settle();

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(c().whose().setbacks()).isZero();
    }

    @Test
    void whatSomebodyStartsBesideAContainerIsEnded() {
        runs(pod("Always", container("")));
        ContainerFacts first = c();
        node.engine.exit(first.id(), 1);
        node.settle();
        assertThat(c().whose().attempt()).isEqualTo(1);

        node.engine.startedByHand(first.id());
        node.settle();

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(c().isLive()).isTrue();
    }

    @Test
    void whatNeverRanOfAFinishedPodIsRemoved() {
        node.put(pod("Never", container("")).replace("spec: {", "spec: {activeDeadlineSeconds: 60, "));
        node.engine.during.put(
                "start", () -> node.engine.during.put("start", () -> node.engine.fails("start", Kind.TOO_SLOW)));
        node.settle();
        node.engine.broken.add("inspect");
        minutes(2);
        node.engine.forgive();
        minutes(2);

        assertThat(node.status("p").path("reason").asText()).isEqualTo("DeadlineExceeded");
        assertThat(node.bench.kernel.mounted).isEmpty();
        node.check();
    }

    @Test
    void anImageThatIsTakenAwayIsAskedForAnew() {
        node.put(pod("Always", container("")));
        node.engine.during.put(
                "create", () -> node.engine.during.put("create", () -> node.engine.images.remove("busybox")));
        node.settle();
        minutes(1);
        assertThat(node.status("p")
                        .path("containerStatuses")
                        .path(0)
                        .path("state")
                        .path("waiting")
                        .path("reason")
                        .asText())
                .isIn("ErrImagePull", "ImagePullBackOff");

        node.engine.images.add("busybox");
        minutes(6);
        assertThat(node.live("u1")).containsExactly("", "c");
    }

    @Test
    void aPodThatIsTakenAwayByForceDoesNotWaitForTheTimeItWasGiven() {
        runs(pod("Always", container("")));
        // As if it were being ended, with all the time in the world.
        node.book.begin(
                "u1", ObjectKey.parse("pods/ns/p"), Step.Stop.slot("c"), new ContainerBook.Busy(Optional.empty()));

        node.bench.remove("pods/ns/p");
        node.settle();

        assertThat(node.engine.all()).isEmpty();
        node.book.ended("u1", Step.Stop.slot("c"), Optional.empty());
        minutes(1);
        isGone();
    }

    @Test
    void onlyWhatConcernsPodsOfANodeHasThemLookedAt() {
        runs(pod("Always", container("")));
        node.engine.all().forEach(each -> node.engine.news.clear());
        List<ObjectKey> looked = new ArrayList<>();
        PodDriver driver = new PodDriver(node.parts);
        var before = node.bench.world().get(ObjectKey.parse("nodes/n1"));
        node.bench.change(
                "nodes/n1",
                each -> each.withObject("/status").putArray("volumesInUse").add("x"));
        var after = node.bench.world().get(ObjectKey.parse("nodes/n1")).orElseThrow();
        tell(driver, after, before, looked);
        assertThat(looked).isEmpty();

        tell(driver, after, Optional.empty(), looked);
        assertThat(looked).containsExactly(PodWakes.EVERYTHING);
    }

    private void tell(PodDriver driver, StoredObject object, Optional<StoredObject> before, List<ObjectKey> looked) {
        driver.follow(Change.put(object, 0), before, node.bench.world(), new Controller.Wakes() {
            @Override
            public void now(ObjectKey key) {
                looked.add(key);
            }

            @Override
            public void within(ObjectKey key, Duration delay) {
                looked.add(key);
            }
        });
    }
}
