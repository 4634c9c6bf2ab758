package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;

/** Defaults of containers. Stateless. */
final class ContainerDefaults {
    private ContainerDefaults() {}

    static void apply(ObjectNode container) {
        applyToEphemeral(container);
        TreeDefaults.with(container, "resources", ContainerDefaults::requestsFromLimits);
    }

    /** Sets defaults of an ephemeral container, which has no requests. */
    static void applyToEphemeral(ObjectNode container) {
        if (TreeDefaults.lacks(container, "resources")) {
            container.putObject("resources");
        }
        JsonFields.defaultText(container, "terminationMessagePath", "/dev/termination-log");
        JsonFields.defaultText(container, "terminationMessagePolicy", "File");
        JsonFields.defaultText(container, "imagePullPolicy", pullPolicy(JsonFields.text(container, "image")));
        TreeDefaults.withEach(container, "ports", port -> JsonFields.defaultText(port, "protocol", "TCP"));
        TreeDefaults.withEach(
                container, "env", variable -> TreeDefaults.with(variable, "valueFrom", ContainerDefaults::reference));
        TreeDefaults.with(container, "livenessProbe", ContainerDefaults::probe);
        TreeDefaults.with(container, "readinessProbe", ContainerDefaults::probe);
        TreeDefaults.with(container, "startupProbe", ContainerDefaults::probe);
        TreeDefaults.with(container, "lifecycle", lifecycle -> {
            TreeDefaults.with(lifecycle, "postStart", ContainerDefaults::handler);
            TreeDefaults.with(lifecycle, "preStop", ContainerDefaults::handler);
        });
    }

    /** Sets defaults of a reference to a field of the Pod or to a container's resources. */
    static void reference(ObjectNode from) {
        TreeDefaults.with(from, "fieldRef", field -> JsonFields.defaultText(field, "apiVersion", "v1"));
        TreeDefaults.with(from, "resourceFieldRef", resource -> TreeDefaults.text(resource, "divisor", "0"));
    }

    private static void probe(ObjectNode probe) {
        TreeDefaults.nonZero(probe, "timeoutSeconds", 1);
        TreeDefaults.nonZero(probe, "periodSeconds", 10);
        TreeDefaults.nonZero(probe, "successThreshold", 1);
        TreeDefaults.nonZero(probe, "failureThreshold", 3);
        TreeDefaults.with(probe, "grpc", grpc -> TreeDefaults.text(grpc, "service", ""));
        handler(probe);
    }

    private static void handler(ObjectNode handler) {
        TreeDefaults.with(handler, "httpGet", get -> {
            JsonFields.defaultText(get, "path", "/");
            JsonFields.defaultText(get, "scheme", "HTTP");
        });
    }

    static void requestsFromLimits(ObjectNode resources) {
        JsonNode limits = JsonFields.get(resources, "limits");
        if (limits.isObject() && !limits.isEmpty()) {
            ObjectNode requests = JsonFields.object(resources, "requests");
            for (var limit : limits.properties()) {
                if (!requests.has(limit.getKey())) {
                    requests.set(limit.getKey(), limit.getValue());
                }
            }
        }
    }

    /** Returns the default pull policy: Always for the tag latest, whose image may change. */
    static String pullPolicy(String image) {
        return tag(image).equals("latest") ? "Always" : "IfNotPresent";
    }

    private static String tag(String image) {
        if (image.isBlank()) {
            return "";
        }
        int digest = image.indexOf('@');
        String name = digest < 0 ? image : image.substring(0, digest);
        int colon = name.indexOf(':', name.lastIndexOf('/') + 1);
        if (colon >= 0) {
            return name.substring(colon + 1);
        }
        return digest < 0 ? "latest" : "";
    }
}
