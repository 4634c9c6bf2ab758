package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.resource.Patch.PatchFormat;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.List;

/** Actions that change existing objects with all patch formats: common edits and harmful ones. */
final class EditActions {
    private static final Duration HOLD = Duration.ofSeconds(60);

    private final ActionContext context;
    private final SeededRandom random;

    EditActions(ActionContext context) {
        this.context = context;
        this.random = context.random();
    }

    void perform(SimClient user, World world) {
        switch (random.below(22)) {
            case 0, 1, 2 -> context.anything(world).ifPresent(object -> label(user, object));
            case 3, 4 -> context.anything(world).ifPresent(object -> hold(user, object));
            case 5, 6 -> context.anything(world).ifPresent(object -> force(user, object));
            case 7, 8, 9 -> context.any(world, NamePools.CLAIMS).ifPresent(claim -> grow(user, claim));
            case 10 -> context.any(world, NamePools.CLAIMS).ifPresent(claim -> shrink(user, claim));
            case 11, 12 -> context.any(world, NamePools.VOLUMES).ifPresent(volume -> policy(user, volume));
            case 13, 14 -> context.any(world, NamePools.VOLUMES).ifPresent(volume -> changeClaimRef(user, volume));
            case 15 -> context.any(world, NamePools.CLAIMS).ifPresent(claim -> claimStatus(user, claim));
            case 16 -> context.any(world, NamePools.VOLUMES).ifPresent(volume -> volumeStatus(user, volume));
            case 17 -> context.any(world, NamePools.NODES).ifPresent(node -> cordon(user, node));
            case 18, 19 -> context.any(world, NamePools.CONFIG_MAPS).ifPresent(map -> content(user, map));
            case 20 -> context.any(world, NamePools.CLASSES).ifPresent(found -> changeDefaultClass(user, found));
            default -> context.any(world, NamePools.PODS).ifPresent(pod -> pod(user, pod));
        }
    }

    private void label(SimClient user, StoredObject object) {
        String value = "r" + random.below(5);
        PatchFormat format = random.one(List.of(PatchFormat.values()));
        JsonNode patch = format == PatchFormat.JSON
                ? operations("add", "/metadata/labels", ActionContext.json().put("round", value))
                : merge("/metadata/labels", "round", value);
        user.send(SimRequest.patch("labels by " + format, object.key(), "", format, patch));
    }

    /** Adds a user's finalizer and removes it later. */
    private void hold(SimClient user, StoredObject object) {
        String finalizer = NamePools.OWN_FINALIZERS + user.name();
        ObjectKey key = object.key();
        ObjectNode add = ActionContext.json();
        ArrayNode finalizers = add.withObject("/metadata").putArray("finalizers");
        object.toTree().path("metadata").path("finalizers").forEach(finalizers::add);
        finalizers.add(finalizer);
        user.send(SimRequest.patch("adds a finalizer", key, "", PatchFormat.MERGE, add), reply -> {
            if (reply.isSuccess()) {
                user.later(random.upTo(HOLD), () -> release(user, key));
            }
        });
    }

    /** Removes all finalizers of users. */
    static void release(SimClient user, ObjectKey key) {
        user.world().flatMap(world -> world.get(key)).ifPresent(object -> {
            ArrayNode kept = JsonNodeFactory.instance.arrayNode();
            boolean own = false;
            ObjectNode tree = object.toTree();
            for (JsonNode each : tree.path("metadata").path("finalizers")) {
                boolean ours = each.asText("").startsWith(NamePools.OWN_FINALIZERS);
                own |= ours;
                if (!ours) {
                    kept.add(each);
                }
            }
            if (own) {
                ObjectNode patch = ActionContext.json();
                ObjectNode metadata = patch.withObject("/metadata");
                metadata.set("resourceVersion", tree.path("metadata").get("resourceVersion"));
                metadata.set("finalizers", kept);
                user.send(SimRequest.patch("removes its finalizer", key, "", PatchFormat.MERGE, patch));
            }
        });
    }

    /** Removes all finalizers, as impatient users do. */
    private void force(SimClient user, StoredObject object) {
        if (!object.key().resource().equals(NamePools.CLASSES)) {
            ObjectNode patch = ActionContext.json();
            patch.putObject("metadata").putNull("finalizers");
            user.send(SimRequest.patch(
                    "removes all finalizers of " + ActionContext.describe(object),
                    object.key(),
                    "",
                    PatchFormat.MERGE,
                    patch));
        }
    }

    private void grow(SimClient user, StoredObject claim) {
        user.send(SimRequest.patch(
                "expands " + ActionContext.describe(claim),
                claim.key(),
                "",
                PatchFormat.STRATEGIC,
                merge("/spec/resources/requests", "storage", random.one(NamePools.LARGER_SIZES))));
    }

    private void shrink(SimClient user, StoredObject claim) {
        ObjectNode patch = merge("/spec/resources/requests", "storage", "1Mi");
        patch.withObject("/metadata").put("uid", StoredJson.uid(claim));
        SimRequest request =
                SimRequest.patch("shrinks " + ActionContext.describe(claim), claim.key(), "", PatchFormat.MERGE, patch);
        // A claim that only a user marked as bound has no known size.
        boolean sized = claim.toTree().path("status").has("capacity");
        user.send(sized ? request.expectRefused() : request);
    }

