package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.NONE;
import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.isPresent;
import static dev.mooring.api.table.ColumnFields.text;
import static dev.mooring.api.table.ColumnFields.textOr;
import static dev.mooring.api.table.ColumnFields.time;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import dev.mooring.model.LabelSelector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Columns of workloads, whose controllers create Pods. */
final class ControllerColumns {
    static final List<Column> REPLICA_SET = template(ColumnListBuilder.withName()
                    .number("Desired", "Desired number of Pods.", (set, now) -> desired(set))
                    .number("Current", "Number of Pods.", (set, now) -> status(set, "replicas"))
                    .number("Ready", "Number of ready Pods.", (set, now) -> status(set, "readyReplicas"))
                    .age())
            .build();

    static final List<Column> DEPLOYMENT = template(ColumnListBuilder.withName()
                    .text("Ready", "Ready and desired Pods.", (each, now) -> ready(each))
                    .number(
                            "Up-to-date",
                            "Pods of the current template.",
                            (each, now) -> status(each, "updatedReplicas"))
                    .number("Available", "Available Pods.", (each, now) -> status(each, "availableReplicas"))
                    .age())
            .build();

    static final List<Column> STATEFUL_SET = ColumnListBuilder.withName()
            .text("Ready", "Ready and desired Pods.", (set, now) -> ready(set))
            .age()
            .wide("Containers", "Names of the containers.", (set, now) -> containers(set, "name"))
            .wide("Images", "Images of the containers.", (set, now) -> containers(set, "image"))
            .build();

    static final List<Column> DAEMON_SET = template(ColumnListBuilder.withName()
                    .number(
                            "Desired",
                            "Nodes that should run a Pod.",
                            (set, now) -> status(set, "desiredNumberScheduled"))
                    .number(
                            "Current",
                            "Nodes that run a Pod and should.",
                            (set, now) -> status(set, "currentNumberScheduled"))
                    .number("Ready", "Nodes with a ready Pod.", (set, now) -> status(set, "numberReady"))
                    .number(
                            "Up-to-date",
                            "Nodes with a Pod of the current template.",
                            (set, now) -> status(set, "updatedNumberScheduled"))
                    .number("Available", "Nodes with an available Pod.", (set, now) -> status(set, "numberAvailable"))
                    .text("Node Selector", "Labels that nodes must have.", (set, now) -> nodeSelector(set))
                    .age())
            .build();

    static final List<Column> CONTROLLER_REVISION = ColumnListBuilder.withName()
            .text("Controller", "The owner of the revision.", (revision, now) -> owner(revision))
            .number(
                    "Revision",
                    "Number of the revision.",
                    (revision, now) -> revision.path("revision").asLong(0))
            .age()
            .build();

    static final List<Column> JOB = template(ColumnListBuilder.withName()
                    .text("Status", "State of the Job.", (job, now) -> jobState(job))
                    .text("Completions", "Succeeded and desired Pods.", (job, now) -> completions(job))
                    .text("Duration", "Time from start to completion.", ControllerColumns::duration)
                    .age())
            .build();

    static final List<Column> CRON_JOB = ColumnListBuilder.withName()
            .text("Schedule", "The schedule.", (each, now) -> text(each, "spec", "schedule"))
            .text("Timezone", "Time zone of the schedule.", (each, now) -> textOr(NONE, each, "spec", "timeZone"))
            .text(
                    "Suspend",
                    "Whether no Jobs are created.",
                    (each, now) -> at(each, "spec", "suspend").asBoolean(false) ? "True" : "False")
            .number("Active", "Number of active Jobs.", (each, now) ->
                    (long) at(each, "status", "active").size())
            .text(
                    "Last Schedule",
                    "Time since the last Job was scheduled.",
                    (each, now) -> isPresent(each, "status", "lastScheduleTime")
                            ? AgeFormat.since(text(each, "status", "lastScheduleTime"), now)
                            : NONE)
            .age()
            .wide("Containers", "Names of the containers.", (each, now) -> containers(cronTemplate(each), "name"))
            .wide("Images", "Images of the containers.", (each, now) -> containers(cronTemplate(each), "image"))
            .wide("Selector", "Selector of the Pods.", (each, now) -> selector(cronTemplate(each)))
            .build();

    static final List<Column> POD_TEMPLATE = ColumnListBuilder.withName()
            .text("Containers", "Names of the containers.", (each, now) -> ofTemplate(each, "name"))
            .text("Images", "Images of the containers.", (each, now) -> ofTemplate(each, "image"))
            .text("Pod Labels", "Labels of the Pods.", (each, now) -> pairs(at(each, "template", "metadata", "labels")))
            .build();

