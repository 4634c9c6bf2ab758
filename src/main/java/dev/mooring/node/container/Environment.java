package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.Prepared.Remark;
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
 * The environment of a container: first what {@code envFrom} has, a later source over an earlier one; then each of {@code env}, which sees
 * everything before it. An optional reference to something that is not there changes nothing. For one container, by one thread.
 */
final class Environment {
    private static final Set<String> POD_ADDRESS = Set.of("status.podIP", "status.podIPs");

    private final Pod pod;
    private final JsonNode container;
    private final Addresses addresses;
    private final ObjectLookup objects;
    private final KeyedValues keyed;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final List<Remark> remarks = new ArrayList<>();

    private Environment(Pod pod, JsonNode container, Addresses addresses, ObjectLookup objects) {
        this.pod = pod;
        this.container = container;
        this.addresses = addresses;
        this.objects = objects;
        this.keyed = new KeyedValues(pod.namespace(), objects);
    }

    static Environment of(Pod pod, JsonNode container, Addresses addresses, ObjectLookup objects)
            throws ConfigException {
        Environment environment = new Environment(pod, container, addresses, objects);
        for (JsonNode each : container.path("envFrom")) {
            environment.addAll(each);
        }
        for (JsonNode each : container.path("env")) {
            environment.add(each);
        }
        return environment;
    }

    /** Whether the Pod must have its address before. */
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

    /** In order. */
    Map<String, String> values() {
        return Collections.unmodifiableMap(values);
    }

    List<Remark> remarks() {
        return List.copyOf(remarks);
    }

    private void addAll(JsonNode source) throws ConfigException {
        String prefix = source.path("prefix").asText("");
        for (KeyedValues.Kind kind : KeyedValues.Kind.values()) {
            JsonNode reference = source.path(kind.wholeField());
            if (reference.isObject()) {
                Set<String> invalid = new TreeSet<>();
                keyed.all(kind, reference).forEach((key, value) -> {
                    if (isName(prefix + key)) {
                        values.put(prefix + key, value);
                    } else {
                        invalid.add(prefix + key);
                    }
                });
                if (!invalid.isEmpty()) {
                    remark(kind, reference.path("name").asText(""), invalid);
                }
                return;
            }
        }
    }

    /** Anything that can be printed, but what ends a name. */
    private static boolean isName(String name) {
        return !name.isEmpty() && name.chars().allMatch(c -> c >= ' ' && c < 0x7f && c != '=');
    }

    private void remark(KeyedValues.Kind kind, String name, Set<String> invalid) {
        remarks.add(new Remark(
                "InvalidEnvironmentVariableNames",
                "Keys [" + String.join(", ", invalid) + "] from the EnvFrom " + kind.envFromWord() + ' '
                        + pod.namespace() + '/' + name
                        + " were skipped since they are considered invalid environment variable names."));
    }

    private void add(JsonNode variable) throws ConfigException {
        String name = variable.path("name").asText("");
        String value = variable.path("value").asText("");
        JsonNode from = variable.path("valueFrom");
        if (!value.isEmpty() || !from.isObject()) {
            values.put(name, Expansion.expand(value, values));
            return;
        }
        for (KeyedValues.Kind kind : KeyedValues.Kind.values()) {
            JsonNode reference = from.path(kind.keyField());
            if (reference.isObject()) {
                keyed.one(kind, reference).ifPresent(found -> values.put(name, found));
                return;
            }
        }
        values.put(name, ofPod(from));
    }

    private String ofPod(JsonNode from) throws ConfigException {
        try {
            if (from.path("fieldRef").isObject()) {
                return field(from.path("fieldRef").path("fieldPath").asText(""));
            }
            if (from.path("resourceFieldRef") instanceof ObjectNode reference) {
                return DownwardValue.resource(pod.tree(), naming(reference), objects);
            }
        } catch (VolumeException e) {
            throw ConfigException.config(e.getMessage());
        }
        throw ConfigException.config("Expected the value of an environment variable to come from a fieldRef,"
                + " resourceFieldRef, configMapKeyRef or secretKeyRef, but found " + List.copyOf(fieldNames(from)));
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

    /** Who names no container means the one whose environment it is. */
    private JsonNode naming(ObjectNode reference) {
        return reference.path("containerName").asText("").isEmpty()
                ? reference
                        .deepCopy()
                        .put("containerName", container.path("name").asText(""))
                : reference;
    }
}
