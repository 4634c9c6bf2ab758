package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.world.Proposal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Optional;
import java.util.UUID;

/**
 * Proposals before and after each operation on a volume, each with the updated ActualVolume. The possible effects of an
 * operation are recorded as uncertain from its start, so that after a crash an operation without an end shows what may
 * exist on the machine.
 *
 * <p>Pure; any thread.
 *
 * @param node name of the node
 * @param layout its directories
 */
record OperationRecorder(String node, NodeLayout layout) {
    private static final String OPERATION = "operation";
    private static final String STATE = "state";
    private static final String ATTACHMENT = "attachment";
    private static final String DEVICE_PATH = "devicePath";
    private static final String DEVICE_MOUNT = "deviceMount";
    private static final String DEVICE_MOUNT_PATH = "deviceMountPath";
    private static final String CAPACITY = "capacity";
    private static final String RECONSTRUCTED = "reconstructed";

    String actor() {
        return "node/" + node;
    }

    /** Records the start of an operation. */
    Proposal recordStarted(ObjectKey key, ObservedVolume observed, PlannedOperation planned) {
        ObjectNode object = observed.actual().map(ActualVolume::copy).orElseGet(() -> created(key, observed));
        ObjectNode status = object.withObject("/status");
        switch (planned.operation()) {
            case ATTACH -> begin(status, ATTACHMENT, ActualVolume.ATTACHING);
            case DETACH -> status.put(ATTACHMENT, ActualVolume.UNCERTAIN);
            case MOUNT_DEVICE -> begin(status, DEVICE_MOUNT, ActualVolume.MOUNTING);
            case UNMOUNT_DEVICE -> status.put(DEVICE_MOUNT, ActualVolume.UNCERTAIN);
            case MOUNT -> startMount(status, observed, planned.pod().orElseThrow());
            case UNMOUNT -> startUnmount(status, observed, planned.pod().orElseThrow());
            case EXPAND -> {}
        }
        if (!planned.operation().isPerPod()) {
            recordAttempt(status, planned.operation(), MountRequest.fingerprint(observed.desired()));
        }
        updateState(status, observed.now());
        Cause cause = observed.desired().isEmpty()
                ? observed.actual().map(ActualVolume::cause).orElse(Cause.none())
                : observed.desired().get(0).cause();
        Proposal.Builder proposal =
                Proposal.by(actor(), planned.operation().startedEvent()).because(cause);
        Draft draft = Draft.of(key, object);
        observed.actual().ifPresentOrElse(seen -> proposal.replace(seen.stored(), draft), () -> proposal.create(draft));
        // Operations that provide a volume require that it is still desired and allowed.
        if (planned.operation() == Operation.MOUNT) {
            boolean exclusive = observed.desired().stream().anyMatch(AccessModeConflicts::isExclusive);
            observed.persistentVolume().ifPresent(volume -> {
                if (exclusive) {
                    AccessModeConflicts.recordHolder(
                            volume, key, planned.pod().orElseThrow().uid(), proposal);
                } else {
                    proposal.expect(volume.stored());
                }
            });
            MountRequest.of(planned.pod().orElseThrow().uid(), observed.desired())
                    .volumes()
                    .forEach(each -> proposal.expect(each.stored()));
        } else if (planned.operation() == Operation.ATTACH || planned.operation() == Operation.MOUNT_DEVICE) {
            observed.desired().forEach(each -> proposal.expect(each.stored()));
            observed.attachment().ifPresent(proposal::expect);
            observed.persistentVolume().ifPresent(volume -> proposal.expect(volume.stored()));
        }
        return proposal.build();
    }

    /** Marks the state as uncertain while earlier state may exist, so that a failed attempt does not hide it. */
    private static void begin(ObjectNode status, String field, String state) {
        status.put(field, status.has(field) ? ActualVolume.UNCERTAIN : state);
    }

    /** Records an attempt. Failures count per operation and per fingerprint of the request. */
    private static void recordAttempt(ObjectNode place, Operation operation, String fingerprint) {
        boolean another = !place.path("lastError").path(OPERATION).asText("").equals(operation.text())
                || !place.path("tried").asText("").equals(fingerprint);
        if (another) {
            LastError.forget(place);
        }
        place.remove("nextTry");
        place.put(OPERATION, operation.text()).put("tried", fingerprint);
    }

    private static void startUnmount(ObjectNode status, ObservedVolume observed, PodReference pod) {
        ObjectNode mount = mount(status, pod.uid()).orElseThrow();
        mount.put(STATE, ActualVolume.UNMOUNTING).put("since", time(observed.now()));
        recordAttempt(mount, Operation.UNMOUNT, "");
    }

