package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Files with fields and resources of the Pod. Resource defaults depend on the node, but node changes do not trigger an
 * update, because nodes change all the time.
 */
record DownwardSource(JsonNode items, int defaultMode) implements ContentSource {
    static DownwardSource volume(JsonNode source) {
        return new DownwardSource(
                source.path("items"), source.path("defaultMode").asInt(DEFAULT_MODE));
    }

    static DownwardSource projection(JsonNode source, int defaultMode) {
        return new DownwardSource(source.path("items"), defaultMode);
    }

    @Override
    public void describe(ContentContext context, ContentVersion version) {
        for (JsonNode item : items) {
            try {
                version.add(value(context, item));
            } catch (VolumeException e) {
                version.add("error: " + e.getMessage());
            }
        }
    }

    @Override
    public void collect(ContentContext context, Map<String, ContentFile> files) throws VolumeException {
        List<VolumeException> problems = new ArrayList<>();
        for (JsonNode item : items) {
            try {
                byte[] bytes = value(context, item).getBytes(StandardCharsets.UTF_8);
                int mode = item.path("mode").asInt(defaultMode);
                files.put(item.path("path").asText(""), new ContentFile(bytes, mode));
            } catch (VolumeException e) {
                problems.add(e);
            }
        }
        AggregateErrors.throwIfAny(problems);
    }

    private static String value(ContentContext context, JsonNode item) throws VolumeException {
        if (item.hasNonNull("fieldRef")) {
            String path = item.path("fieldRef").path("fieldPath").asText("");
            return FieldValue.of(context.metadata(), path);
        }
        return item.hasNonNull("resourceFieldRef") ? ResourceValue.of(context, item.path("resourceFieldRef")) : "";
    }
}
