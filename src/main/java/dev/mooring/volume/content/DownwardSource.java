package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Facts about the Pod itself as files. Also of its node, but a node changes all the time and is no reason to look again. */
record DownwardSource(JsonNode items, int defaultMode) implements ContentSource {
    static DownwardSource volume(JsonNode source) {
        return new DownwardSource(
                source.path("items"), source.path("defaultMode").asInt(DEFAULT_MODE));
    }

    static DownwardSource projection(JsonNode source, int defaultMode) {
        return new DownwardSource(source.path("items"), defaultMode);
    }

    @Override
    public Set<ObjectKey> madeOf(String namespace) {
        return Set.of();
    }

    @Override
    public void describe(Surroundings surroundings, ContentVersion version) {
        for (JsonNode item : items) {
            try {
                version.add(value(surroundings, item));
            } catch (VolumeException e) {
                version.add("error: " + e.getMessage());
            }
        }
    }

    @Override
    public void collect(Surroundings surroundings, Map<String, ContentFile> files) throws VolumeException {
        List<VolumeException> problems = new ArrayList<>();
        for (JsonNode item : items) {
            try {
                byte[] bytes = value(surroundings, item).getBytes(StandardCharsets.UTF_8);
                int mode = item.path("mode").asInt(defaultMode);
                files.put(item.path("path").asText(""), new ContentFile(bytes, mode));
            } catch (VolumeException e) {
                problems.add(e);
            }
        }
        Problems.throwIfAny(problems);
    }

    private static String value(Surroundings surroundings, JsonNode item) throws VolumeException {
        if (item.hasNonNull("fieldRef")) {
            String path = item.path("fieldRef").path("fieldPath").asText("");
            return FieldValue.of(surroundings.metadata(), path);
        }
        return item.hasNonNull("resourceFieldRef") ? ResourceValue.of(surroundings, item.path("resourceFieldRef")) : "";
    }
}