    private void startMount(ObjectNode status, ObservedVolume observed, PodReference pod) {
        MountRequest mountRequest = MountRequest.of(pod.uid(), observed.desired());
        DesiredVolume desired = mountRequest.first();
        Optional<ObjectNode> existing = mount(status, pod.uid());
        ObjectNode mount = existing.orElseGet(() -> status.withArray("mounts").addObject());
        if (existing.isEmpty()) {
            mount.put("path", target(desired).toString());
            mount.set("pod", pod.json());
            mount.put("volumeName", desired.volumeName());
        }
        // A mount that is only updated stays mounted.
        if (!mount.path(STATE).asText("").equals(ActualVolume.MOUNTED)) {
            mount.put(STATE, ActualVolume.MOUNTING).put("since", time(observed.now()));
        }
        recordAttempt(mount, Operation.MOUNT, MountRequest.fingerprint(mountRequest.volumes()));
    }

    /** Returns the mount point of a Pod's volume. */
    Path target(DesiredVolume desired) {
        return target(desired.pod().uid(), desired.plugin(), desired.directoryName(), desired.mode());
    }

    Path target(String podUid, String plugin, String name, VolumeMode mode) {
        return mode == VolumeMode.BLOCK ? layout.device(podUid, plugin, name) : layout.volume(podUid, plugin, name);
    }

    /** Records the end of an operation; empty if the object has no such operation in progress. */
    Optional<Proposal> recordFinished(
            ActualVolume seen, Operation operation, String podUid, OperationResult ended, Instant now) {
        ObjectNode object = seen.copy();
        ObjectNode status = object.withObject("/status");
        Optional<ObjectNode> place = operation.isPerPod() ? mount(status, podUid) : Optional.of(status);
        if (place.filter(each -> each.path(OPERATION).asText("").equals(operation.text()))
                .isEmpty()) {
            return Optional.empty();
        }
        place.get().remove(OPERATION);
        String type;
        if (ended instanceof OperationResult.Failed failed) {
            type = failed.left() == FailureState.CLEAN ? operation.failedEvent() : operation.uncertainEvent();
            recordFailure(place.get(), operation, failed, now);
            revertState(object, place.get(), operation, failed.left(), now);
        } else {
            type = operation.doneEvent();
            LastError.forget(place.get());
            if (ended instanceof OperationResult.Removed) {
                removeState(status, operation, podUid);
            } else {
                recordSuccess(object, place.get(), ended, now);
            }
        }
        updateState(status, now);
        Proposal.Builder proposal = Proposal.by(actor(), type).because(seen.cause());
        return Optional.of(
                isEmpty(status)
                        ? proposal.remove(seen.stored()).build()
                        : proposal.replace(seen.stored(), Draft.of(seen.key(), object))
                                .build());
    }

    /** Returns whether the volume has no mount, no device, no operation and no error. */
    private static boolean isEmpty(ObjectNode status) {
        return !status.has("mounts")
                && !status.has(DEVICE_MOUNT)
                && !status.has(ATTACHMENT)
                && !status.has(OPERATION)
                && !status.has("lastError");
    }

    private static void recordFailure(
            ObjectNode place, Operation operation, OperationResult.Failed failed, Instant now) {
        int attempts = place.path("attempts").asInt(0) + 1;
        new LastError(operation.text(), failed.reason(), failed.message(), failed.raw())
                .write(place, attempts, Backoff.VOLUME_OPERATION.after(attempts), now);
    }

    /** Sets the state after a failure; state from before the attempt stays. */
    private static void revertState(
            ObjectNode object, ObjectNode place, Operation operation, FailureState left, Instant now) {
        ObjectNode status = object.withObject("/status");
        boolean clean =
                left == FailureState.CLEAN && !status.path(RECONSTRUCTED).asBoolean(false);
        switch (operation) {
            case MOUNT -> {
                if (!place.path(STATE).asText("").equals(ActualVolume.MOUNTED)) {
                    place.put(STATE, clean ? ActualVolume.FAILED : ActualVolume.UNCERTAIN)
                            .put("since", time(now));
                }
            }
            case UNMOUNT -> place.put(STATE, ActualVolume.UNCERTAIN).put("since", time(now));
            case ATTACH -> end(status, ATTACHMENT, DEVICE_PATH, clean);
            case MOUNT_DEVICE -> end(status, DEVICE_MOUNT, DEVICE_MOUNT_PATH, clean);
            case DETACH, UNMOUNT_DEVICE, EXPAND -> {}
        }
    }

    private static void end(ObjectNode status, String field, String path, boolean clean) {
        if (clean && !status.path(field).asText("").equals(ActualVolume.UNCERTAIN)) {
            status.remove(field);
            status.remove(path);
        } else {
            status.put(field, ActualVolume.UNCERTAIN);
        }
    }

