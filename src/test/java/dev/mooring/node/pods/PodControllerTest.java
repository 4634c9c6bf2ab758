package dev.mooring.node.pods;

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

/** Tests the life cycle of a Pod, one aspect per test. */
class PodControllerTest extends SinglePodFixture {
    @Test
    void pod_createdAndDeleted_runsAndIsRemoved() {
        startPod(pod("Always", container("")));
        assertThat(node.status("p").path("phase").asText()).isEqualTo("Running");
        assertThat(node.recordedEvents("Started")).containsExactly("Normal Started Started container c");

        node.delete("p", 30);
        node.settle();

        assertThat(node.recordedEvents("Killing")).containsExactly("Normal Killing Stopping container c");
        assertPodIsGone();
    }

    @Test
    void pod_sandboxExits_isRecreatedWithEvent() {
        startPod(pod("Always", container("")));
        passMinutes(1);
        node.engine.all().stream()
                .filter(each -> each.identity().container().isEmpty())
                .forEach(each -> node.engine.exit(each.id(), 137));
        passMinutes(1);

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(newestContainer().identity().attempt()).isEqualTo(1);
        assertThat(node.recordedEvents("SandboxChanged"))
                .containsExactly("Normal SandboxChanged Pod sandbox changed, it will be killed and re-created.");
        node.check();
    }

    @Test
    void container_sandboxExitsBeforeStart_isRecreatedWithoutPodFailure() {
        node.put(pod("Never", container("")));
        node.engine.during.put(
                "create afterwards",
                () -> node.engine.during.put(
                        "create afterwards",
                        () -> node.engine.all().stream()
                                .filter(each -> each.identity().container().isEmpty())
                                .forEach(each -> node.engine.exit(each.id(), 137))));
        node.settle();
        passMinutes(1);

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(newestContainer().identity().attempt()).isZero();
        node.check();
    }

