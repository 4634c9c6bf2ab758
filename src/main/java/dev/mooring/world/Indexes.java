package dev.mooring.world;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReferences;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import java.util.ArrayList;
import java.util.List;

/** The indexes that several components use. An index with one user is declared there. */
public final class Indexes {
    private static final Scope PODS = Scope.resource("pods");

    /** Pods by the claims that their volumes name, including claims of ephemeral volumes. */
    public static final Index<ObjectKey> PODS_BY_CLAIM = Index.of("Pods by claim", PODS, Indexes::claims);

    /** Pods by the name of the node they are bound to. */
    public static final Index<String> PODS_BY_NODE = Index.of("Pods by node", PODS, Indexes::nodes);

    /** Pods by the uid of their controller; Pods without a controller have none. */
    public static final Index<String> PODS_BY_CONTROLLER = byController("Pods by controller", PODS);

    /** Pods without a controller, by namespace: those that a controller may adopt. */
    public static final Index<String> PODS_WITHOUT_CONTROLLER =
            Index.of("Pods without controller", PODS, Indexes::orphaned);

    /** PersistentVolumes by the claim that their {@code claimRef} names, bound or reserved. */
    public static final Index<ObjectKey> VOLUMES_BY_CLAIM =
            Index.of("PersistentVolumes by claim", Scope.resource(StorageNames.VOLUMES), Indexes::claimRefs);

    /** ActualVolumes by the PersistentVolume and by the claim that they name. */
    public static final Index<ObjectKey> ACTUAL_VOLUMES_BY_REFERENCE = Index.of(
            "ActualVolumes by PersistentVolume and claim",
            Scope.resource(StorageNames.ACTUAL_VOLUMES),
            Indexes::mountedObjects);

    /** VolumeAttachments by the PersistentVolume that they name. */
    public static final Index<ObjectKey> ATTACHMENTS_BY_VOLUME = Index.of(
            "VolumeAttachments by PersistentVolume",
            Scope.resource(StorageNames.ATTACHMENTS),
            Indexes::attachedVolumes);

    /** Claims by the PersistentVolume that {@code spec.volumeName} names, bound or not. */
    public static final Index<String> CLAIMS_BY_VOLUME =
            Index.of("claims by PersistentVolume", Scope.resource(StorageNames.CLAIMS), Indexes::volumeNames);

    /** Pods by the node they are bound to and the claims, ConfigMaps, Secrets and ServiceAccount that they name. */
    public static final Index<NodeValue<ObjectKey>> PODS_BY_REFERENCE =
            Index.of("Pods by reference", PODS, Indexes::references);

    private Indexes() {}

    /** Declares an index of objects by the uid of their controller. Declare it once, as a constant. */
    public static Index<String> byController(String name, Scope scope) {
        return Index.of(name, scope, Indexes::controllers);
    }

    private static List<String> controllers(StoredObject object) {
        String uid = object.containsText("ownerReferences") ? Pod.of(object).controllerUid() : "";
        return uid.isEmpty() ? List.of() : List.of(uid);
    }

    private static List<String> orphaned(StoredObject pod) {
        return controllers(pod).isEmpty() ? pod.key().namespace().stream().toList() : List.of();
    }

    private static List<ObjectKey> claims(StoredObject pod) {
        // Most Pods without claims are recognized without parsing them.
        boolean mayHaveClaims = pod.containsText("persistentVolumeClaim") || pod.containsText("\"ephemeral\"");
        return mayHaveClaims ? Pod.of(pod).claimKeys() : List.of();
    }

    private static List<String> nodes(StoredObject pod) {
        String node = pod.containsText("nodeName") ? Pod.of(pod).nodeName() : "";
        return node.isEmpty() ? List.of() : List.of(node);
    }

    private static List<NodeValue<ObjectKey>> references(StoredObject object) {
        List<NodeValue<ObjectKey>> values = new ArrayList<>();
        for (String node : nodes(object)) {
            PodReferences.of(Pod.of(object)).forEach(each -> values.add(new NodeValue<>(node, each)));
        }
        return values;
    }

    private static List<ObjectKey> claimRefs(StoredObject volume) {
        return volume.containsText("claimRef")
                ? Volume.of(volume).claimRef().map(ClaimRef::key).stream().toList()
                : List.of();
    }

    private static List<ObjectKey> mountedObjects(StoredObject actual) {
        JsonNode spec = actual.tree().path("spec");
        JsonNode claim = spec.path("claim");
        List<ObjectKey> keys = new ArrayList<>(volume(spec.path("persistentVolume")));
        if (claim.isObject()) {
            keys.add(new ClaimRef(
                            claim.path("namespace").asText(""),
                            claim.path("name").asText(""),
                            "")
                    .key());
        }
        return keys;
    }

    private static List<ObjectKey> attachedVolumes(StoredObject attachment) {
        return volume(attachment.tree().path("spec").path("source").path("persistentVolumeName"));
    }

    private static List<ObjectKey> volume(JsonNode name) {
        return Volume.keyIfValid(name.asText("")).stream().toList();
    }

    private static List<String> volumeNames(StoredObject claim) {
        String volume = claim.containsText("volumeName") ? Claim.of(claim).volumeName() : "";
        return volume.isEmpty() ? List.of() : List.of(volume);
    }
}