    private static void recordSuccess(ObjectNode object, ObjectNode place, OperationResult ended, Instant now) {
        ObjectNode status = object.withObject("/status");
        if (ended instanceof OperationResult.Attached attached) {
            status.put(ATTACHMENT, ActualVolume.ATTACHED).put(DEVICE_PATH, attached.devicePath());
        } else if (ended instanceof OperationResult.DeviceMounted ready) {
            status.put(DEVICE_MOUNT, ActualVolume.MOUNTED);
            put(status, DEVICE_PATH, ready.state().devicePath());
            ready.state().deviceMountPath().ifPresent(path -> status.put(DEVICE_MOUNT_PATH, path.toString()));
            putSize(status, ready.bytes());
        } else if (ended instanceof OperationResult.Mounted mounted) {
            mounted(object, place, mounted, now);
        } else if (ended instanceof OperationResult.Expanded grown) {
            putSize(status, grown.bytes());
        }
    }

    private static void mounted(ObjectNode object, ObjectNode mount, OperationResult.Mounted ended, Instant now) {
        if (!mount.path(STATE).asText("").equals(ActualVolume.MOUNTED)) {
            mount.put(STATE, ActualVolume.MOUNTED).put("since", time(now));
        }
        mount.put("path", ended.done().path().toString());
        mount.remove("readOnly");
        if (ended.request().access() == Access.READ_ONLY) {
            mount.put("readOnly", true);
        }
        mount.remove("health");
        put(mount, "content", ended.request().first().content());
        ArrayNode options = JsonNodeFactory.instance.arrayNode();
        ended.done().options().forEach(options::add);
        if (options.isEmpty()) {
            mount.remove("options");
        } else {
            mount.set("options", options);
        }
        object.withObject("/status").remove(RECONSTRUCTED);
        put(object.withObject("/spec"), "device", ended.done().source());
    }

    private static void removeState(ObjectNode status, Operation operation, String podUid) {
        switch (operation) {
            case UNMOUNT -> {
                for (Iterator<JsonNode> each = status.withArray("mounts").iterator(); each.hasNext(); ) {
                    if (each.next().path("pod").path("uid").asText("").equals(podUid)) {
                        each.remove();
                    }
                }
                if (status.path("mounts").isEmpty()) {
                    status.remove("mounts");
                }
            }
            case UNMOUNT_DEVICE -> {
                status.remove(DEVICE_MOUNT);
                status.remove(DEVICE_MOUNT_PATH);
            }
            default -> {
                status.remove(ATTACHMENT);
                status.remove(DEVICE_PATH);
            }
        }
    }

    private static void putSize(ObjectNode status, long bytes) {
        if (bytes > 0) {
            status.put(CAPACITY, Quantity.ofBytes(bytes).canonical());
        }
    }

    private static void put(ObjectNode object, String field, String text) {
        if (text.isEmpty()) {
            object.remove(field);
        } else {
            object.put(field, text);
        }
    }

    /** Removes an ActualVolume that is empty and not desired. */
    Proposal removeVolume(ActualVolume seen) {
        return Proposal.by(actor(), "VolumeForgotten")
                .because(seen.cause())
                .remove(seen.stored())
                .build();
    }

    private ObjectNode created(ObjectKey key, ObservedVolume observed) {
        DesiredVolume desired = observed.desired().get(0);
        ObjectNode object = newActualVolume(key, desired.volume(), desired.plugin(), observed.now());
        ObjectNode spec = object.withObject("/spec");
        put(spec, "persistentVolume", desired.persistentVolume());
        if (desired.claim().isObject()) {
            spec.set("claim", desired.claim());
        }
        spec.set("source", desired.source());
        spec.put("volumeMode", desired.mode().toString());
        return object;
    }

    /** Creates an ActualVolume with its identity only. */
    ObjectNode newActualVolume(ObjectKey key, String volume, String plugin, Instant now) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "mooring.dev/v1").put("kind", "ActualVolume");
        String unique = key + "@" + now;
        object.putObject("metadata")
                .put("name", key.name())
                .put(
                        "uid",
                        UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8))
                                .toString())
                .put("creationTimestamp", time(now));
        object.putObject("spec").put("node", node).put("volume", volume).put("plugin", plugin);
        object.putObject("status");
        return object;
    }

    /** Updates the summary state. */
    static void updateState(ObjectNode status, Instant now) {
        String state = VolumeState.of(status);
        if (!status.path(STATE).asText("").equals(state)) {
            status.put(STATE, state).put("since", time(now));
        }
    }

    static Optional<ObjectNode> mount(ObjectNode status, String podUid) {
        for (JsonNode each : status.path("mounts")) {
            if (each.path("pod").path("uid").asText("").equals(podUid)) {
                return Optional.of((ObjectNode) each);
            }
        }
        return Optional.empty();
    }

    static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
