package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.workload.CronJobRules;
import dev.mooring.api.rules.workload.JobRules;
import dev.mooring.api.rules.workload.PodTemplateObjectRules;
import dev.mooring.api.rules.workload.ReplicationControllerRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests the rules of Jobs, CronJobs, PodTemplates and ReplicationControllers. */
class BatchRulesTest {
    private static final String POD = "{restartPolicy: Never, containers: [{name: c, image: busybox}]}";

    private final RuleCases job = RuleCases.of(
            new JobRules(), "{metadata: {name: j, namespace: ns, uid: u1}, spec: {template: {spec: " + POD + "}}}");
    private final RuleCases cron = RuleCases.of(
            new CronJobRules(),
            "{metadata: {name: c, namespace: ns}, spec: {schedule: '*/5 * * * *', jobTemplate: {spec: {template:"
                    + " {spec: "
                    + POD + "}}}}}");

    @Test
    void job_defaultsAndGeneratedSelector_areThoseOfKubernetes() {
        ObjectNode created = job.created("spec.template.metadata: {labels: {a: b}}");
        assertThat(created.path("spec").toString())
                .contains("\"completions\":1", "\"parallelism\":1", "\"backoffLimit\":6", "\"suspend\":false")
                .contains("\"completionMode\":\"NonIndexed\"", "\"podReplacementPolicy\":\"TerminatingOrFailed\"")
                .contains("\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"}}");
        assertThat(created.at("/spec/template/metadata/labels").toString())
                .isEqualTo("{\"a\":\"b\",\"batch.kubernetes.io/controller-uid\":\"u1\","
                        + "\"batch.kubernetes.io/job-name\":\"j\",\"controller-uid\":\"u1\",\"job-name\":\"j\"}");
        assertThat(job.created("spec.parallelism: 3").path("spec").has("completions"))
                .isFalse();
    }

    @TestFactory
    Stream<DynamicTest> job_creating() {
        return job.creating("""
            spec.completions: 5                       => ok
            spec: {completionMode: Indexed, completions: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}} => ok
            spec.template.spec.restartPolicy: OnFailure => ok
            spec.template.spec.restartPolicy: Always  => spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"
            -spec.template.spec.restartPolicy         => spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"
            spec.parallelism: -1                      => spec.parallelism: Invalid value: -1: must be greater than or equal to 0
            spec.completions: -1                      => spec.completions: Invalid value: -1: must be greater than or equal to 0
            spec.backoffLimit: -1                     => spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0
            spec.activeDeadlineSeconds: -1            => spec.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0
            spec.ttlSecondsAfterFinished: -1          => spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0
            spec.completionMode: Other                => spec.completionMode: Unsupported value: "Other": supported values: "Indexed", "NonIndexed"
            spec: {completionMode: Indexed, parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}} => spec.completions: Required value: when completion mode is Indexed
            spec.selector: {matchLabels: {a: b}}      => spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` not auto-generated
            spec: {manualSelector: true, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}} => ok
            spec.podFailurePolicy: {rules: []}        => spec.podFailurePolicy: Forbidden: Mooring does not support this field: every failed Pod counts for backoffLimit; remove the field
            spec.managedBy: example.com/x             => spec.managedBy: Forbidden: Mooring does not support this field: the server's own controller…
            spec.backoffLimitPerIndex: 1              => spec.backoffLimitPerIndex: Forbidden: Mooring does not support…
            """);
    }

    @TestFactory
    Stream<DynamicTest> cronJob_creating() {
        return cron.creating("""
            spec.timeZone: Europe/Berlin   => ok
            spec.schedule: '@hourly'       => ok
            spec.schedule: '* * *'         => spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]
            spec.schedule: ''              => spec.schedule: Required value
            spec.schedule: 'TZ=UTC * * * * *' => spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
            spec.timeZone: ''              => spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string
            spec.timeZone: Local           => spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones
            spec.timeZone: Amerika/Berlin  => spec.timeZone: Invalid value: "Amerika/Berlin": unknown time zone Amerika/Berlin
            spec.timeZone: '+02:00'        => spec.timeZone: Invalid value: "+02:00": unknown time zone +02:00
            spec.concurrencyPolicy: Never  => spec.concurrencyPolicy: Unsupported value: "Never": supported values: "Allow", "Forbid", "Replace"
            spec.startingDeadlineSeconds: -1 => spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0
            spec.failedJobsHistoryLimit: -1 => spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0
            spec.jobTemplate.spec.parallelism: -1 => spec.jobTemplate.spec.parallelism: Invalid value: -1: must be greater than or equal to 0
            spec.jobTemplate.spec.template.spec.restartPolicy: Always => spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"
            spec.jobTemplate.spec.selector: {matchLabels: {a: b}} => spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated
            metadata.name: a123456789b123456789c123456789d123456789e123456789abc => metadata.name: Invalid value: "a123456789b123456789c123456789d123456789e123456789abc": must be no more than 52 characters
            """);
    }

    @TestFactory
    Stream<DynamicTest> job_updating() {
        RuleCases stored = RuleCases.of(new JobRules(), job.created("").toString());
        return stored.updating("""
            spec.parallelism: 4         => ok
            spec.suspend: true          => ok
            spec.completions: 2         => spec.completions: Invalid value: 2: field is immutable
            spec.completionMode: Indexed => spec.completionMode: Invalid value: "Indexed": field is immutable
            spec.template.spec.nodeSelector: {a: b} => spec.template: Invalid value:…
            """);
    }

    @TestFactory
    Stream<DynamicTest> templates_creating() {
        String labels = "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: busybox}]}}";
        return Stream.concat(
                RuleCases.of(new ReplicationControllerRules(), "{metadata: {name: r}, spec: {" + labels + "}}")
                        .creating("""
                            spec.replicas: 2       => ok
                            spec.replicas: -1      => spec.replicas: Invalid value: -1: must be greater than or equal to 0
                            spec.selector: {a: c}  => spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`
                            """),
                RuleCases.of(new PodTemplateObjectRules(), "{metadata: {name: t}, " + labels + "}")
                        .creating("""
                            metadata.labels: {x: y}     => ok
                            template.spec.containers: [] => template.spec.containers: Required value
                            """));
    }
}
