package dev.mooring.node.reconcile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.PodOf;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.world.Proposal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Optional;
import java.util.UUID;

/**
 * The events before and after everything that is done to a volume, each with the ActualVolume as it then is. What an operation may bring about
 * stands there as possible from its opening on: who finds an opening without an end knows what to be afraid of.
 *
 * <p>Pure; any thread.
 *
 * @param node its name
 * @param layout where it keeps volumes
 */
record Brackets(String node, NodeLayout layout) {
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

    /** A step is begun. */
    Proposal open(ObjectKey key, Sight sight, Step step) {
        ObjectNode object = sight.actual().map(ActualVolume::copy).orElseGet(() -> created(key, sight));
        ObjectNode status = object.withObject("/status");
        switch (step.operation()) {
            case ATTACH -> begin(status, ATTACHMENT, ActualVolume.ATTACHING);
            case DETACH -> status.put(ATTACHMENT, ActualVolume.UNCERTAIN);
            case MOUNT_DEVICE -> begin(status, DEVICE_MOUNT, ActualVolume.MOUNTING);
            case UNMOUNT_DEVICE -> status.put(DEVICE_MOUNT, ActualVolume.UNCERTAIN);
            case MOUNT -> openMount(status, sight, step.pod().orElseThrow());
            case UNMOUNT -> openUnmount(status, sight, step.pod().orElseThrow());
            case EXPAND -> {}
        }
        if (!step.operation().isForOnePod()) {
            tries(status, step.operation(), Wish.fingerprint(sight.desired()));
        }
        settle(status, sight.now());
        Cause cause = sight.desired().isEmpty()
                ? sight.actual().map(ActualVolume::cause).orElse(Cause.none())
                : sight.desired().get(0).cause();
        Proposal.Builder proposal =
                Proposal.by(actor(), step.operation().opening()).because(cause);
        Draft draft = Draft.of(key, object);
        sight.actual().ifPresentOrElse(seen -> proposal.replace(seen.stored(), draft), () -> proposal.create(draft));
        // What gives must still be wanted, and still be allowed.
        if (step.operation() == Operation.MOUNT) {
            sight.exclusive()
                    .ifPresent(volume ->
                            Exclusion.take(volume, key, step.pod().orElseThrow().uid(), proposal));
            Wish.of(step.pod().orElseThrow().uid(), sight.desired())
                    .parts()
                    .forEach(each -> proposal.expect(each.stored()));
        } else if (step.operation() == Operation.ATTACH || step.operation() == Operation.MOUNT_DEVICE) {
            sight.desired().forEach(each -> proposal.expect(each.stored()));
            sight.attachment().ifPresent(proposal::expect);
        }
        return proposal.build();
    }

    /** What may be there from before stays uncertain, so that an attempt that fails and leaves nothing does not make it forgotten. */
    private static void begin(ObjectNode status, String field, String state) {
        status.put(field, status.has(field) ? ActualVolume.UNCERTAIN : state);
    }

    /** Failures count for the operation and the wish they happened with. */
    private static void tries(ObjectNode place, Operation operation, String wish) {
        boolean another = !place.path("lastError").path(OPERATION).asText("").equals(operation.text())
                || !place.path("tried").asText("").equals(wish);
        if (another) {
            Trouble.forget(place);
        }
        place.remove("nextTry");
        place.put(OPERATION, operation.text()).put("tried", wish);
    }

    private static void openUnmount(ObjectNode status, Sight sight, PodOf pod) {
        ObjectNode mount = mount(status, pod.uid()).orElseThrow();
        mount.put(STATE, ActualVolume.UNMOUNTING).put("since", time(sight.now()));
        tries(mount, Operation.UNMOUNT, "");
    }

    private void openMount(ObjectNode status, Sight sight, PodOf pod) {
        Wish wish = Wish.of(pod.uid(), sight.desired());
        DesiredVolume desired = wish.first();
        Optional<ObjectNode> existing = mount(status, pod.uid());
        ObjectNode mount = existing.orElseGet(() -> status.withArray("mounts").addObject());
        if (existing.isEmpty()) {
            mount.put("path", target(desired).toString());
            mount.set("pod", pod.json());
            mount.put("volumeName", desired.volumeName());
        }
        // A mount that is only brought up to date is there all the time.
        if (!mount.path(STATE).asText("").equals(ActualVolume.MOUNTED)) {
            mount.put(STATE, ActualVolume.MOUNTING).put("since", time(sight.now()));
        }
        tries(mount, Operation.MOUNT, Wish.fingerprint(wish.parts()));
    }

    /** Where a Pod's volume goes. */
    Path target(DesiredVolume desired) {
        return target(desired.pod().uid(), desired.plugin(), desired.directoryName(), desired.mode());
    }

    Path target(String podUid, String plugin, String name, VolumeMode mode) {
        return mode == VolumeMode.BLOCK ? layout.device(podUid, plugin, name) : layout.volume(podUid, plugin, name);
    }

