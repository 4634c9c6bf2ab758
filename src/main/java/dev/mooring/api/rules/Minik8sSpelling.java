package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Claims and volumes as Minik8s writes them, turned into Kubernetes' own form.
 *
 * <ul>
 *   <li>A bare size, {@code capacity: 1Gi}, is {@code capacity: {storage: 1Gi}}.
 *   <li>A claim's {@code capacity} is what it requests, unless it says so itself; if it names no class either, it may leave out the
 *       access modes (those usual for {@code hostPath}).
 *   <li>A volume with a bare size and no class has the class of its source, {@code hostPath} or {@code nfs}.
 *   <li>Whoever names a {@link BuiltInClass} may leave out the size (1Gi) and the access modes (those usual for the class).
 * </ul>
 *
 * <p>All else stays as it is, and Kubernetes' rules hold for it. Nothing has been checked yet. Stateless; any thread.
 */
final class Minik8sSpelling {
    private Minik8sSpelling() {}

    static void ofVolume(ObjectNode object) {
        if (!(object.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        JsonNode capacity = Fields.get(spec, "capacity");
        if (isBare(capacity)) {
            spec.putObject("capacity").set("storage", capacity);
            nameClassAfterSource(spec);
        }
        builtInClass(spec).ifPresent(of -> {
            if (Fields.get(spec, "capacity").isMissingNode()) {
                spec.putObject("capacity").put("storage", BuiltInClass.USUAL_SIZE);
            }
            giveAccessMode(spec, of);
        });
    }

    static void ofClaim(ObjectNode object) {
        if (!(object.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        JsonNode capacity = Fields.get(spec, "capacity");
        JsonNode size = isBare(capacity) ? capacity : Fields.get(capacity, "storage");
        if (isBare(size)) {
            spec.remove("capacity");
            request(spec, size);
            if (!Fields.has(spec, "storageClassName")) {
                giveAccessMode(spec, BuiltInClass.HOST_PATH);
            }
        }
        builtInClass(spec).ifPresent(of -> {
            request(spec, spec.textNode(BuiltInClass.USUAL_SIZE));
            giveAccessMode(spec, of);
        });
    }

    private static boolean isBare(JsonNode size) {
        return size.isTextual() || size.isNumber();
    }

    private static Optional<BuiltInClass> builtInClass(ObjectNode spec) {
        return BuiltInClass.named(Fields.text(spec, "storageClassName"));
    }

    private static void nameClassAfterSource(ObjectNode spec) {
        if (!Fields.has(spec, "storageClassName")) {
            for (String source : new String[] {"hostPath", "nfs"}) {
                if (Fields.has(spec, source)) {
                    spec.put("storageClassName", source);
                    return;
                }
            }
        }
    }

    /** What is of another type than it should be is left for the schema to complain about. */
    private static void request(ObjectNode spec, JsonNode size) {
        JsonNode resources = Fields.get(spec, "resources");
        JsonNode requests = Fields.get(resources, "requests");
        boolean wellFormed = (resources.isMissingNode() || resources.isObject())
                && (requests.isMissingNode() || requests.isObject());
        if (wellFormed && !Fields.has(requests, "storage")) {
            Fields.object(Fields.object(spec, "resources"), "requests").set("storage", size);
        }
    }

    private static void giveAccessMode(ObjectNode spec, BuiltInClass of) {
        JsonNode modes = Fields.get(spec, "accessModes");
        if (modes.isMissingNode() || (modes.isArray() && modes.isEmpty())) {
            spec.putArray("accessModes").add(of.usualAccessMode());
        }
    }
}
