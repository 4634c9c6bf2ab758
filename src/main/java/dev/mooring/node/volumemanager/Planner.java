package dev.mooring.node.volumemanager;

import dev.mooring.control.Backoff;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.ActualVolume.RetryState;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.Volume;
import dev.mooring.node.status.AttachmentReport;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decides the operations for one volume. Their order is defined by {@link #plan}, and matters. Pure; used once. */
final class Planner {
    /** The reason of an expansion that waits for the next mount. */
    static final String EXPANDS_OFFLINE = "GrowsWhenUnused";

    private static final RetryState NEVER = new RetryState(0, Optional.empty(), "", "", "");

    private final ObservedVolume observed;
    private final List<PlannedOperation> operations = new ArrayList<>();
    private final List<VolumePlan.WaitingOperation> waiting = new ArrayList<>();
    private Optional<Instant> next = Optional.empty();

    private Planner(ObservedVolume observed) {
        this.observed = observed;
    }

    static VolumePlan plan(ObservedVolume observed) {
        return new Planner(observed).plan();
    }

    private VolumePlan plan() {
        // First, so that a volume that moves between Pods is unmounted for the old Pod before it is mounted for the new
        // one.
        unmountUnwanted();
        attach();
        mountDevice();
        mountForPods();
        expand();
        // Last, after all Pods are unmounted.
        unmountDevice();
        detach();
        return new VolumePlan(
                operations,
                waiting,
                next,
                isNothingLeft() ? VolumePlan.Disposition.REMOVE : VolumePlan.Disposition.KEEP);
    }

    private void unmountUnwanted() {
        for (Mount each : observed.mounts()) {
            if (observed.isDesiredBy(each.pod().uid())) {
                continue;
            }
            if (observed.podsStillUsing().contains(each.pod().uid())) {
                await(
                        Operation.UNMOUNT,
                        Optional.of(each.pod()),
                        "the Pod may still use it",
                        each.pod().key());
            } else {
                addOperation(
                        Operation.UNMOUNT,
                        Optional.of(each.pod()),
                        each.retryState(),
                        "",
                        "no Pod on this node uses it any more");
            }
        }
    }

    private void attach() {
        if (!isWanted() || !attaches() || isAttached() || observed.isReleased()) {
            return;
        }
        if (!isAttachmentGranted()) {
            await(Operation.ATTACH, Optional.empty(), "no VolumeAttachment for this node yet", attachmentKey());
            return;
        }
        addOperation(
                Operation.ATTACH,
                Optional.empty(),
                trying(),
                fingerprint(),
                "Pods on this node use it and a VolumeAttachment allows it");
    }

    private void mountDevice() {
        if (!isWanted() || observed.device().isEmpty() || isDeviceMounted() || observed.isReleased()) {
            return;
        }
        if (attaches() && (!isAttached() || !isAttachmentGranted())) {
            await(Operation.MOUNT_DEVICE, Optional.empty(), "the device is not attached", Optional.empty());
            return;
        }
        addOperation(Operation.MOUNT_DEVICE, Optional.empty(), trying(), fingerprint(), "Pods on this node use it");
    }

    private void mountForPods() {
        mountRequests().forEach((uid, mountRequest) -> {
            Optional<Mount> mount = observed.actual().flatMap(actual -> actual.mountFor(uid));
            Optional<String> reason = reasonToMount(mount, mountRequest);
            if (reason.isPresent()) {
                mount(mountRequest, mount, reason.get());
            }
        });
    }

    private static Optional<String> reasonToMount(Optional<Mount> mount, MountRequest mountRequest) {
        if (mount.isEmpty()) {
            return Optional.of("the Pod uses it");
        }
        Mount found = mount.get();
        if (!found.isMounted()) {
            return Optional.of("it is " + found.state() + " and the Pod uses it");
        }
        if (!found.content().equals(mountRequest.first().content())) {
            return Optional.of("its content has changed");
        }
        if (found.isReadOnly() != (mountRequest.access() == Access.READ_ONLY)) {
            return Optional.of("its access has changed");
        }
        return Optional.empty();
    }

    private void mount(MountRequest mountRequest, Optional<Mount> mount, String reason) {
        PodReference pod = mountRequest.first().pod();
        Optional<AccessModeConflicts.AccessConflict> conflict =
                Optional.ofNullable(observed.conflicts().get(pod.uid()));
        if (conflict.isPresent()) {
            awaitMount(pod, conflict.get().message(), conflict.get().holder());
        } else if (observed.isReleased()) {
            awaitMount(
                    pod,
                    "its PersistentVolume is not bound to a claim any more",
                    observed.persistentVolume().map(Volume::key));
        } else if (unwantedMount().isPresent()) {
            awaitMount(
                    pod,
                    "another Pod's mount must be removed first",
                    unwantedMount().flatMap(each -> each.pod().key()));
        } else if (observed.device().isPresent() && (!isDeviceMounted() || isDetachRequested())) {
            awaitMount(pod, "it is not ready for Pods yet", Optional.empty());
        } else {
            RetryState trying = mount.map(Mount::retryState).orElse(NEVER);
            addOperation(
                    Operation.MOUNT,
                    Optional.of(pod),
                    trying,
                    MountRequest.fingerprint(mountRequest.volumes()),
                    reason);
        }
    }

    private void expand() {
        if (!isWanted() || observed.device().isEmpty() || !isDeviceMounted() || !operations.isEmpty()) {
            return;
        }
        long wanted = MountRequest.bytes(observed.desired());
        long has = observed.actual()
                .flatMap(ActualVolume::capacity)
                .map(Quantity::value)
                .orElse(wanted);
        boolean writable = observed.desired().stream().anyMatch(each -> !each.isReadOnly());
        boolean later = trying().reason().equals(EXPANDS_OFFLINE)
                && trying().attemptedSpec().equals(fingerprint());
        if (wanted > has && writable && later) {
            await(
                    Operation.EXPAND,
                    Optional.empty(),
                    "it can grow only while no Pod on this node has it mounted",
                    Optional.empty());
        } else if (wanted > has && writable) {
            addOperation(Operation.EXPAND, Optional.empty(), trying(), fingerprint(), "it is smaller than requested");
        }
    }

    private void unmountDevice() {
        if (isToStay() || !observed.mounts().isEmpty() || deviceMount().isEmpty()) {
            return;
        }
        addOperation(
                Operation.UNMOUNT_DEVICE,
                Optional.empty(),
                trying(),
                "",
                "no Pod on this node has it mounted any more");
    }

    private void detach() {
        if (isToStay()
                || !observed.mounts().isEmpty()
                || !deviceMount().isEmpty()
                || attachment().isEmpty()) {
            return;
        }
        if (isAttachmentGranted()) {
            await(
                    Operation.DETACH,
                    Optional.empty(),
                    "the VolumeAttachment for this node still exists",
                    attachmentKey());
            return;
        }
        addOperation(
                Operation.DETACH,
                Optional.empty(),
                trying(),
                "",
                "no VolumeAttachment allows it on this node any more");
    }

    /** Returns whether the entry can be removed: there is no mount, device, request or operation. */
    private boolean isNothingLeft() {
        return observed.actual().isPresent()
                && observed.desired().isEmpty()
                && observed.mounts().isEmpty()
                && deviceMount().isEmpty()
                && attachment().isEmpty()
                && observed.actual().get().operation().isEmpty();
    }

    private void awaitMount(PodReference pod, String reason, Optional<ObjectKey> blocker) {
        await(Operation.MOUNT, Optional.of(pod), reason, blocker);
    }

    private void await(Operation operation, Optional<PodReference> pod, String reason, Optional<ObjectKey> blocker) {
        waiting.add(new VolumePlan.WaitingOperation(operation, pod, reason, blocker, Optional.empty()));
    }

    private Optional<ObjectKey> attachmentKey() {
        return observed.attachment().map(StoredObject::key);
    }

    private void addOperation(
            Operation operation, Optional<PodReference> pod, RetryState trying, String fingerprint, String reason) {
        if (hasConflictingOperation(operation, pod)) {
            return;
        }
        Optional<Instant> due = retryTime(operation, trying, fingerprint);
        if (due.isPresent()) {
            waiting.add(new VolumePlan.WaitingOperation(
                    operation,
                    pod,
                    "failed " + trying.attempts() + " times, retried at " + due.get(),
                    Optional.empty(),
                    due));
            next = next.filter(earlier -> earlier.isBefore(due.get())).or(() -> due);
            return;
        }
        operations.add(new PlannedOperation(operation, pod, reason));
    }

    /**
     * Returns the time of the next attempt; empty if it is due. Failures of another operation or another request do not
     * count.
     */
    private Optional<Instant> retryTime(Operation operation, RetryState trying, String fingerprint) {
        boolean same = trying.failedOperation().equals(operation.text())
                && (trying.attemptedSpec().equals(fingerprint) || fingerprint.isEmpty());
        // A time beyond the maximum delay was stored before the clock was set back.
        return trying.nextTry()
                .filter(due -> same
                        && due.isAfter(observed.now())
                        && !due.isAfter(observed.now().plus(Backoff.VOLUME_OPERATION.longest())));
    }

    private boolean hasConflictingOperation(Operation operation, Optional<PodReference> pod) {
        if (observed.actual().isEmpty()) {
            return false;
        }
        ActualVolume actual = observed.actual().get();
        if (!actual.operation().isEmpty()) {
            return true;
        }
        boolean wholeVolume = !operation.isPerPod()
                || (operation == Operation.MOUNT && observed.device().isPresent());
        return actual.mounts().stream()
                .filter(each -> !each.operation().isEmpty())
                .anyMatch(each -> wholeVolume
                        || (observed.device().isPresent() && each.operation().equals(Operation.MOUNT.text()))
                        || pod.filter(one -> one.uid().equals(each.pod().uid())).isPresent());
    }

    private boolean isWanted() {
        return !observed.desired().isEmpty();
    }

    /**
     * Returns whether the VolumeAttachment is being deleted; further mounts wait for the next attach.
     */
    private boolean isDetachRequested() {
        return attaches()
                && observed.attachment().filter(StoredJson::isBeingDeleted).isPresent();
    }

    private boolean isToStay() {
        return isWanted() && !isDetachRequested();
    }

    private boolean attaches() {
        return observed.device()
                .filter(each -> each == DevicePlugin.AttachMode.BY_THIS_NODE)
                .isPresent();
    }

    private boolean isAttachmentGranted() {
        return observed.attachment()
                .filter(each -> !StoredJson.isBeingDeleted(each) && each.containsText(AttachmentReport.FINALIZER))
                .isPresent();
    }

    private boolean isAttached() {
        return attachment().equals(ActualVolume.ATTACHED);
    }

    private String attachment() {
        return observed.actual().map(ActualVolume::attachment).orElse("");
    }

    private boolean isDeviceMounted() {
        return deviceMount().equals(ActualVolume.MOUNTED);
    }

    private String deviceMount() {
        return observed.actual().map(ActualVolume::deviceMount).orElse("");
    }

    /** Returns a mount that must be removed before the next mount. */
    private Optional<Mount> unwantedMount() {
        return observed.mounts().stream()
                .filter(each -> !observed.isDesiredBy(each.pod().uid())
                        && !observed.podsStillUsing().contains(each.pod().uid()))
                .findFirst();
    }

    private RetryState trying() {
        return observed.actual().map(ActualVolume::retryState).orElse(NEVER);
    }

    private String fingerprint() {
        return MountRequest.fingerprint(observed.desired());
    }

    /** Returns the request of each Pod, ordered by name. */
    private Map<String, MountRequest> mountRequests() {
        Map<String, List<DesiredVolume>> volumesByPod = new LinkedHashMap<>();
        for (DesiredVolume each : observed.desired()) {
            volumesByPod
                    .computeIfAbsent(each.pod().uid(), uid -> new ArrayList<>())
                    .add(each);
        }
        Map<String, MountRequest> requests = new LinkedHashMap<>();
        volumesByPod.forEach((uid, each) -> requests.put(uid, new MountRequest(each)));
        return requests;
    }
}
