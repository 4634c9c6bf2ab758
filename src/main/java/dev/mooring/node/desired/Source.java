package dev.mooring.node.desired;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where the data of a volume is, and who can mount it. Immutable.
 *
 * @param json with one field: {@code {"nfs": {"server": …}}}
 * @param plugin nothing if nobody here knows such volumes
 */
record Source(ObjectNode json, Optional<VolumePlugin> plugin) {
    /** What else stands beside the source in a PersistentVolume and in a volume of a Pod. */
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

    private static final String EMPTY_DIR = "emptyDir";

    /** The source in a volume of a Pod. One that has none is an emptyDir, as ever. */
    static Source ofPod(JsonNode volume, VolumePlugins plugins) {
        return of(volume, plugins).orElseGet(() -> {
            ObjectNode empty = JsonNodeFactory.instance.objectNode();
            empty.putObject(EMPTY_DIR);
            return new Source(empty, plugins.forSource(empty));
        });
    }

    /** The source in the spec of a PersistentVolume; without fields if it has none. */
    static Source ofVolume(JsonNode spec, VolumePlugins plugins) {
        return of(spec, plugins).orElseGet(() -> new Source(JsonNodeFactory.instance.objectNode(), Optional.empty()));
    }

    /** Fields of later versions may stand there too: what a plugin knows comes first. */
    private static Optional<Source> of(JsonNode spec, VolumePlugins plugins) {
        List<Source> found = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : spec.properties()) {
            if (field.getValue().isObject() && !NO_SOURCES.contains(field.getKey())) {
                ObjectNode json = JsonNodeFactory.instance.objectNode();
                json.set(field.getKey(), field.getValue());
                found.add(new Source(json, plugins.forSource(json)));
            }
        }
        return found.stream()
                .filter(each -> each.plugin().isPresent())
                .findFirst()
                .or(() -> found.stream().findFirst());
    }

    /** Such as nfs; "" if it has none. */
    String kind() {
        return json.isEmpty() ? "" : json.fieldNames().next();
    }

    JsonNode detail() {
        return json.path(kind());
    }

    boolean isReadOnly() {
        return detail().path("readOnly").asBoolean(false);
    }

    boolean isEmptyDir() {
        return kind().equals(EMPTY_DIR);
    }
}
