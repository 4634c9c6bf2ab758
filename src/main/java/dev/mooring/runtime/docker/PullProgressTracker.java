package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerRuntime.PullProgress;
import java.util.HashMap;
import java.util.Map;

/** Sums up the progress of all layers of a pull. One thread. */
final class PullProgressTracker {
    private final PullProgress progress;
    private final Map<String, Layer> layers = new HashMap<>();

    PullProgressTracker(PullProgress progress) {
        this.progress = progress;
    }

    void update(JsonNode document) {
        String id = document.path("id").asText("");
        Layer before = layers.getOrDefault(id, Layer.UNKNOWN);
        Layer now = switch (document.path("status").asText("")) {
            case "Downloading" ->
                new Layer(
                        document.path("progressDetail").path("current").asLong(),
                        Math.max(
                                before.total,
                                document.path("progressDetail").path("total").asLong()));
            case "Download complete", "Pull complete" -> new Layer(Math.max(before.done, before.total), before.total);
            default -> before;
        };
        if (!now.equals(before)) {
            layers.put(id, now);
            progress.progress(
                    layers.values().stream().mapToLong(Layer::done).sum(),
                    layers.values().stream().mapToLong(Layer::total).sum());
        }
    }

    private record Layer(long done, long total) {
        private static final Layer UNKNOWN = new Layer(0, 0);
    }
}
