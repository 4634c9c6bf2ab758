package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Fields;

/** What a container is when its writer left it out. Stateless. */
final class ContainerDefaults {
    private ContainerDefaults() {}

    static void apply(ObjectNode container) {
        applyToEphemeral(container);
        Trees.with(container, "resources", ContainerDefaults::requestsFromLimits);
    }

    /** These have no requests of their own. */
    static void applyToEphemeral(ObjectNode container) {
        if (Trees.lacks(container, "resources")) {
            container.putObject("resources");
        }
        Fields.defaultText(container, "terminationMessagePath", "/dev/termination-log");
        Fields.defaultText(container, "terminationMessagePolicy", "File");
        Fields.defaultText(container, "imagePullPolicy", pullPolicy(Fields.text(container, "image")));
        Trees.withEach(container, "ports", port -> Fields.defaultText(port, "protocol", "TCP"));
        Trees.withEach(container, "env", variable -> Trees.with(variable, "valueFrom", ContainerDefaults::reference));
        Trees.with(container, "livenessProbe", ContainerDefaults::probe);
        Trees.with(container, "readinessProbe", ContainerDefaults::probe);
        Trees.with(container, "startupProbe", ContainerDefaults::probe);
        Trees.with(container, "lifecycle", lifecycle -> {
            Trees.with(lifecycle, "postStart", ContainerDefaults::handler);
            Trees.with(lifecycle, "preStop", ContainerDefaults::handler);
        });
    }

    /** What somewhere else is taken from a field of the Pod or from the resources of a container. */
    static void reference(ObjectNode from) {
        Trees.with(from, "fieldRef", field -> Fields.defaultText(field, "apiVersion", "v1"));
        Trees.with(from, "resourceFieldRef", resource -> Trees.text(resource, "divisor", "0"));
    }

    private static void probe(ObjectNode probe) {
        Trees.nonZero(probe, "timeoutSeconds", 1);
        Trees.nonZero(probe, "periodSeconds", 10);
        Trees.nonZero(probe, "successThreshold", 1);
        Trees.nonZero(probe, "failureThreshold", 3);
        Trees.with(probe, "grpc", grpc -> Trees.text(grpc, "service", ""));
        handler(probe);
    }

    private static void handler(ObjectNode handler) {
        Trees.with(handler, "httpGet", get -> {
            Fields.defaultText(get, "path", "/");
            Fields.defaultText(get, "scheme", "HTTP");
        });
    }

    static void requestsFromLimits(ObjectNode resources) {
        JsonNode limits = Fields.get(resources, "limits");
        if (limits.isObject() && !limits.isEmpty()) {
            ObjectNode requests = Fields.object(resources, "requests");
            for (var limit : limits.properties()) {
                if (!requests.has(limit.getKey())) {
                    requests.set(limit.getKey(), limit.getValue());
                }
            }
        }
    }

    /** An image whose name stays the same while what it names changes has to be looked for each time. */
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
