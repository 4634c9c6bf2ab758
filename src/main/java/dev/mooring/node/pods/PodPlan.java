package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.container.ObservedPod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The actions for a Pod, and the waiting reasons of its containers. Filled by the planner, then read-only. */
final class PodPlan {
    private final List<PodAction> actions = new ArrayList<>();
    private final List<JsonNode> images = new ArrayList<>();
    private final Map<String, ObservedContainer.Waiting> waiting = new LinkedHashMap<>();
    private Optional<ObservedPod.PodFailure> failure = Optional.empty();
    private Optional<Instant> next = Optional.empty();

    /** Adds an action, unless its slot is busy or backing off. */
    void addAction(PodAction action, PodPlannerInput input) {
        PodPlannerInput.SlotState slot = input.slot(action.slot());
        if (!slot.free()) {
            return;
        }
        Optional<Instant> due = slot.failure().flatMap(each -> each.retryTime(input.now()));
        if (due.isPresent()) {
            requeueAt(due.get());
        } else {
            actions.add(action);
        }
    }

    /** Requests the image of a container. */
    void requestImage(JsonNode container) {
        images.add(container);
    }

    void setWaiting(String container, String reason, String message) {
        waiting.putIfAbsent(container, new ObservedContainer.Waiting(reason, message));
    }

    void requeueAt(Instant when) {
        if (next.isEmpty() || when.isBefore(next.get())) {
            next = Optional.of(when);
        }
    }

    void setFailure(String reason, String message) {
        failure = Optional.of(new ObservedPod.PodFailure(reason, message));
    }

    /** Returns the actions to start now; they are independent of each other. */
    List<PodAction> actions() {
        return actions;
    }

    /** Returns the containers whose images are to be requested. */
    List<JsonNode> images() {
        return images;
    }

    Optional<ObservedContainer.Waiting> waiting(String container) {
        return Optional.ofNullable(waiting.get(container));
    }

    Optional<ObservedPod.PodFailure> failure() {
        return failure;
    }

    /** Returns when the Pod must be planned again without other changes. */
    Optional<Instant> next() {
        return next;
    }
}
