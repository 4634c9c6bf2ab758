package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;

/**
 * Rules of PersistentVolumes: one immutable source, a size, access modes. Also sets the time of the last phase change.
 * Immutable; thread-safe.
 */
public final class PersistentVolumeRules extends StatusSubresourceRules {
    private static final Set<String> RECLAIM_POLICIES = Set.of("Delete", "Recycle", "Retain");
    private static final Set<String> STORAGE = Set.of("storage");
    private static final String TRANSITION = "lastPhaseTransitionTime";

    private final Clock clock;

    /** @param clock time of phase changes */
    public PersistentVolumeRules(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void normalize(ObjectNode object) {
        Minik8sConversion.convertVolume(object);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put(TRANSITION, now()).put("phase", "Pending");
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {
        super.prepareForStatusUpdate(next, before);
        ObjectNode status = JsonFields.object(next, "status");
        JsonNode was = JsonFields.get(before, "status");
        boolean samePhase = JsonFields.text(status, "phase").equals(JsonFields.text(was, "phase"));
        boolean sameTime = JsonFields.text(status, TRANSITION).equals(JsonFields.text(was, TRANSITION));
        if (!samePhase && (sameTime || !JsonFields.has(status, TRANSITION))) {
            status.put(TRANSITION, now());
        } else if (samePhase && !JsonFields.has(status, TRANSITION) && JsonFields.has(was, TRANSITION)) {
            status.set(TRANSITION, was.get(TRANSITION));
        }
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        JsonFields.defaultText(JsonFields.object(object, "status"), "phase", "Pending");
        ObjectNode spec = JsonFields.object(object, "spec");
        JsonFields.defaultText(spec, "persistentVolumeReclaimPolicy", "Retain");
        if (!JsonFields.has(spec, "volumeMode")) {
            spec.put("volumeMode", "Filesystem");
        }
        VolumeSourceDefaults.apply(spec);
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        if (JsonFields.get(spec, "accessModes").isEmpty()) {
            violations.required("spec.accessModes", "");
        }
        AccessModeRules.accessModes(spec, "spec", violations);
        validateCapacity(JsonFields.get(spec, "capacity"), violations);
        String policy = JsonFields.text(spec, "persistentVolumeReclaimPolicy");
        if (!policy.isEmpty() && !RECLAIM_POLICIES.contains(policy)) {
            violations.notSupported("spec.persistentVolumeReclaimPolicy", policy, RECLAIM_POLICIES);
        }
        if (JsonFields.has(spec, "nodeAffinity")) {
            NodeAffinityRules.ofVolume(spec.get("nodeAffinity"), "spec.nodeAffinity", violations);
        }
        PersistentVolumeSourceRules.validate(spec, "spec", JsonFields.text(object, "metadata", "name"), violations);
        if (policy.equals("Recycle") && isRoot(JsonFields.text(spec, "hostPath", "path"))) {
            violations.forbidden(
                    "spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
        }
        AccessModeRules.className(spec, "storageClassName", "spec", violations);
        AccessModeRules.volumeMode(spec, "spec", violations);
        validateAttributesClass(spec, violations);
    }

    private static void validateCapacity(JsonNode capacity, Violations violations) {
        if (capacity.isEmpty()) {
            violations.required("spec.capacity", "");
        }
        for (var each : capacity.properties()) {
            if (!STORAGE.contains(each.getKey())) {
                violations.notSupported("spec.capacity", each.getKey(), STORAGE);
            }
            QuantityRules.positive(each.getValue(), "spec.capacity[" + each.getKey() + ']', violations);
        }
    }

    private static boolean isRoot(String path) {
        if (!path.startsWith("/")) {
            return false;
        }
        for (String part : path.split("/", -1)) {
            if (!part.isEmpty() && !part.equals(".")) {
                return false;
            }
        }
        return true;
    }

    private static void validateAttributesClass(JsonNode spec, Violations violations) {
        if (!JsonFields.has(spec, "volumeAttributesClassName")) {
            return;
        }
        if (JsonFields.text(spec, "volumeAttributesClassName").isEmpty()) {
            violations.required("spec.volumeAttributesClassName", "an empty string is disallowed");
        }
        AccessModeRules.className(spec, "volumeAttributesClassName", "spec", violations);
        if (!JsonFields.has(spec, "csi")) {
            violations.required("spec.csi", "has to be specified when using volumeAttributesClassName");
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = JsonFields.get(next, "spec");
        JsonNode was = JsonFields.get(before, "spec");
        if (!sameSource(spec, was)) {
            violations.forbidden(
                    "spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
        }
        AccessModeRules.volumeModeUnchanged(spec, was, violations);
        JsonNode affinity = JsonFields.get(spec, "nodeAffinity");
        if (JsonFields.has(was, "nodeAffinity")
                && !BetaTopology.sameOrUpgraded(affinity, JsonFields.get(was, "nodeAffinity"))) {
            violations.invalid(
                    "nodeAffinity",
                    JsonFields.valueOrNull(affinity),
                    "field is immutable, except for updating from beta label to GA");
        }
        if (JsonFields.has(was, "volumeAttributesClassName") && !JsonFields.has(spec, "volumeAttributesClassName")) {
            violations.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
        }
    }

    private static boolean sameSource(JsonNode spec, JsonNode was) {
        for (String source : PersistentVolumeSourceRules.names()) {
            boolean there = JsonFields.has(spec, source);
            if (there != JsonFields.has(was, source)
                    || (there && !sameSource(source, spec.get(source), was.get(source)))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the source is unchanged; a CSI volume may get a secret for expansion later. */
    private static boolean sameSource(String source, JsonNode now, JsonNode was) {
        if (source.equals("csi")
                && JsonFields.has(now, "controllerExpandSecretRef")
                && !JsonFields.has(was, "controllerExpandSecretRef")
                && now instanceof ObjectNode csi) {
            return JsonFields.same(csi.deepCopy().without("controllerExpandSecretRef"), was);
        }
        return JsonFields.same(now, was);
    }

    /**
     * Node labels that were renamed at the end of their beta: the only permitted change of a volume's node affinity.
     * Stateless.
     */
    private static final class BetaTopology {
        private static final Map<String, String> RENAMED = Map.of(
                "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone",
                "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region",
                "beta.kubernetes.io/os", "kubernetes.io/os",
                "beta.kubernetes.io/arch", "kubernetes.io/arch",
                "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type");

        private BetaTopology() {}

        /** Returns whether two node affinities are equal, or differ only by such renamed labels. */
        static boolean sameOrUpgraded(JsonNode now, JsonNode was) {
            return JsonFields.same(now, was)
                    || (JsonFields.has(now, "required") && JsonFields.same(now, upgraded(now, was)));
        }

        private static JsonNode upgraded(JsonNode now, JsonNode was) {
            JsonNode upgraded = was.deepCopy();
            JsonNode terms = JsonFields.get(upgraded, "required", "nodeSelectorTerms");
            JsonNode newTerms = JsonFields.get(now, "required", "nodeSelectorTerms");
            for (int i = 0; i < terms.size() && i < newTerms.size(); i++) {
                JsonNode expressions = JsonFields.get(terms.get(i), "matchExpressions");
                JsonNode newExpressions = JsonFields.get(newTerms.get(i), "matchExpressions");
                for (int j = 0; j < expressions.size() && j < newExpressions.size(); j++) {
                    String renamed = RENAMED.get(JsonFields.text(expressions.get(j), "key"));
                    boolean wanted = renamed != null && renamed.equals(JsonFields.text(newExpressions.get(j), "key"));
                    if (wanted && expressions.get(j) instanceof ObjectNode expression) {
                        expression.put("key", renamed);
                    }
                }
            }
            return upgraded;
        }
    }

    /** Defaults of volume sources. Stateless; thread-safe. */
    static final class VolumeSourceDefaults {
        private VolumeSourceDefaults() {}

        static void apply(ObjectNode spec) {
            if (spec.get("hostPath") instanceof ObjectNode hostPath && !JsonFields.has(hostPath, "type")) {
                hostPath.put("type", "");
            }
            if (spec.get("iscsi") instanceof ObjectNode iscsi) {
                JsonFields.defaultText(iscsi, "iscsiInterface", "default");
            }
            if (spec.get("rbd") instanceof ObjectNode rbd) {
                JsonFields.defaultText(rbd, "pool", "rbd");
                JsonFields.defaultText(rbd, "user", "admin");
                JsonFields.defaultText(rbd, "keyring", "/etc/ceph/keyring");
            }
            if (spec.get("azureDisk") instanceof ObjectNode disk) {
                JsonFields.defaultText(disk, "cachingMode", "ReadWrite");
                JsonFields.defaultText(disk, "kind", "Shared");
                JsonFields.defaultText(disk, "fsType", "ext4");
                if (!JsonFields.has(disk, "readOnly")) {
                    disk.put("readOnly", false);
                }
            }
            if (spec.get("scaleIO") instanceof ObjectNode scaleIo) {
                JsonFields.defaultText(scaleIo, "storageMode", "ThinProvisioned");
                JsonFields.defaultText(scaleIo, "fsType", "xfs");
            }
        }
    }
}
