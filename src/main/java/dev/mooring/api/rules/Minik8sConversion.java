package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Converts claims and volumes from Minik8s notation to Kubernetes' own.
 *
 * <ul>
 *   <li>A bare size, {@code capacity: 1Gi}, becomes {@code capacity: {storage: 1Gi}}.
 *   <li>A claim's {@code capacity} becomes its request, unless it has one; without a class, its access modes may be
 *   omitted (default: those of {@code hostPath}).
 *   <li>A volume with a bare size and no class gets the class of its source, {@code hostPath} or {@code nfs}.
 *   <li>With a {@link BuiltInStorageClass}, the size (1Gi) and the access modes (those of the class) may be omitted.
 * </ul>
 *
 * <p>Everything else is unchanged and subject to Kubernetes' rules. The input is not validated yet. Stateless;
 * thread-safe.
 */
final class Minik8sConversion {
    private Minik8sConversion() {}

    static void convertVolume(ObjectNode object) {
        if (!(object.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        JsonNode capacity = JsonFields.get(spec, "capacity");
        if (isBare(capacity)) {
            spec.putObject("capacity").set("storage", capacity);
            nameClassAfterSource(spec);
        }
        builtInClass(spec).ifPresent(of -> {
            if (JsonFields.get(spec, "capacity").isMissingNode()) {
                spec.putObject("capacity").put("storage", BuiltInStorageClass.DEFAULT_SIZE);
            }
            setDefaultAccessMode(spec, of);
        });
    }

    static void convertClaim(ObjectNode object) {
        if (!(object.get("spec") instanceof ObjectNode spec)) {
            return;
        }
        JsonNode capacity = JsonFields.get(spec, "capacity");
        JsonNode size = isBare(capacity) ? capacity : JsonFields.get(capacity, "storage");
        if (isBare(size)) {
            spec.remove("capacity");
            request(spec, size);
            if (!JsonFields.has(spec, "storageClassName")) {
                setDefaultAccessMode(spec, BuiltInStorageClass.HOST_PATH);
            }
        }
        builtInClass(spec).ifPresent(of -> {
            request(spec, spec.textNode(BuiltInStorageClass.DEFAULT_SIZE));
            setDefaultAccessMode(spec, of);
        });
    }

    private static boolean isBare(JsonNode size) {
        return size.isTextual() || size.isNumber();
    }

    private static Optional<BuiltInStorageClass> builtInClass(ObjectNode spec) {
        return BuiltInStorageClass.byName(JsonFields.text(spec, "storageClassName"));
    }

    private static void nameClassAfterSource(ObjectNode spec) {
        if (!JsonFields.has(spec, "storageClassName")) {
            for (String source : new String[] {"hostPath", "nfs"}) {
                if (JsonFields.has(spec, source)) {
                    spec.put("storageClassName", source);
                    return;
                }
            }
        }
    }

    /** Sets the request; values of the wrong type are left for the schema check to report. */
    private static void request(ObjectNode spec, JsonNode size) {
        JsonNode resources = JsonFields.get(spec, "resources");
        JsonNode requests = JsonFields.get(resources, "requests");
        boolean wellFormed = (resources.isMissingNode() || resources.isObject())
                && (requests.isMissingNode() || requests.isObject());
        if (wellFormed && !JsonFields.has(requests, "storage")) {
            JsonFields.object(JsonFields.object(spec, "resources"), "requests").set("storage", size);
        }
    }

    private static void setDefaultAccessMode(ObjectNode spec, BuiltInStorageClass of) {
        JsonNode modes = JsonFields.get(spec, "accessModes");
        if (modes.isMissingNode() || (modes.isArray() && modes.isEmpty())) {
            spec.putArray("accessModes").add(of.defaultAccessMode());
        }
    }
}