    static final List<Column> REPLICATION_CONTROLLER = ColumnListBuilder.withName()
            .number("Desired", "Desired number of Pods.", (each, now) -> desired(each))
            .number("Current", "Number of Pods.", (each, now) -> status(each, "replicas"))
            .number("Ready", "Number of ready Pods.", (each, now) -> status(each, "readyReplicas"))
            .age()
            .wide("Containers", "Names of the containers.", (each, now) -> containers(each, "name"))
            .wide("Images", "Images of the containers.", (each, now) -> containers(each, "image"))
            .wide("Selector", "Selector of the Pods.", (each, now) -> pairs(at(each, "spec", "selector")))
            .build();

    private ControllerColumns() {}

    private static JsonNode cronTemplate(JsonNode cronJob) {
        return at(cronJob, "spec", "jobTemplate");
    }

    private static String ofTemplate(JsonNode podTemplate, String field) {
        List<String> values = new ArrayList<>();
        at(podTemplate, "template", "spec", "containers").forEach(each -> values.add(text(each, field)));
        return String.join(",", values);
    }

    private static String jobState(JsonNode job) {
        for (String type : List.of("Complete", "Failed")) {
            if (hasCondition(job, type)) {
                return type;
            }
        }
        if (ColumnFields.isBeingDeleted(job)) {
            return "Terminating";
        }
        for (String type : List.of("Suspended", "FailureTarget", "SuccessCriteriaMet")) {
            if (hasCondition(job, type)) {
                return type;
            }
        }
        return "Running";
    }

    private static boolean hasCondition(JsonNode job, String type) {
        for (JsonNode each : at(job, "status", "conditions")) {
            if (text(each, "type").equals(type) && text(each, "status").equals("True")) {
                return true;
            }
        }
        return false;
    }

    private static String completions(JsonNode job) {
        long succeeded = status(job, "succeeded");
        if (isPresent(job, "spec", "completions")) {
            return succeeded + "/" + text(job, "spec", "completions");
        }
        long parallelism = at(job, "spec", "parallelism").asLong(1);
        return parallelism > 1 ? succeeded + "/1 of " + parallelism : succeeded + "/1";
    }

    private static String duration(JsonNode job, Instant now) {
        return time(job, "status", "startTime")
                .map(start -> AgeFormat.since(
                        Optional.of(start),
                        time(job, "status", "completionTime").orElse(now)))
                .orElse("");
    }

    /** Adds the columns of the template and the selector. */
    private static ColumnListBuilder template(ColumnListBuilder columns) {
        return columns.wide("Containers", "Names of the containers.", (each, now) -> containers(each, "name"))
                .wide("Images", "Images of the containers.", (each, now) -> containers(each, "image"))
                .wide("Selector", "Selector of the Pods.", (each, now) -> selector(each));
    }

    private static long desired(JsonNode workload) {
        return at(workload, "spec", "replicas").asLong(1);
    }

    private static long status(JsonNode workload, String field) {
        return at(workload, "status", field).asLong(0);
    }

    private static String ready(JsonNode workload) {
        return status(workload, "readyReplicas") + "/" + desired(workload);
    }

    private static String containers(JsonNode workload, String field) {
        List<String> values = new ArrayList<>();
        at(workload, "spec", "template", "spec", "containers").forEach(each -> values.add(text(each, field)));
        return String.join(",", values);
    }

    private static String selector(JsonNode workload) {
        JsonNode selector = at(workload, "spec", "selector");
        return selector.isObject() ? LabelSelector.ofObject(selector).toString() : NONE;
    }

    private static String nodeSelector(JsonNode workload) {
        return pairs(at(workload, "spec", "template", "spec", "nodeSelector"));
    }

    private static String pairs(JsonNode labels) {
        return labels.isEmpty()
                ? NONE
                : labels.properties().stream()
                        .map(each -> each.getKey() + "=" + each.getValue().asText(""))
                        .sorted()
                        .collect(Collectors.joining(","));
    }

    private static String owner(JsonNode revision) {
        for (JsonNode each : at(revision, "metadata", "ownerReferences")) {
            if (each.path("controller").asBoolean(false)) {
                // kubectl prints kind.group/name, such as statefulset.apps/db.
                String group = text(each, "apiVersion").split("/", 2)[0];
                return text(each, "kind").toLowerCase(java.util.Locale.ROOT) + "." + group + "/" + text(each, "name");
            }
        }
        return NONE;
    }
}
