package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A Job. Immutable; thread-safe. */
public final class Job extends View {
    public static final String RESOURCE = "jobs.batch";
    public static final String COMPLETE = "Complete";
    public static final String FAILED = "Failed";

    /** Finalizer of Pods that the Job has not counted yet. */
    public static final String TRACKING = "batch.kubernetes.io/job-tracking";

    public static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
    private static final String UID_LABEL = "batch.kubernetes.io/controller-uid";
    private static final String NAME_LABEL = "batch.kubernetes.io/job-name";
    private static final String OLD_UID_LABEL = "controller-uid";
    private static final String OLD_NAME_LABEL = "job-name";

    private Job(StoredObject stored) {
        super(stored);
    }

    public static Job of(StoredObject stored) {
        return new Job(stored);
    }

    public static ObjectKey key(String namespace, String name) {
        return ObjectKey.namespaced(RESOURCE, namespace, name);
    }

    /**
     * Sets the selector and the labels of the template to the Job's uid, as Kubernetes does unless
     * {@code manualSelector} is set. A selector that is already there is kept, for validation.
     *
     * @param job with name and uid; modified
     */
    public static void generateSelector(ObjectNode job) {
        ObjectNode spec = job.withObject("/spec");
        if (spec.path("manualSelector").asBoolean(false)) {
            return;
        }
        String uid = job.path("metadata").path("uid").asText("");
        String name = job.path("metadata").path("name").asText("");
        spec.withObject("/template/metadata/labels")
                .put(UID_LABEL, uid)
                .put(NAME_LABEL, name)
                .put(OLD_UID_LABEL, uid)
                .put(OLD_NAME_LABEL, name);
        if (spec.path("selector").isEmpty()) {
            spec.remove("selector");
            spec.withObject("/selector/matchLabels").put(UID_LABEL, uid);
        }
    }

    /** Returns whether the selector is the generated one. */
    public static boolean hasGeneratedSelector(JsonNode job) {
        JsonNode labels = job.path("spec").path("selector").path("matchLabels");
        String uid = job.path("metadata").path("uid").asText("");
        return labels.path(UID_LABEL)
                .asText(labels.path(OLD_UID_LABEL).asText(""))
                .equals(uid);
    }

    /** Returns the condition that ended the Job, Complete or Failed; empty if it has not ended. */
    public Optional<String> end() {
        return hasCondition(COMPLETE)
                ? Optional.of(COMPLETE)
                : hasCondition(FAILED) ? Optional.of(FAILED) : Optional.empty();
    }

    /** Returns whether a condition is True. */
    public boolean hasCondition(String type) {
        return condition(type).path("status").asText("").equals("True");
    }

    /** Returns a condition; missing if there is none. */
    public JsonNode condition(String type) {
        for (JsonNode each : status().path("conditions")) {
            if (each.path("type").asText("").equals(type)) {
                return each;
            }
        }
        return tree().path("");
    }

    /** Returns when the Job ended; its creation if it has not. */
    public Instant ended() {
        return end().map(type -> time(condition(type).path("lastTransitionTime")))
                .orElseGet(this::created);
    }

    /** Returns when the Job was started or resumed; empty if it was not. */
    public Optional<Instant> started() {
        return Optional.of(status().path("startTime"))
                .filter(JsonNode::isTextual)
                .map(View::time);
    }

    /** Returns the number of Pods that must succeed; empty if any success completes the Job. */
    public OptionalInt completions() {
        return number("completions");
    }

    public int parallelism() {
        return number("parallelism").orElse(1);
    }

    public boolean isIndexed() {
        return spec().path("completionMode").asText("").equals("Indexed");
    }

    public boolean isSuspended() {
        return spec().path("suspend").asBoolean(false);
    }

    private OptionalInt number(String field) {
        JsonNode value = spec().path(field);
        return value.isNumber() ? OptionalInt.of(Math.max(0, value.asInt())) : OptionalInt.empty();
    }

    /** Returns indexes as Kubernetes writes them: {@code 1,3-5}. */
    public static String text(BitSet indexes) {
        List<String> ranges = new ArrayList<>();
        for (int from = indexes.nextSetBit(0); from >= 0; ) {
            int to = indexes.nextClearBit(from) - 1;
            ranges.add(from == to ? Integer.toString(from) : from + (to == from + 1 ? "," : "-") + to);
            from = indexes.nextSetBit(to + 1);
        }
        return String.join(",", ranges);
    }
}
