package dev.mooring.sim.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.View;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Checks metadata that is immutable or changes only in one direction. Stateless. */
final class MetadataChecks {
    static final String RULES = "metadata";

    /** Annotation of everything that users of the simulation create; see {@code sim.user}. */
    static final String FOREIGN = "example.com/foreign";

    static final String UNKNOWN = "exampleUnknown";
    private static final String OF_USERS = "example.com/";
    private static final String DELETION = "deletionTimestamp";
    private static final String FINALIZERS = "finalizers";

    void check(CheckedChange step) {
        if (step.is().isPresent()) {
            View is = step.is().get();
            step.require(
                    is.metadata()
                            .path("resourceVersion")
                            .asText("")
                            .equals(Long.toString(step.event().revision())),
                    RULES,
                    () -> "its resourceVersion is " + is.metadata().path("resourceVersion"));
            step.require(
                    is.metadata().path("name").asText("").equals(is.name()),
                    RULES,
                    () -> "its name is " + is.metadata().path("name"));
            step.was().ifPresent(was -> changed(step, was, is));
        } else if (step.was().isPresent() && !step.isByUser()) {
            removed(step, step.was().get());
        }
    }

    private static void changed(CheckedChange step, View was, View is) {
        step.require(was.uid().equals(is.uid()), RULES, () -> "its uid was " + was.uid() + " and became " + is.uid());
        same(step, was, is, "creationTimestamp");
        step.require(
                is.metadata().path("generation").asLong(0)
                        >= was.metadata().path("generation").asLong(0),
                RULES,
                () -> "its generation went down to " + is.metadata().path("generation"));
        if (was.metadata().hasNonNull(DELETION)) {
            checkDeletion(step, was, is);
        }
        if (!step.isByUser()) {
            step.require(
                    ofUsers(was, "annotations").equals(ofUsers(is, "annotations"))
                            && ofUsers(was, "labels").equals(ofUsers(is, "labels")),
                    "I1",
                    () -> "it overwrote an acknowledged change of a user: "
                            + was.metadata().path("annotations") + " and "
                            + was.metadata().path("labels"));
        }
        step.require(
                was.annotation(FOREIGN).equals(is.annotation(FOREIGN))
                        || was.annotation(FOREIGN).isEmpty(),
                "foreign",
                () -> "a foreign annotation became " + is.annotation(FOREIGN));
        step.require(
                was.spec().path(UNKNOWN).equals(is.spec().path(UNKNOWN))
                        || !was.spec().has(UNKNOWN),
                "foreign",
                () -> "an unknown field became " + is.spec().path(UNKNOWN));
    }

    /** Returns annotations or labels that only users write; other actors must preserve them. */
    private static Map<String, String> ofUsers(View view, String field) {
        Map<String, String> found = new HashMap<>();
        view.metadata().path(field).properties().forEach(each -> {
            if (each.getKey().startsWith(OF_USERS)) {
                found.put(each.getKey(), each.getValue().asText());
            }
        });
        return found;
    }

    private static void same(CheckedChange step, View was, View is, String field) {
        step.require(
                was.metadata().path(field).equals(is.metadata().path(field)),
                RULES,
                () -> "its " + field + " was " + was.metadata().path(field) + " and became "
                        + is.metadata().path(field));
    }

    /** A deletion is never cancelled or postponed, and no finalizer is added to an object in deletion. */
    private static void checkDeletion(CheckedChange step, View was, View is) {
        JsonNode then = was.metadata().path(DELETION);
        JsonNode now = is.metadata().path(DELETION);
        boolean kept = now.isTextual() && !Instant.parse(now.textValue()).isAfter(Instant.parse(then.asText()));
        step.require(kept, RULES, () -> "its deletionTimestamp was " + then + " and became " + now);
        Set<String> held = new HashSet<>();
        was.metadata().path(FINALIZERS).forEach(each -> held.add(each.asText()));
        for (JsonNode each : is.metadata().path(FINALIZERS)) {
            step.require(
                    held.contains(each.asText()),
                    RULES,
                    () -> "it is being deleted, but got the finalizer " + each.asText());
        }
    }

    /** Mooring removes no object with a user's finalizer. */
    private static void removed(CheckedChange step, View was) {
        for (JsonNode each : was.metadata().path(FINALIZERS)) {
            step.require(
                    !each.asText().startsWith(OF_USERS),
                    "I4",
                    () -> "it was removed despite the finalizer " + each.asText());
        }
    }
}
