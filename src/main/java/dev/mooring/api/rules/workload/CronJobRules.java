package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Violations;
import dev.mooring.model.CronSchedule;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;

/** Rules of CronJobs, with Kubernetes' messages. Stateless; thread-safe. */
public final class CronJobRules extends WorkloadRules {
    private static final String JOB = "spec.jobTemplate.spec";
    private static final List<String> POLICIES = List.of("Allow", "Forbid", "Replace");

    /** The names of Jobs have eleven more characters, and are label values of their Pods. */
    private static final int MAX_NAME = 52;

    public CronJobRules() {
        super("CronJob");
    }

    @Override
    public String podTemplatePath() {
        return JOB + ".template";
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        super.applyDefaults(object);
        ObjectNode spec = JsonFields.object(object, "spec");
        JsonFields.defaultText(spec, "concurrencyPolicy", "Allow");
        if (!JsonFields.has(spec, "suspend")) {
            spec.put("suspend", false);
        }
        defaultNumber(spec, "successfulJobsHistoryLimit", 3);
        defaultNumber(spec, "failedJobsHistoryLimit", 1);
        ObjectNode template = JsonFields.object(spec, "jobTemplate");
        JsonFields.object(template, "metadata").remove(List.of("creationTimestamp"));
        JobRules.specDefaults(JsonFields.object(template, "spec"));
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        String name = JsonFields.text(object, "metadata", "name");
        if (name.length() > MAX_NAME) {
            violations.invalid("metadata.name", name, "must be no more than " + MAX_NAME + " characters");
        }
        schedule(JsonFields.text(spec, "schedule"), violations);
        if (JsonFields.has(spec, "timeZone")) {
            timeZone(JsonFields.text(spec, "timeZone"), violations);
        }
        for (String field :
                List.of("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")) {
            nonNegative(object, field, violations);
        }
        String policy = JsonFields.text(spec, "concurrencyPolicy");
        if (!POLICIES.contains(policy)) {
            violations.notSupported("spec.concurrencyPolicy", policy, POLICIES);
        }
        JsonNode job = JsonFields.get(JsonFields.get(spec, "jobTemplate"), "spec");
        if (JsonFields.isTrue(job, "manualSelector")) {
            violations.notSupported(JOB + ".manualSelector", "true", List.of("nil", "false"));
        }
        if (!JsonFields.get(job, "selector").isEmpty()) {
            violations.invalid(JOB + ".selector", JsonFields.get(job, "selector"), "`selector` will be auto-generated");
        }
        JobRules.spec(object, JOB, violations);
    }

    private static void schedule(String schedule, Violations violations) {
        if (schedule.isEmpty()) {
            violations.required("spec.schedule", "");
            return;
        }
        if (schedule.contains("TZ")) {
            violations.invalid(
                    "spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
            return;
        }
        try {
            CronSchedule.parse(schedule);
        } catch (CronSchedule.MalformedScheduleException e) {
            violations.invalid("spec.schedule", schedule, e.getMessage());
        }
    }

    private static void timeZone(String zone, Violations violations) {
        if (zone.isEmpty()) {
            violations.invalid("spec.timeZone", zone, "timeZone must be nil or non-empty string");
        } else if (zone.equalsIgnoreCase("Local")) {
            violations.invalid(
                    "spec.timeZone",
                    zone,
                    "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
        } else if (!isKnown(zone)) {
            violations.invalid("spec.timeZone", zone, "unknown time zone " + zone);
        }
    }

    private static boolean isKnown(String zone) {
        try {
            // Offsets such as +02:00 are valid for Java, but are not in the database of time zones.
            return ZoneId.getAvailableZoneIds().contains(ZoneId.of(zone).getId());
        } catch (DateTimeException e) {
            return false;
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        // Schedule and template may change; they apply to the next Job.
    }
}
