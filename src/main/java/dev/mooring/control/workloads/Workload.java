package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.SelectorException;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.View;
import java.util.Optional;

/** The common fields of workloads: selector, template, replicas. Immutable; thread-safe. */
public final class Workload extends View {
    private Workload(StoredObject stored) {
        super(stored);
    }

    public static Workload of(StoredObject stored) {
        return new Workload(stored);
    }

    public String kind() {
        return tree().path("kind").asText("");
    }

    /** Returns the selector; empty if it is missing, invalid or selects everything, which validation refuses. */
    public Optional<LabelSelector> selector() {
        try {
            JsonNode selector = spec().path("selector");
            return Optional.of(selector)
                    .filter(JsonNode::isObject)
                    .map(LabelSelector::ofObject)
                    .filter(each -> !each.isEverything());
        } catch (SelectorException e) {
            return Optional.empty();
        }
    }

    public JsonNode template() {
        return spec().path("template");
    }

    public int replicas() {
        return Math.max(0, spec().path("replicas").asInt(1));
    }

    public int minReadySeconds() {
        return Math.max(0, spec().path("minReadySeconds").asInt(0));
    }

    public long generation() {
        return metadata().path("generation").asLong(0);
    }
}
