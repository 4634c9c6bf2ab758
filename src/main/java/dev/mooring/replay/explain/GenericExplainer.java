package dev.mooring.replay.explain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.replay.explain.Explanation.FindingSeverity;
import dev.mooring.replay.explain.Explanation.ObjectRef;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Explains objects of any resource by the fields that all objects have: deletionTimestamp, finalizers, phase, conditions
 * and owners; and by their Events. Other explainers use its parts. Pure.
 */
final class GenericExplainer implements ResourceExplainer {
    static final String TERMINATING = "Terminating";

    /** Conditions that are True on a healthy object. */
    private static final Set<String> POSITIVE_CONDITIONS =
            Set.of("Ready", "Available", "Bound", "Initialized", "PodScheduled", "ContainersReady");

    private static final int MAX_EVENTS = 3;

    @Override
    public Explained explain(StoredObject object, ExplainContext context) {
        JsonNode tree = object.tree();
        List<Finding> causes = new ArrayList<>();
        if (isTerminating(object)) {
            deletionRequest(object, context).ifPresent(causes::add);
            causes.addAll(finalizers(object, Set.of()));
        }
        causes.addAll(conditions(tree));
        causes.addAll(missingOwners(object, context));
        causes.addAll(warnings(object, context));
        String state = stateOf(object);
        String text = ObjectRef.of(object) + " is " + state + '.';
        boolean hasFailed = state.equals("Failed");
        boolean isWaiting = isTerminating(object)
                || state.equals("Pending")
                || causes.stream().anyMatch(each -> each.severity() == FindingSeverity.WAITING);
        Finding.Builder root = hasFailed ? Finding.failed(text) : isWaiting ? Finding.waiting(text) : Finding.ok(text);
        if (hasFailed) {
            root.next("Read the Events of the object.", Commands.kubectl("describe", object.key()));
        }
        root.reason(tree.path("status").path("reason").asText(""));
        return new Explained(state, root.about(object).because(causes).build());
    }

    /** Returns a finding that is as serious as the most serious of its causes. */
    static Finding.Builder asSeriousAs(List<Finding> causes, String text) {
        Finding.Builder finding = switch (causes.stream()
                .map(Finding::severity)
                .max(FindingSeverity::compareTo)
                .orElse(FindingSeverity.OK)) {
            case FAILED -> Finding.failed(text);
            case WAITING -> Finding.waiting(text);
            default -> Finding.ok(text);
        };
        return finding.because(causes);
    }

    static boolean isTerminating(StoredObject object) {
        return object.tree().path("metadata").hasNonNull("deletionTimestamp");
    }

    /** Returns {@code Terminating}, the phase, or {@code Active} for objects without a phase. */
    static String stateOf(StoredObject object) {
        String phase = object.tree().path("status").path("phase").asText("");
        return isTerminating(object) ? TERMINATING : phase.isEmpty() ? "Active" : phase;
    }

    /** Returns the request that deleted a terminating object; empty if the log does not retain it. */
    static Optional<Finding> deletionRequest(StoredObject object, ExplainContext context) {
        return context.deletionRequestOf(object.key())
                .map(event -> Finding.info(event.actor() + " deleted it at revision " + event.revision() + '.')
                        .at(event)
                        .build());
    }

    /**
     * Returns a finding for each finalizer of a terminating object.
     *
     * @param explained finalizers to leave out
     */
    static List<Finding> finalizers(StoredObject object, Set<String> explained) {
        List<Finding> findings = new ArrayList<>();
        for (JsonNode each : object.tree().path("metadata").path("finalizers")) {
            if (!explained.contains(each.asText())) {
                findings.add(Finding.waiting("Finalizer " + each.asText() + " has not been removed by its controller.")
                        .next(
                                "Find the controller that owns the finalizer.",
                                Commands.kubectl("get", object.key(), "-o", "jsonpath='{.metadata.finalizers}'"))
                        .build());
            }
        }
        return findings;
    }

    private static List<Finding> conditions(JsonNode tree) {
        List<Finding> findings = new ArrayList<>();
        for (JsonNode each : tree.path("status").path("conditions")) {
            String type = each.path("type").asText("");
            if (POSITIVE_CONDITIONS.contains(type)
                    && !each.path("status").asText("").equals("True")) {
                String message = each.path("message").asText("");
                findings.add(Finding.waiting("Condition " + type + " is "
                                + each.path("status").asText("Unknown") + (message.isEmpty() ? "." : ": " + message))
                        .reason(each.path("reason").asText(""))
                        .at(time(each.path("lastTransitionTime")))
                        .build());
            }
        }
        return findings;
    }

    private static List<Finding> missingOwners(StoredObject object, ExplainContext context) {
        List<Finding> findings = new ArrayList<>();
        for (JsonNode each : object.tree().path("metadata").path("ownerReferences")) {
            Optional<ObjectKey> owner = KindResources.ofKind(
                            each.path("apiVersion").asText(""),
                            each.path("kind").asText(""))
                    .flatMap(kind -> ObjectKey.ifValid(kind.key(
                                    object.key().namespace().orElse("default"),
                                    each.path("name").asText("-"))
                            .text()));
            if (owner.isPresent() && context.world().get(owner.get()).isEmpty()) {
                findings.add(Finding.info("The owner does not exist; the garbage collector removes the object.")
                        .about(owner.get())
                        .build());
            }
        }
        return findings;
    }

    /** Returns the newest Events of type Warning about an object. */
    static List<Finding> warnings(StoredObject object, ExplainContext context) {
        return context.kubeEventsOf(object).stream()
                .map(StoredObject::tree)
                .filter(event -> event.path("type").asText("").equals("Warning"))
                .limit(MAX_EVENTS)
                .map(event -> Finding.info(event.path("message").asText(""))
                        .reason(event.path("reason").asText(""))
                        .at(time(event.path("lastTimestamp")))
                        .attempt(event.path("count").asInt(0))
                        .build())
                .toList();
    }

    /** Returns the time in a field; the epoch if there is none. */
    static Instant time(JsonNode field) {
        try {
            return field.isTextual() ? Instant.parse(field.textValue()) : Instant.EPOCH;
        } catch (DateTimeException e) {
            return Instant.EPOCH;
        }
    }
}
