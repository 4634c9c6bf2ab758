package dev.mooring.api.rules.pod;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Rules of references from an environment variable or file to a field of the Pod or to a container's resources.
 * Stateless.
 */
final class FieldReferenceRules {
    private static final Set<String> KNOWN = Set.of(
            "metadata.annotations",
            "metadata.labels",
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.serviceAccountName",
            "spec.schedulerName",
            "status.phase",
            "status.hostIP",
            "status.hostIPs",
            "status.podIP",
            "status.podIPs");
    private static final List<String> FOR_FILES =
            List.of("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid");
    private static final List<String> FOR_VARIABLES = List.of(
            "metadata.name",
            "metadata.namespace",
            "metadata.uid",
            "spec.nodeName",
            "spec.serviceAccountName",
            "status.hostIP",
            "status.hostIPs",
            "status.podIP",
            "status.podIPs");
    private static final List<String> RESOURCES = List.of(
            "limits.cpu",
            "limits.ephemeral-storage",
            "limits.memory",
            "requests.cpu",
            "requests.ephemeral-storage",
            "requests.memory");
    private static final Set<String> DIVISORS_OF_CPU = Set.of("1m", "1");
    private static final Set<String> DIVISORS_OF_BYTES =
            Set.of("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei");
    private static final String BYTES =
            "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the ";

    private FieldReferenceRules() {}

    static void ofFile(FieldCursor reference) {
        check(reference, FOR_FILES);
    }

    static void ofVariable(FieldCursor reference) {
        check(reference, FOR_VARIABLES);
    }

    static void resourceOfFile(FieldCursor reference) {
        FieldCursor container = reference.at("containerName");
        if (container.text().isEmpty()) {
            container.required();
        } else {
            resource(reference.at("resource"));
        }
        divisor(reference);
    }

    static void resourceOfVariable(FieldCursor reference) {
        resource(reference.at("resource"));
        divisor(reference);
    }

    private static void check(FieldCursor reference, List<String> allowed) {
        FieldCursor version = reference.at("apiVersion");
        if (version.text().isEmpty()) {
            version.required();
            return;
        }
        FieldCursor path = reference.at("fieldPath");
        String field = path.text();
        if (field.isEmpty()) {
            path.required();
            return;
        }
        if (!version.text().equals("v1")) {
            path.invalid("error converting fieldPath: unsupported pod version: " + version.text());
            return;
        }
        int bracket = field.endsWith("']") ? field.indexOf("['") : -1;
        if (bracket > 0) {
            subscripted(reference, path, field.substring(0, bracket), field.substring(bracket + 2, field.length() - 2));
            return;
        }
        // The name that old clients use.
        String current = field.equals("spec.host") ? "spec.nodeName" : field;
        if (!KNOWN.contains(current)) {
            path.invalid("error converting fieldPath: field label not supported: " + field);
        } else if (!allowed.contains(current)) {
            path.notSupported(current, allowed);
        }
    }

    private static void subscripted(FieldCursor reference, FieldCursor path, String map, String key) {
        switch (map) {
            case "metadata.annotations" -> NameValidation.qualifiedName(reference, key.toLowerCase(Locale.ROOT));
            case "metadata.labels" -> NameValidation.qualifiedName(reference, key);
            default ->
                path.invalid("error converting fieldPath: field label does not support subscript: " + path.text());
        }
    }

    private static void resource(FieldCursor resource) {
        String name = resource.text();
        if (name.isEmpty()) {
            resource.required();
        } else if (!RESOURCES.contains(name) && !isHugePages(name)) {
            resource.notSupported(RESOURCES);
        }
    }

    private static boolean isHugePages(String resource) {
        return resource.startsWith("requests.hugepages-") || resource.startsWith("limits.hugepages-");
    }

    private static void divisor(FieldCursor reference) {
        FieldCursor at = reference.at("divisor");
        if (!at.present() || Quantities.isZero(at.value())) {
            return;
        }
        String divisor = Quantities.canonical(at.value());
        String resource = reference.text("resource");
        switch (resource) {
            case "limits.cpu", "requests.cpu" -> {
                if (!DIVISORS_OF_CPU.contains(divisor)) {
                    at.invalid(resource, "only divisor's values 1m and 1 are supported with the cpu resource");
                }
            }
            case "limits.memory", "requests.memory" -> bytes(at, divisor, resource, "memory resource");
            case "limits.ephemeral-storage", "requests.ephemeral-storage" ->
                bytes(at, divisor, resource, "local ephemeral storage resource");
            default -> {
                if (isHugePages(resource)) {
                    bytes(at, divisor, resource, "hugepages resource");
                }
            }
        }
    }

    private static void bytes(FieldCursor at, String divisor, String resource, String what) {
        if (!DIVISORS_OF_BYTES.contains(divisor)) {
            at.invalid(resource, BYTES + what);
        }
    }
}
