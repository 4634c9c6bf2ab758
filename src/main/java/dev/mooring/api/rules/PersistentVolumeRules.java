package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Set;

/**
 * Rules of PersistentVolumes: one source that never changes, a size, access modes. Also keeps the time of the last change of phase,
 * which no client has to think of. Immutable; any thread.
 */
public final class PersistentVolumeRules extends SeparateStatus {
    private static final Set<String> RECLAIM_POLICIES = Set.of("Delete", "Recycle", "Retain");
    private static final Set<String> STORAGE = Set.of("storage");
    private static final String TRANSITION = "lastPhaseTransitionTime";

    private final Clock clock;

    /** @param clock tells when a phase changed */
    public PersistentVolumeRules(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void normalize(ObjectNode object) {
        Minik8sSpelling.ofVolume(object);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put(TRANSITION, now()).put("phase", "Pending");
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {
        super.prepareForStatusUpdate(next, before);
        ObjectNode status = Fields.object(next, "status");
        JsonNode was = Fields.get(before, "status");
        boolean samePhase = Fields.text(status, "phase").equals(Fields.text(was, "phase"));
        boolean sameTime = Fields.text(status, TRANSITION).equals(Fields.text(was, TRANSITION));
        if (!samePhase && (sameTime || !Fields.has(status, TRANSITION))) {
            status.put(TRANSITION, now());
        } else if (samePhase && !Fields.has(status, TRANSITION) && Fields.has(was, TRANSITION)) {
            status.set(TRANSITION, was.get(TRANSITION));
        }
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Fields.defaultText(Fields.object(object, "status"), "phase", "Pending");
        ObjectNode spec = Fields.object(object, "spec");
        Fields.defaultText(spec, "persistentVolumeReclaimPolicy", "Retain");
        if (!Fields.has(spec, "volumeMode")) {
            spec.put("volumeMode", "Filesystem");
        }
        SourceDefaults.apply(spec);
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = Fields.get(object, "spec");
        if (Fields.get(spec, "accessModes").isEmpty()) {
            violations.required("spec.accessModes", "");
        }
        AccessModeRules.accessModes(spec, "spec", violations);
        validateCapacity(Fields.get(spec, "capacity"), violations);
        String policy = Fields.text(spec, "persistentVolumeReclaimPolicy");
        if (!policy.isEmpty() && !RECLAIM_POLICIES.contains(policy)) {
            violations.notSupported("spec.persistentVolumeReclaimPolicy", policy, RECLAIM_POLICIES);
        }
        if (Fields.has(spec, "nodeAffinity")) {
            NodeAffinityRules.ofVolume(spec.get("nodeAffinity"), "spec.nodeAffinity", violations);
        }
        VolumeSources.validate(spec, "spec", Fields.text(object, "metadata", "name"), violations);
        if (policy.equals("Recycle") && isRoot(Fields.text(spec, "hostPath", "path"))) {
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
        if (!Fields.has(spec, "volumeAttributesClassName")) {
            return;
        }
        if (Fields.text(spec, "volumeAttributesClassName").isEmpty()) {
            violations.required("spec.volumeAttributesClassName", "an empty string is disallowed");
        }
        AccessModeRules.className(spec, "volumeAttributesClassName", "spec", violations);
        if (!Fields.has(spec, "csi")) {
            violations.required("spec.csi", "has to be specified when using volumeAttributesClassName");
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = Fields.get(next, "spec");
        JsonNode was = Fields.get(before, "spec");
        if (!sameSource(spec, was)) {
            violations.forbidden(
                    "spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
        }
        AccessModeRules.volumeModeUnchanged(spec, was, violations);
        JsonNode affinity = Fields.get(spec, "nodeAffinity");
        if (Fields.has(was, "nodeAffinity")
                && !BetaTopology.sameOrUpgraded(affinity, Fields.get(was, "nodeAffinity"))) {
            violations.invalid(
                    "nodeAffinity",
                    Fields.shown(affinity),
                    "field is immutable, except for updating from beta label to GA");
        }
        if (Fields.has(was, "volumeAttributesClassName") && !Fields.has(spec, "volumeAttributesClassName")) {
            violations.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
        }
    }

    private static boolean sameSource(JsonNode spec, JsonNode was) {
        for (String source : VolumeSources.names()) {
            boolean there = Fields.has(spec, source);
            if (there != Fields.has(was, source) || (there && !sameSource(source, spec.get(source), was.get(source)))) {
                return false;
            }
        }
        return true;
    }

    /** A CSI volume may learn later which secret expands it. */
    private static boolean sameSource(String source, JsonNode now, JsonNode was) {
        if (source.equals("csi")
                && Fields.has(now, "controllerExpandSecretRef")
                && !Fields.has(was, "controllerExpandSecretRef")
                && now instanceof ObjectNode csi) {
            return Fields.same(csi.deepCopy().without("controllerExpandSecretRef"), was);
        }
        return Fields.same(now, was);
    }
}
