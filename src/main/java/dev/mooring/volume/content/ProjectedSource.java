package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.VolumeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Several sources in one directory; where two write the same file, the later one wins. All that is wrong is said at once. */
record ProjectedSource(List<ContentSource> sources) implements ContentSource {
    ProjectedSource {
        sources = List.copyOf(sources);
    }

    static ProjectedSource volume(JsonNode source) {
        int mode = source.path("defaultMode").asInt(DEFAULT_MODE);
        List<ContentSource> sources = new ArrayList<>();
        for (JsonNode each : source.path("sources")) {
            sources.add(projection(each, mode));
        }
        return new ProjectedSource(sources);
    }

    private static ContentSource projection(JsonNode source, int mode) {
        if (source.hasNonNull("secret")) {
            return KeyedSource.projection(KeyedSource.Kind.SECRET, source.path("secret"), mode);
        }
        if (source.hasNonNull("configMap")) {
            return KeyedSource.projection(KeyedSource.Kind.CONFIG_MAP, source.path("configMap"), mode);
        }
        if (source.hasNonNull("downwardAPI")) {
            return DownwardSource.projection(source.path("downwardAPI"), mode);
        }
        for (Map.Entry<String, JsonNode> each : source.properties()) {
            if (!each.getValue().isNull()) {
                return new UnsupportedSource(each.getKey());
            }
        }
        return new ProjectedSource(List.of());
    }

    @Override
    public Set<ObjectKey> madeOf(String namespace) {
        Set<ObjectKey> keys = new HashSet<>();
        sources.forEach(each -> keys.addAll(each.madeOf(namespace)));
        return keys;
    }

    @Override
    public void describe(Surroundings surroundings, ContentVersion version) {
        sources.forEach(each -> each.describe(surroundings, version));
    }

    @Override
    public void collect(Surroundings surroundings, Map<String, ContentFile> files) throws VolumeException {
        List<VolumeException> problems = new ArrayList<>();
        for (ContentSource each : sources) {
            try {
                each.collect(surroundings, files);
            } catch (VolumeException e) {
                problems.add(e);
            }
        }
        Problems.throwIfAny(problems);
    }
}