    private void policy(SimClient user, StoredObject volume) {
        user.send(SimRequest.patch(
                "changes the policy of " + ActionContext.describe(volume),
                volume.key(),
                "",
                PatchFormat.STRATEGIC,
                merge("/spec", "persistentVolumeReclaimPolicy", random.one(List.of("Retain", "Delete", "Recycle")))));
    }

    /** Makes a volume available again, or reserves it for another claim. */
    private void changeClaimRef(SimClient user, StoredObject volume) {
        ObjectNode patch = ActionContext.json();
        ObjectNode spec = patch.putObject("spec");
        String action;
        switch (random.below(4)) {
            case 0 -> {
                action = "removes uid of claimRef of ";
                spec.putObject("claimRef").putNull("uid").putNull("resourceVersion");
            }
            case 1 -> {
                ObjectNode seen = volume.toTree();
                if (seen.path("status").path("phase").asText("").equals("Bound")) {
                    return; // would take a volume in use from another claim
                }
                action = "sets claimRef of ";
                patch.putObject("metadata").set("resourceVersion", seen.at("/metadata/resourceVersion"));
                spec.putObject("claimRef")
                        .put("namespace", "default")
                        .put("name", random.one(NamePools.CLAIM_NAMES))
                        .putNull("uid")
                        .putNull("resourceVersion");
            }
            default -> {
                action = "removes claimRef of ";
                spec.putNull("claimRef");
            }
        }
        String description = action + ActionContext.describe(volume);
        user.send(SimRequest.patch(description, volume.key(), "", PatchFormat.MERGE, patch));
    }

    private void claimStatus(SimClient user, StoredObject claim) {
        ObjectNode patch = merge("/status", "phase", random.one(List.of("Pending", "Lost", "Bound")));
        user.send(SimRequest.patch("edits status of PVC", claim.key(), ResourceRef.STATUS, PatchFormat.MERGE, patch));
    }

    private void volumeStatus(SimClient user, StoredObject volume) {
        ObjectNode patch = merge("/status", "phase", random.one(List.of("Available", "Released", "Failed")));
        user.send(SimRequest.patch("edits status of PV", volume.key(), ResourceRef.STATUS, PatchFormat.MERGE, patch));
    }

    private void cordon(SimClient user, StoredObject node) {
        ObjectKey key = node.key();
        user.send(cordon(key, true), reply -> user.later(random.upTo(HOLD), () -> user.send(cordon(key, false))));
    }

    /**
     * Cordons or uncordons a node.
     *
     * @param on true to cordon
     */
    static SimRequest cordon(ObjectKey node, boolean on) {
        ObjectNode patch = ActionContext.json();
        patch.putObject("spec").put("unschedulable", on);
        return SimRequest.patch(on ? "cordons Node" : "uncordons Node", node, "", PatchFormat.MERGE, patch);
    }

    private void content(SimClient user, StoredObject map) {
        user.send(SimRequest.patch(
                "changes ConfigMap",
                map.key(),
                "",
                PatchFormat.STRATEGIC,
                merge("/data", "key", "value " + random.below(1000))));
    }

    private void changeDefaultClass(SimClient user, StoredObject found) {
        ObjectNode patch =
                merge("/metadata/annotations", StorageNames.DEFAULT_CLASS, random.one(List.of("true", "false")));
        user.send(SimRequest.patch("makes StorageClass the default", found.key(), "", PatchFormat.MERGE, patch));
    }

    /** Changes the image or deadline of a Pod, or tries to change an immutable field. */
    private void pod(SimClient user, StoredObject pod) {
        switch (random.below(3)) {
            case 0 ->
                user.send(SimRequest.patch(
                        "changes the image of a Pod",
                        pod.key(),
                        "",
                        PatchFormat.JSON,
                        operations(
                                "replace",
                                "/spec/containers/0/image",
                                JsonNodeFactory.instance.textNode(random.one(List.of("busybox", "tool"))))));
            case 1 -> {
                ObjectNode patch = ActionContext.json();
                patch.putObject("spec").put("activeDeadlineSeconds", 5 + random.below(300));
                user.send(SimRequest.patch("gives a Pod a deadline", pod.key(), "", PatchFormat.MERGE, patch));
            }
            default -> {
                ObjectNode patch = ActionContext.json();
                patch.putObject("spec").put("restartPolicy", "Sometimes");
                user.send(SimRequest.patch("changes a Pod's spec", pod.key(), "", PatchFormat.MERGE, patch)
                        .expectRefused());
            }
        }
    }

    static ObjectNode merge(String at, String field, String value) {
        ObjectNode patch = ActionContext.json();
        patch.withObject(at).put(field, value);
        return patch;
    }

    private static ArrayNode operations(String operation, String path, JsonNode value) {
        ArrayNode patch = JsonNodeFactory.instance.arrayNode();
        patch.addObject().put("op", operation).put("path", path).set("value", value);
        return patch;
    }
}
