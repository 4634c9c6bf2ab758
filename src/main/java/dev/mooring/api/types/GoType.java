package dev.mooring.api.types;

import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.Map;

/**
 * Go type names for Kubernetes' error messages. Kubernetes has many string types; those of common fields are known by
 * field name, all others are called {@code string}.
 */
final class GoType {
    private static final Map<String, String> STRINGS = Map.of(
            "accessModes", "v1.PersistentVolumeAccessMode",
            "persistentVolumeReclaimPolicy", "v1.PersistentVolumeReclaimPolicy",
            "reclaimPolicy", "v1.PersistentVolumeReclaimPolicy",
            "volumeMode", "v1.PersistentVolumeMode",
            "volumeBindingMode", "v1.VolumeBindingMode",
            "restartPolicy", "v1.RestartPolicy",
            "imagePullPolicy", "v1.PullPolicy",
            "dnsPolicy", "v1.DNSPolicy",
            "uid", "types.UID");

    private GoType() {}

    /** @param field the field that holds the value, itself or as an item */
    static String of(SchemaType type, String field) {
        if (type instanceof Struct struct) {
            return "v1." + struct.name();
        } else if (type instanceof ListOf list) {
            return "[]" + of(list.element(), field);
        } else if (type instanceof MapOf map) {
            return map.value() == Scalar.QUANTITY ? "v1.ResourceList" : "map[string]" + of(map.value(), field);
        }
        return switch ((Scalar) type) {
            case STRING -> STRINGS.getOrDefault(field, "string");
            case INT32 -> "int32";
            case INT64 -> "int64";
            case DOUBLE -> "float64";
            case BOOLEAN -> "bool";
            case QUANTITY -> "resource.Quantity";
            case TIME -> "v1.Time";
            case MICRO_TIME -> "v1.MicroTime";
            case INT_OR_STRING -> "intstr.IntOrString";
            case BYTES -> "[]uint8";
            case ANY -> "runtime.RawExtension";
        };
    }
}