    /** A step has ended. Nothing if it is not under way according to the object. */
    Optional<Proposal> close(ActualVolume seen, Operation operation, String podUid, Ended ended, Instant now) {
        ObjectNode object = seen.copy();
        ObjectNode status = object.withObject("/status");
        Optional<ObjectNode> place = operation.isForOnePod() ? mount(status, podUid) : Optional.of(status);
        if (place.filter(each -> each.path(OPERATION).asText("").equals(operation.text()))
                .isEmpty()) {
            return Optional.empty();
        }
        place.get().remove(OPERATION);
        String type;
        if (ended instanceof Ended.Failed failed) {
            type = failed.left() == Left.NOTHING ? operation.failed() : operation.uncertain();
            fail(place.get(), operation, failed, now);
            undo(object, place.get(), operation, failed.left(), now);
        } else {
            type = operation.done();
            Trouble.forget(place.get());
            if (ended instanceof Ended.Gone) {
                gone(status, operation, podUid);
            } else {
                succeed(object, place.get(), ended, now);
            }
        }
        settle(status, now);
        Proposal.Builder proposal = Proposal.by(actor(), type).because(seen.cause());
        return Optional.of(
                isEmpty(status)
                        ? proposal.remove(seen.stored()).build()
                        : proposal.replace(seen.stored(), Draft.of(seen.key(), object))
                                .build());
    }

    /** Whether the node has nothing of the volume, and nothing is being done or has gone wrong. */
    private static boolean isEmpty(ObjectNode status) {
        return !status.has("mounts")
                && !status.has(DEVICE_MOUNT)
                && !status.has(ATTACHMENT)
                && !status.has(OPERATION)
                && !status.has("lastError");
    }

    private static void fail(ObjectNode place, Operation operation, Ended.Failed failed, Instant now) {
        int attempts = place.path("attempts").asInt(0) + 1;
        new Trouble(operation.text(), failed.reason(), failed.message(), failed.raw())
                .write(place, attempts, Planner.BACKOFF.after(attempts), now);
    }

    /** What is true after a failure; what was there before the attempt is still there. */
    private static void undo(ObjectNode object, ObjectNode place, Operation operation, Left left, Instant now) {
        ObjectNode status = object.withObject("/status");
        boolean clean = left == Left.NOTHING && !status.path(RECONSTRUCTED).asBoolean(false);
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

    private static void succeed(ObjectNode object, ObjectNode place, Ended ended, Instant now) {
        ObjectNode status = object.withObject("/status");
        if (ended instanceof Ended.Attached attached) {
            status.put(ATTACHMENT, ActualVolume.ATTACHED).put(DEVICE_PATH, attached.devicePath());
        } else if (ended instanceof Ended.Ready ready) {
            status.put(DEVICE_MOUNT, ActualVolume.MOUNTED);
            put(status, DEVICE_PATH, ready.state().path());
            ready.state().mounted().ifPresent(path -> status.put(DEVICE_MOUNT_PATH, path.toString()));
            putSize(status, ready.bytes());
        } else if (ended instanceof Ended.Mounted mounted) {
            mounted(object, place, mounted, now);
        } else if (ended instanceof Ended.Grown grown) {
            putSize(status, grown.bytes());
        }
    }

    private static void mounted(ObjectNode object, ObjectNode mount, Ended.Mounted ended, Instant now) {
        if (!mount.path(STATE).asText("").equals(ActualVolume.MOUNTED)) {
            mount.put(STATE, ActualVolume.MOUNTED).put("since", time(now));
        }
        mount.put("path", ended.done().path().toString());
        mount.remove("readOnly");
        if (ended.wish().access() == Access.READ_ONLY) {
            mount.put("readOnly", true);
        }
        mount.remove("health");
        put(mount, "content", ended.wish().first().content());
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

    private static void gone(ObjectNode status, Operation operation, String podUid) {
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

    /** Nothing is left of it, and nobody wants it. */
    Proposal forget(ActualVolume seen) {
        return Proposal.by(actor(), "VolumeForgotten")
                .because(seen.cause())
                .remove(seen.stored())
                .build();
    }

    private ObjectNode created(ObjectKey key, Sight sight) {
        DesiredVolume desired = sight.desired().get(0);
        ObjectNode object = skeleton(key, desired.volume(), desired.plugin(), sight.now());
        ObjectNode spec = object.withObject("/spec");
        put(spec, "persistentVolume", desired.persistentVolume());
        if (desired.claim().isObject()) {
            spec.set("claim", desired.claim());
        }
        spec.set("source", desired.source());
        spec.put("volumeMode", desired.mode().toString());
        return object;
    }

    /** An ActualVolume of which nothing but its identity is known. */
    ObjectNode skeleton(ObjectKey key, String volume, String plugin, Instant now) {
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

    /** Sums up how it is doing. */
    static void settle(ObjectNode status, Instant now) {
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