    @Test
    void container_volumeUnmountedBeforeStart_isRemovedAndNotStarted() {
        node.put(pod("Always", container("")));
        node.engine.during.put(
                "create", () -> node.engine.during.put("create", () -> node.volumes.kernel.mounted.clear()));
        node.settle();

        assertThat(node.engine.violations).isEmpty();
        assertThat(node.engine.calledActions).noneMatch(each -> each.startsWith("start mooring_c_"));
        assertThat(node.engine.all())
                .noneMatch(each -> each.identity().container().equals("c"));
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
    void pod_deletedWhileStarting_leavesNothing(String call, boolean force) {
        node.put(pod("Always", container("")));
        node.engine.during.put(call, () -> {
            if (force) {
                node.volumes.remove("pods/ns/p");
            } else {
                node.delete("p", 30);
            }
        });
        node.settle();
        passMinutes(1);

        assertPodIsGone();
    }

    /** After a timeout it is unknown whether the engine will still start the container. */
    @Test
    void volume_containerStartTimedOut_staysMounted() {
        node.put(pod("Always", container("")));
        node.engine.during.put(
                "start", () -> node.engine.during.put("start", () -> node.engine.fails("start", Kind.TOO_SLOW)));
        node.settle();
        assertThat(newestContainer().state()).isEqualTo(State.CREATED);
        assertThat(node.cache.mayRun("u1")).isTrue();

        node.engine.broken.add("remove");
        node.volumes.remove("pods/ns/p");
        node.settle();
        assertThat(node.volumes.kernel.mounted).hasSize(1);

        node.engine.clearFailures();
        passMinutes(1);
        assertPodIsGone();
    }

    @Test
    void postStartHook_fails_stopsContainer() {
        node.engine.execExit = 3;
        node.put(pod("Always", container(", lifecycle: {postStart: {exec: {command: [up]}}}")));
        node.settle();

        assertThat(node.recordedEvents("FailedPostStartHook"))
                .containsExactly("Warning FailedPostStartHook PostStartHook failed");
        assertThat(node.recordedEvents("Killing")).containsExactly("Normal Killing FailedPostStartHook");
        assertThat(node.live("u1")).containsExactly("");
        assertThat(node.engine.calls("exec")).isEqualTo(2);
    }

    @Test
    void preStopHook_fails_containerIsStoppedAnyway() {
        startPod(pod("Always", container(", lifecycle: {preStop: {exec: {command: [down]}}}")));
        node.engine.execExit = 1;
        node.engine.calledActions.clear();
        node.delete("p", 30);
        node.settle();

        assertThat(node.engine.calledActions)
                .startsWith("exec mooring_c_p_ns_u1_0 down", "stop mooring_c_p_ns_u1_0")
                .hasSize(4);
        assertThat(node.recordedEvents("FailedPreStopHook"))
                .containsExactly("Warning FailedPreStopHook PreStopHook failed");
        assertPodIsGone();
    }

    @Test
    void crashingContainer_imageChanged_isStartedWithoutBackOff() {
        node.engine.exitsImmediately.put("c", 1);
        node.put(pod("Always", container("")));
        passMinutes(4);
        assertThat(node.live("u1")).containsExactly("");

        node.engine.images.add("better");
        node.engine.exitsImmediately.clear();
        node.volumes.change(
                "pods/ns/p",
                pod -> pod.withArray("/spec/containers").get(0).withObject("").put("image", "better"));
        node.settle();

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(newestContainer().identity().backoffCount()).isZero();
    }

    @Test
    void oldAttempt_startedExternally_isStopped() {
        startPod(pod("Always", container("")));
        ContainerFacts first = newestContainer();
        node.engine.exit(first.id(), 1);
        node.settle();
        assertThat(newestContainer().identity().attempt()).isEqualTo(1);

        node.engine.startExternally(first.id());
        node.settle();

        assertThat(node.live("u1")).containsExactly("", "c");
        assertThat(newestContainer().isLive()).isTrue();
    }

    @Test
    void pod_deadlineExceededBeforeContainerStart_isFailedAndUnmounted() {
        node.put(pod("Never", container("")).replace("spec: {", "spec: {activeDeadlineSeconds: 60, "));
        node.engine.during.put(
                "start", () -> node.engine.during.put("start", () -> node.engine.fails("start", Kind.TOO_SLOW)));
        node.settle();
        node.engine.broken.add("inspect");
        passMinutes(2);
        node.engine.clearFailures();
        passMinutes(2);

        assertThat(node.status("p").path("reason").asText()).isEqualTo("DeadlineExceeded");
        assertThat(node.volumes.kernel.mounted).isEmpty();
        node.check();
    }

    @Test
    void image_removedBeforeCreate_isRequestedAgain() {
        node.put(pod("Always", container("")));
        node.engine.during.put(
                "create", () -> node.engine.during.put("create", () -> node.engine.images.remove("busybox")));
        node.settle();
        passMinutes(1);
        assertThat(node.status("p")
                        .path("containerStatuses")
                        .path(0)
                        .path("state")
                        .path("waiting")
                        .path("reason")
                        .asText())
                .isIn("ErrImagePull", "ImagePullBackOff");

        node.engine.images.add("busybox");
        passMinutes(6);
        assertThat(node.live("u1")).containsExactly("", "c");
    }

    @Test
    void pod_forceDeletedWhileStopping_isRemovedWithoutGracePeriod() {
        startPod(pod("Always", container("")));
        // The container is being stopped, without a deadline.
        node.cache.beginAction(
                "u1",
                ObjectKey.parse("pods/ns/p"),
                PodAction.StopContainer.slot("c"),
                new ContainerCache.ActionInProgress(Optional.empty()));

        node.volumes.remove("pods/ns/p");
        node.settle();

        assertThat(node.engine.all()).isEmpty();
        node.cache.endAction("u1", PodAction.StopContainer.slot("c"), Optional.empty());
        passMinutes(1);
        assertPodIsGone();
    }

    @Test
    void nodeChange_onlyNewNode_requeuesAllPods() {
        startPod(pod("Always", container("")));
        node.engine.all().forEach(each -> node.engine.pendingEvents.clear());
        List<ObjectKey> requeued = new ArrayList<>();
        PodController controller = new PodController(node.context);
        var before = node.volumes.world().get(ObjectKey.parse("nodes/n1"));
        node.volumes.change(
                "nodes/n1",
                each -> each.withObject("/status").putArray("volumesInUse").add("x"));
        var after = node.volumes.world().get(ObjectKey.parse("nodes/n1")).orElseThrow();
        deliver(controller, after, before, requeued);
        assertThat(requeued).isEmpty();

        deliver(controller, after, Optional.empty(), requeued);
        assertThat(requeued).containsExactly(PodRequeue.ALL_PODS);
    }

    private void deliver(
            PodController controller, StoredObject object, Optional<StoredObject> before, List<ObjectKey> requeued) {
        controller.onChange(Change.put(object, 0), before, node.volumes.world(), new Controller.Enqueuer() {
            @Override
            public void enqueue(ObjectKey key) {
                requeued.add(key);
            }

            @Override
            public void enqueueWithin(ObjectKey key, Duration delay) {
                requeued.add(key);
            }
        });
    }
}
