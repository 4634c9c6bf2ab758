package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.resource.Patch.Language;
import dev.mooring.api.resource.Target;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.List;

/** Changes what is there, in all the languages of patches: what people change, and what they had better not. */
final class Editing {
    private static final Duration HOLD = Duration.ofSeconds(60);

    private final Acting acting;
    private final Chance chance;

    Editing(Acting acting) {
        this.acting = acting;
        this.chance = acting.chance();
    }

    void act(Client user, World world) {
        switch (chance.below(22)) {
            case 0, 1, 2 -> acting.anything(world).ifPresent(object -> label(user, object));
            case 3, 4 -> acting.anything(world).ifPresent(object -> hold(user, object));
            case 5, 6 -> acting.anything(world).ifPresent(object -> force(user, object));
            case 7, 8, 9 -> acting.any(world, Pools.CLAIMS).ifPresent(claim -> grow(user, claim));
            case 10 -> acting.any(world, Pools.CLAIMS).ifPresent(claim -> shrink(user, claim));
            case 11, 12 -> acting.any(world, Pools.VOLUMES).ifPresent(volume -> policy(user, volume));
            case 13, 14 -> acting.any(world, Pools.VOLUMES).ifPresent(volume -> reference(user, volume));
            case 15 -> acting.any(world, Pools.CLAIMS).ifPresent(claim -> claimStatus(user, claim));
            case 16 -> acting.any(world, Pools.VOLUMES).ifPresent(volume -> volumeStatus(user, volume));
            case 17 -> acting.any(world, Pools.NODES).ifPresent(node -> cordon(user, node));
            case 18, 19 -> acting.any(world, Pools.CONFIG_MAPS).ifPresent(map -> content(user, map));
            case 20 -> acting.any(world, Pools.CLASSES).ifPresent(found -> standard(user, found));
            default -> acting.any(world, Pools.PODS).ifPresent(pod -> pod(user, pod));
        }
    }

    private void label(Client user, StoredObject object) {
        String value = "r" + chance.below(5);
        Language language = chance.one(List.of(Language.values()));
        JsonNode patch = language == Language.JSON
                ? operations("add", "/metadata/labels", Acting.json().put("round", value))
                : merge("/metadata/labels", "round", value);
        user.send(Request.patch("labels by " + language, object.key(), "", language, patch));
    }

    /** Puts a finalizer of one's own on something, and takes it off later. */
    private void hold(Client user, StoredObject object) {
        String finalizer = Pools.OWN_FINALIZERS + user.name();
        ObjectKey key = object.key();
        ObjectNode add = Acting.json();
        ArrayNode finalizers = add.withObject("/metadata").putArray("finalizers");
        StoredJson.tree(object).path("metadata").path("finalizers").forEach(finalizers::add);
        finalizers.add(finalizer);
        user.send(Request.patch("adds a finalizer", key, "", Language.MERGE, add), reply -> {
            if (reply.isSuccess()) {
                user.later(chance.upTo(HOLD), () -> release(user, key));
            }
        });
    }

    /** Takes all finalizers of users off. */
    static void release(Client user, ObjectKey key) {
        user.world().flatMap(world -> world.get(key)).ifPresent(object -> {
            ArrayNode kept = JsonNodeFactory.instance.arrayNode();
            boolean own = false;
            ObjectNode tree = StoredJson.tree(object);
            for (JsonNode each : tree.path("metadata").path("finalizers")) {
                boolean ours = each.asText("").startsWith(Pools.OWN_FINALIZERS);
                own |= ours;
                if (!ours) {
                    kept.add(each);
                }
            }
            if (own) {
                ObjectNode patch = Acting.json();
                ObjectNode metadata = patch.withObject("/metadata");
                metadata.set("resourceVersion", tree.path("metadata").get("resourceVersion"));
                metadata.set("finalizers", kept);
                user.send(Request.patch("removes its finalizer", key, "", Language.MERGE, patch));
            }
        });
    }

    /** Takes the protection away, as people do who are tired of waiting. */
    private void force(Client user, StoredObject object) {
        if (!object.key().resource().equals(Pools.CLASSES)) {
            ObjectNode patch = Acting.json();
            patch.putObject("metadata").putNull("finalizers");
            user.send(Request.patch(
                    "removes all finalizers of " + Acting.describe(object), object.key(), "", Language.MERGE, patch));
        }
    }

    private void grow(Client user, StoredObject claim) {
        user.send(Request.patch(
                "expands " + Acting.describe(claim),
                claim.key(),
                "",
                Language.STRATEGIC,
                merge("/spec/resources/requests", "storage", chance.one(Pools.LARGER_SIZES))));
    }

