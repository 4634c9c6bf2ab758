package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Computes the status of a Deployment from those of its ReplicaSets, with Kubernetes' conditions. Pure; used once. */
final class DeploymentStatus {
    private static final String PROGRESSING = "Progressing";
    private static final String NEW_AVAILABLE = "NewReplicaSetAvailable";
    private static final String TIMED_OUT = "ProgressDeadlineExceeded";
    private static final String UPDATED = "lastUpdateTime";

    private final Workload deployment;
    private final ObjectNode next;
    private final Instant now;

    DeploymentStatus(
            Workload deployment, List<Workload> sets, Optional<Workload> current, int maxUnavailable, Instant now) {
        this.deployment = deployment;
        this.now = now;
        this.next = deployment.copy();
        counts(sets, current);
        boolean available = count(next, "availableReplicas") >= deployment.replicas() - maxUnavailable;
        put(
                next,
                "Available",
                available ? "True" : "False",
                available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                available ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
                now);
        progress(current);
        failure(sets);
    }

    /** Returns the Deployment with its new status. */
    ObjectNode next() {
        return next;
    }

    private void counts(List<Workload> sets, Optional<Workload> current) {
        ObjectNode status = next.withObject("/status");
        status.put("observedGeneration", (int) deployment.generation());
        for (String field : List.of("replicas", "readyReplicas", "availableReplicas", "terminatingReplicas")) {
            PodSteps.putCount(
                    status,
                    field,
                    sets.stream().mapToInt(set -> count(set.tree(), field)).sum());
        }
        PodSteps.putCount(
                status,
                "updatedReplicas",
                current.map(set -> count(set.tree(), "replicas")).orElse(0));
        int desired = sets.stream().mapToInt(Workload::replicas).sum();
        PodSteps.putCount(status, "unavailableReplicas", Math.max(0, desired - count(next, "availableReplicas")));
    }

    private static int count(JsonNode object, String field) {
        return object.path("status").path(field).asInt(0);
    }

    /** Returns whether all Pods of a Deployment have the current template and are available. */
    static boolean isComplete(JsonNode deployment) {
        int desired = deployment.path("spec").path("replicas").asInt(1);
        return count(deployment, "updatedReplicas") == desired
                && count(deployment, "replicas") == desired
                && count(deployment, "availableReplicas") == desired
                && count(deployment, "observedGeneration")
                        >= deployment.path("metadata").path("generation").asInt(0);
    }

    private void progress(Optional<Workload> current) {
        if (deployment.spec().path("paused").asBoolean(false)) {
            put(next, PROGRESSING, "Unknown", "DeploymentPaused", "Deployment is paused", now);
            return;
        }
        JsonNode was =
                Conditions.find(next, PROGRESSING).map(JsonNode.class::cast).orElse(next.objectNode());
        String reason = was.path("reason").asText("");
        if (reason.equals("DeploymentPaused")) {
            put(next, PROGRESSING, "Unknown", "DeploymentResumed", "Deployment is resumed", now);
            return;
        }
        boolean wasComplete = count(next, "replicas") == count(next, "updatedReplicas") && reason.equals(NEW_AVAILABLE);
        if (wasComplete) {
            return;
        }
        String subject = current.map(set -> "ReplicaSet \"" + set.name() + "\"")
                .orElse("Deployment \"" + deployment.name() + "\"");
        if (isComplete(next)) {
            put(next, PROGRESSING, "True", NEW_AVAILABLE, subject + " has successfully progressed.", now);
        } else if (hasProgressed()) {
            put(next, PROGRESSING, "True", "ReplicaSetUpdated", subject + " is progressing.", now);
            Conditions.find(next, PROGRESSING).ifPresent(each -> each.put(UPDATED, seconds(now)));
        } else if (reason.equals(TIMED_OUT)
                || deadline().filter(due -> !due.isAfter(now)).isPresent()) {
            put(next, PROGRESSING, "False", TIMED_OUT, subject + " has timed out progressing.", now);
        }
    }

    private boolean hasProgressed() {
        JsonNode was = deployment.tree();
        int oldPods = count(was, "replicas") - count(was, "updatedReplicas");
        int oldPodsNow = count(next, "replicas") - count(next, "updatedReplicas");
        return count(next, "updatedReplicas") > count(was, "updatedReplicas")
                || oldPodsNow < oldPods
                || count(next, "readyReplicas") > count(was, "readyReplicas")
                || count(next, "availableReplicas") > count(was, "availableReplicas");
    }

    /** Returns when the deadline of the progress ends; empty if the Deployment is complete or has exceeded it. */
    Optional<Instant> deadline() {
        JsonNode seconds = deployment.spec().path("progressDeadlineSeconds");
        Optional<ObjectNode> condition = Conditions.find(next, PROGRESSING);
        boolean ended = condition
                .map(each -> each.path("reason").asText(""))
                .filter(reason -> reason.equals(NEW_AVAILABLE) || reason.equals(TIMED_OUT))
                .isPresent();
        if (ended
                || condition.isEmpty()
                || !seconds.isNumber()
                || seconds.asInt() == Integer.MAX_VALUE
                || deployment.spec().path("paused").asBoolean(false)) {
            return Optional.empty();
        }
        Instant since = Instant.parse(condition.get().path(UPDATED).asText(seconds(now)));
        return Optional.of(since.plusSeconds(seconds.asLong()));
    }

    private void failure(List<Workload> sets) {
        Optional<ObjectNode> failure = sets.stream()
                .flatMap(set -> Conditions.find(set.tree(), "ReplicaFailure").stream())
                .findFirst();
        if (failure.isPresent()) {
            put(
                    next,
                    "ReplicaFailure",
                    "True",
                    failure.get().path("reason").asText(""),
                    failure.get().path("message").asText(""),
                    now);
        } else {
            Conditions.remove(next, "ReplicaFailure");
        }
    }

    /** Sets the condition for a new ReplicaSet. */
    static void putCreated(ObjectNode deployment, String set, Instant now) {
        put(deployment, PROGRESSING, "True", "NewReplicaSetCreated", "Created new replica set \"" + set + "\"", now);
    }

    /** Sets the condition for an existing ReplicaSet of the template, if there is none. */
    static void putFound(ObjectNode deployment, String set, Instant now) {
        if (Conditions.find(deployment, PROGRESSING).isEmpty()) {
            put(deployment, PROGRESSING, "True", "FoundNewReplicaSet", "Found new replica set \"" + set + "\"", now);
        }
    }

    private static void put(ObjectNode object, String type, String status, String reason, String message, Instant now) {
        if (Conditions.put(object, type, status, reason, message, now)) {
            Conditions.find(object, type).orElseThrow().put(UPDATED, seconds(now));
        }
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
