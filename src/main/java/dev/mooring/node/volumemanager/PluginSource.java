package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.EmptyDirSource;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The source of a volume and its plugin. Immutable.
 *
 * @param json with one field: {@code {"nfs": {"server": …}}}
 * @param plugin empty if no plugin supports it
 */
record PluginSource(ObjectNode json, Optional<VolumePlugin> plugin) {
    /** Other fields next to the source in a PersistentVolume and in a Pod's volume. */
    private static final Set<String> NO_SOURCES = Set.of(
            "name",
            "capacity",
            "accessModes",
            "claimRef",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "mountOptions",
            "volumeMode",
            "nodeAffinity",
            "volumeAttributesClassName");

    /** Returns the source of a Pod's volume. A volume without one is an emptyDir. */
    static PluginSource ofPod(JsonNode volume, VolumePlugins plugins) {
        return of(volume, plugins).orElseGet(() -> {
            ObjectNode empty = JsonNodeFactory.instance.objectNode();
            empty.putObject(new EmptyDirSource().field());
            return new PluginSource(empty, plugins.forSource(empty));
        });
    }

    /** Returns the source in the spec of a PersistentVolume; an empty object if it has none. */
    static PluginSource ofVolume(JsonNode spec, VolumePlugins plugins) {
        return of(spec, plugins)
                .orElseGet(() -> new PluginSource(JsonNodeFactory.instance.objectNode(), Optional.empty()));
    }

    /** Finds the source. Sources with a plugin come first, because fields of later API versions may exist, too. */
    private static Optional<PluginSource> of(JsonNode spec, VolumePlugins plugins) {
        List<PluginSource> found = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : spec.properties()) {
            if (field.getValue().isObject() && !NO_SOURCES.contains(field.getKey())) {
                ObjectNode json = JsonNodeFactory.instance.objectNode();
                json.set(field.getKey(), field.getValue());
                found.add(new PluginSource(json, plugins.forSource(json)));
            }
        }
        return found.stream()
                .filter(each -> each.plugin().isPresent())
                .findFirst()
                .or(() -> found.stream().findFirst());
    }

    /** Returns the kind, such as nfs; "" if it has none. */
    String kind() {
        return json.isEmpty() ? "" : json.fieldNames().next();
    }

    boolean isReadOnly() {
        return json.path(kind()).path("readOnly").asBoolean(false);
    }
}