    private void shrink(Client user, StoredObject claim) {
        ObjectNode patch = merge("/spec/resources/requests", "storage", "1Mi");
        patch.withObject("/metadata").put("uid", StoredJson.uid(claim));
        Request request = Request.patch("shrinks " + Acting.describe(claim), claim.key(), "", Language.MERGE, patch);
        // Of one that only a user calls bound nobody knows how large it is.
        boolean sized = StoredJson.tree(claim).path("status").has("capacity");
        user.send(sized ? request.hopeless() : request);
    }

    private void policy(Client user, StoredObject volume) {
        user.send(Request.patch(
                "changes the policy of " + Acting.describe(volume),
                volume.key(),
                "",
                Language.STRATEGIC,
                merge("/spec", "persistentVolumeReclaimPolicy", chance.one(List.of("Retain", "Delete", "Recycle")))));
    }

    /** Offers a volume again, with or without its old claim's name; or keeps it for another. */
    private void reference(Client user, StoredObject volume) {
        ObjectNode patch = Acting.json();
        ObjectNode spec = patch.putObject("spec");
        String what;
        switch (chance.below(4)) {
            case 0 -> {
                what = "removes uid of claimRef of ";
                spec.putObject("claimRef").putNull("uid").putNull("resourceVersion");
            }
            case 1 -> {
                ObjectNode seen = StoredJson.tree(volume);
                if (seen.path("status").path("phase").asText("").equals("Bound")) {
                    return; // to give away what another has is no mistake but a crime
                }
                what = "sets claimRef of ";
                patch.putObject("metadata").set("resourceVersion", seen.at("/metadata/resourceVersion"));
                spec.putObject("claimRef")
                        .put("namespace", "default")
                        .put("name", chance.one(Pools.CLAIM_NAMES))
                        .putNull("uid")
                        .putNull("resourceVersion");
            }
            default -> {
                what = "removes claimRef of ";
                spec.putNull("claimRef");
            }
        }
        user.send(Request.patch(what + Acting.describe(volume), volume.key(), "", Language.MERGE, patch));
    }

    private void claimStatus(Client user, StoredObject claim) {
        ObjectNode patch = merge("/status", "phase", chance.one(List.of("Pending", "Lost", "Bound")));
        user.send(Request.patch("edits status of PVC", claim.key(), Target.STATUS, Language.MERGE, patch));
    }

    private void volumeStatus(Client user, StoredObject volume) {
        ObjectNode patch = merge("/status", "phase", chance.one(List.of("Available", "Released", "Failed")));
        user.send(Request.patch("edits status of PV", volume.key(), Target.STATUS, Language.MERGE, patch));
    }

    private void cordon(Client user, StoredObject node) {
        ObjectKey key = node.key();
        user.send(cordon(key, true), reply -> user.later(chance.upTo(HOLD), () -> user.send(cordon(key, false))));
    }

    /** @param on whether it is to take no new Pods */
    static Request cordon(ObjectKey node, boolean on) {
        ObjectNode patch = Acting.json();
        patch.putObject("spec").put("unschedulable", on);
        return Request.patch(on ? "cordons Node" : "uncordons Node", node, "", Language.MERGE, patch);
    }

    private void content(Client user, StoredObject map) {
        user.send(Request.patch(
                "changes ConfigMap",
                map.key(),
                "",
                Language.STRATEGIC,
                merge("/data", "key", "value " + chance.below(1000))));
    }

    private void standard(Client user, StoredObject found) {
        ObjectNode patch =
                merge("/metadata/annotations", StorageNames.DEFAULT_CLASS, chance.one(List.of("true", "false")));
        user.send(Request.patch("makes StorageClass the default", found.key(), "", Language.MERGE, patch));
    }

    /** Another image, a deadline, or what nobody may change. */
    private void pod(Client user, StoredObject pod) {
        switch (chance.below(3)) {
            case 0 ->
                user.send(Request.patch(
                        "changes the image of a Pod",
                        pod.key(),
                        "",
                        Language.JSON,
                        operations(
                                "replace",
                                "/spec/containers/0/image",
                                JsonNodeFactory.instance.textNode(chance.one(List.of("busybox", "tool"))))));
            case 1 -> {
                ObjectNode patch = Acting.json();
                patch.putObject("spec").put("activeDeadlineSeconds", 5 + chance.below(300));
                user.send(Request.patch("gives a Pod a deadline", pod.key(), "", Language.MERGE, patch));
            }
            default -> {
                ObjectNode patch = Acting.json();
                patch.putObject("spec").put("restartPolicy", "Sometimes");
                user.send(Request.patch("changes a Pod's spec", pod.key(), "", Language.MERGE, patch)
                        .hopeless());
            }
        }
    }

    static ObjectNode merge(String at, String field, String value) {
        ObjectNode patch = Acting.json();
        patch.withObject(at).put(field, value);
        return patch;
    }

    private static ArrayNode operations(String operation, String path, JsonNode value) {
        ArrayNode patch = JsonNodeFactory.instance.arrayNode();
        patch.addObject().put("op", operation).put("path", path).set("value", value);
        return patch;
    }
}
