package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.VolumeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Several sources in one directory; if two write the same file, the later one wins. Reports all errors at once. */
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
            return KeyedSource.projection(KeyedSource.KeyedObjectKind.SECRET, source.path("secret"), mode);
        }
        if (source.hasNonNull("configMap")) {
            return KeyedSource.projection(KeyedSource.KeyedObjectKind.CONFIG_MAP, source.path("configMap"), mode);
        }
        if (source.hasNonNull("downwardAPI")) {
            return DownwardSource.projection(source.path("downwardAPI"), mode);
        }
        if (source.hasNonNull("serviceAccountToken")) {
            return TokenSource.projection(source.path("serviceAccountToken"), mode);
        }
        for (Map.Entry<String, JsonNode> each : source.properties()) {
            if (!each.getValue().isNull()) {
                return new UnsupportedSource(each.getKey());
            }
        }
        return new ProjectedSource(List.of());
    }

    /** Returns the shortest age at which a token is renewed; empty without tokens. */
    Optional<Duration> renewal() {
        return sources.stream()
                .filter(TokenSource.class::isInstance)
                .map(each -> ((TokenSource) each).renewal())
                .min(Comparator.naturalOrder());
    }

    @Override
    public void describe(ContentContext context, ContentVersion version) {
        sources.forEach(each -> each.describe(context, version));
    }

    @Override
    public void collect(ContentContext context, Map<String, ContentFile> files) throws VolumeException {
        List<VolumeException> problems = new ArrayList<>();
        for (ContentSource each : sources) {
            try {
                each.collect(context, files);
            } catch (VolumeException e) {
                problems.add(e);
            }
        }
        AggregateErrors.throwIfAny(problems);
    }
}
