package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.EventReasons;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ContainerSpecs.PreparedContainer.ContainerWarning;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.content.DownwardValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Builds the environment of a container: first the addresses of Services; then {@code envFrom}, later sources over
 * earlier ones; then {@code env},
 * where each entry can refer to the ones before it. Missing optional references are ignored. For one container, by one
 * thread.
 */
final class ContainerEnvironment {
    private static final Set<String> POD_ADDRESS = Set.of("status.podIP", "status.podIPs");

    private final Pod pod;
    private final JsonNode container;
    private final ContainerSpecs.PodAddresses addresses;
    private final ObjectLookup objects;
    private final ConfigAndSecretValues keyed;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final List<ContainerWarning> warnings = new ArrayList<>();

    private ContainerEnvironment(
            Pod pod, JsonNode container, ContainerSpecs.PodAddresses addresses, ObjectLookup objects) {
        this.pod = pod;
        this.container = container;
        this.addresses = addresses;
        this.objects = objects;
        this.keyed = new ConfigAndSecretValues(pod.namespace(), objects);
    }

    static ContainerEnvironment of(
            Pod pod,
            JsonNode container,
            ContainerSpecs.PodAddresses addresses,
            ObjectLookup objects,
            PodNetworking networking)
            throws ConfigException {
        ContainerEnvironment environment = new ContainerEnvironment(pod, container, addresses, objects);
        environment.values.putAll(networking.environment(
                pod.namespace(), pod.spec().path("enableServiceLinks").asBoolean(true)));
        for (JsonNode each : container.path("envFrom")) {
            environment.addAll(each);
        }
        for (JsonNode each : container.path("env")) {
            environment.add(each);
        }
        return environment;
    }

    /** Returns whether the environment needs the Pod's address. */
    static boolean usesPodAddress(JsonNode container) {
        for (JsonNode each : container.path("env")) {
            String path =
                    each.path("valueFrom").path("fieldRef").path("fieldPath").asText("");
            if (each.path("value").asText("").isEmpty() && POD_ADDRESS.contains(path)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the variables in order. */
    Map<String, String> values() {
        return Collections.unmodifiableMap(values);
    }

    List<ContainerWarning> warnings() {
        return List.copyOf(warnings);
    }

    private void addAll(JsonNode source) throws ConfigException {
        String prefix = source.path("prefix").asText("");
        for (ConfigAndSecretValues.Kind kind : ConfigAndSecretValues.Kind.values()) {
            JsonNode reference = source.path(kind.wholeField());
            if (reference.isObject()) {
                Set<String> invalid = new TreeSet<>();
                keyed.entries(kind, reference).forEach((key, value) -> {
                    if (isName(prefix + key)) {
                        values.put(prefix + key, value);
                    } else {
                        invalid.add(prefix + key);
                    }
                });
                if (!invalid.isEmpty()) {
                    addInvalidNamesWarning(kind, reference.path("name").asText(""), invalid);
                }
                return;
            }
        }
    }

    /** Returns whether the name consists of printable characters except '='. */
    private static boolean isName(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> c >= ' ' && c < 0x7f && c != '=');
    }

    private void addInvalidNamesWarning(ConfigAndSecretValues.Kind kind, String name, Set<String> invalid) {
        warnings.add(new ContainerWarning(
                EventReasons.INVALID_ENVIRONMENT_VARIABLE_NAMES,
                "Keys [" + String.join(", ", invalid) + "] from the EnvFrom " + kind.envFromLabel() + ' '
                        + pod.namespace() + '/' + name
                        + " were skipped since they are considered invalid environment variable names."));
    }

    private void add(JsonNode variable) throws ConfigException {
        String name = variable.path("name").asText("");
        String value = variable.path("value").asText("");
        JsonNode from = variable.path("valueFrom");
        if (!value.isEmpty() || !from.isObject()) {
            values.put(name, VariableExpansion.expand(value, values));
            return;
        }
        for (ConfigAndSecretValues.Kind kind : ConfigAndSecretValues.Kind.values()) {
            JsonNode reference = from.path(kind.keyField());
            if (reference.isObject()) {
                keyed.entry(kind, reference).ifPresent(found -> values.put(name, found));
                return;
            }
        }
        values.put(name, podValue(from));
    }

    private String podValue(JsonNode from) throws ConfigException {
        try {
            if (from.path("fieldRef").isObject()) {
                return field(from.path("fieldRef").path("fieldPath").asText(""));
            }
            if (from.path("resourceFieldRef") instanceof ObjectNode reference) {
                return DownwardValue.resource(pod.tree(), withContainerName(reference), objects);
            }
        } catch (VolumeException e) {
            throw ConfigException.configError(e.getMessage());
        }
        throw ConfigException.configError("unsupported valueFrom of an environment variable: "
                + List.copyOf(fieldNames(from)) + "; use fieldRef, resourceFieldRef, configMapKeyRef or secretKeyRef");
    }

    private static Set<String> fieldNames(JsonNode from) {
        Set<String> names = new TreeSet<>();
        from.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private String field(String path) throws VolumeException {
        return switch (path) {
            case "spec.nodeName", "spec.host" -> pod.nodeName();
            case "spec.serviceAccountName" ->
                pod.spec().path("serviceAccountName").asText("");
            case "status.podIP", "status.podIPs" -> addresses.pod();
            case "status.hostIP", "status.hostIPs" -> addresses.node();
            default -> DownwardValue.field(pod.tree(), path);
        };
    }

    /** Returns the reference with a container name; it defaults to this container. */
    private JsonNode withContainerName(ObjectNode reference) {
        return reference.path("containerName").asText("").isEmpty()
                ? reference
                        .deepCopy()
                        .put("containerName", container.path("name").asText(""))
                : reference;
    }
}
