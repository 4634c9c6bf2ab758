package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Job;
import dev.mooring.world.Proposal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

class CronJobControllerTest {
    private static final String KEY = "cronjobs.batch/ns/often";

    private static WorkloadFixture cronJob(String metadata, String spec) {
        return new WorkloadFixture(
                new CronJobController(),
                "{apiVersion: batch/v1, kind: CronJob, metadata: {name: often, namespace: ns" + metadata
                        + "}, spec: {schedule: '* * * * *'" + spec
                        + ", jobTemplate: {metadata: {labels: {a: b}}, spec: {completions: 1, template: {spec: {"
                        + "restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}}}");
    }

    /** Returns a CronJob that was created at the start of the fixture's clock. */
    private static WorkloadFixture started(String spec) {
        Instant start = cronJob("", ", suspend: true").run.now();
        return cronJob(", creationTimestamp: '" + start.truncatedTo(ChronoUnit.SECONDS) + "'", spec);
    }

    private static List<Job> jobs(WorkloadFixture run) {
        return run.run.world().stream(Scope.resource(Job.RESOURCE)).map(Job::of).toList();
    }

    private static void end(WorkloadFixture run, Job job, String condition) {
        ObjectNode tree = run.tree("jobs.batch/ns/" + job.name());
        tree.withObject("/status")
                .putArray("conditions")
                .addObject()
                .put("type", condition)
                .put("status", "True")
                .put(
                        "lastTransitionTime",
                        run.run.now().truncatedTo(ChronoUnit.SECONDS).toString());
        run.put(tree);
    }

    @Test
    void schedule_eachMinute_createsOneJobEach() {
        WorkloadFixture run = started("");
        assertThat(jobs(run)).isEmpty();
        for (int i = 1; i <= 3; i++) {
            run.run.advance(Duration.ofMinutes(1));
            assertThat(jobs(run)).hasSize(i);
        }
        Job job = jobs(run).get(0);
        Instant scheduled = Instant.parse(job.annotation("batch.kubernetes.io/cronjob-scheduled-timestamp")
                .orElseThrow());
        assertThat(job.name()).isEqualTo("often-" + scheduled.getEpochSecond() / 60);
        assertThat(job.labels().path("a").asText()).isEqualTo("b");
        assertThat(job.controllerUid()).isEqualTo("uid-often");
        assertThat(Job.hasGeneratedSelector(job.tree())).isTrue();
        assertThat(run.status(KEY).path("active")).hasSize(3);
        assertThat(run.status(KEY).path("lastScheduleTime").asText())
                .isEqualTo(run.run.now().truncatedTo(ChronoUnit.MINUTES).toString());
        assertThat(run.events()).contains("SuccessfulCreate: Created job " + job.name());
    }

    @Test
    void sameWorldReconciledTwice_onlyOneDecisionCanBeCommitted() {
        WorkloadFixture run = started("");
        Instant later = run.run.now().plusSeconds(90);
        Decision first = new CronJobController().reconcile(run.run.world(), ObjectKey.parse(KEY), later);
        Decision second = new CronJobController().reconcile(run.run.world(), ObjectKey.parse(KEY), later);
        assertThat(first.proposals().get(0).writes().get(0).key())
                .isEqualTo(second.proposals().get(0).writes().get(0).key());
        assertThat(first.proposals().get(0).expectations())
                .contains(new Proposal.Expectation(
                        ObjectKey.parse(KEY),
                        run.run.world().get(ObjectKey.parse(KEY)).orElseThrow().revision()));
    }

    @Test
    void clockSetBack_startsNoTimeAgain() {
        WorkloadFixture run = started("");
        run.run.advance(Duration.ofMinutes(5));
        Instant earlier = run.run.now().minusSeconds(240);
        Decision decision = new CronJobController().reconcile(run.run.world(), ObjectKey.parse(KEY), earlier);
        assertThat(decision.proposals()).isEmpty();
        assertThat(decision.requeueAfter()).isPresent();
    }

    @Test
    void clockSetForward_startsOnlyTheNewestTime() {
        WorkloadFixture run = started("");
        run.run.advance(Duration.ofDays(30));
        assertThat(jobs(run))
                .hasSize(1)
                .allSatisfy(job -> assertThat(job.name())
                        .isEqualTo("often-" + run.run.now().getEpochSecond() / 60));
        assertThat(run.events())
                .contains("TooManyMissedTimes: too many missed start times. Set or decrease"
                        + " .spec.startingDeadlineSeconds or check clock skew");
    }

    @Test
    void startingDeadline_passed_startsNothing() {
        WorkloadFixture run = new WorkloadFixture(new CronJobController(), """
            {apiVersion: batch/v1, kind: CronJob, metadata: {name: often, namespace: ns,
             creationTimestamp: '2020-01-01T00:00:00Z'}, spec: {schedule: '0 0 1 6 *', startingDeadlineSeconds: 10,
             jobTemplate: {spec: {template: {spec: {containers: []}}}}}}
            """);
        assertThat(jobs(run)).isEmpty();
    }

    @Test
    void forbid_activeJob_skipsTimes() {
        WorkloadFixture run = started(", concurrencyPolicy: Forbid");
        run.run.advance(Duration.ofMinutes(1));
        run.run.advance(Duration.ofMinutes(1));
        run.run.advance(Duration.ofMinutes(1));
        assertThat(jobs(run)).hasSize(1);
        assertThat(run.events())
                .contains("JobAlreadyActive: Not starting job because prior execution is running and concurrency"
                        + " policy is Forbid");
        end(run, jobs(run).get(0), "Complete");
        assertThat(jobs(run)).hasSize(2);
        assertThat(run.status(KEY).path("lastSuccessfulTime").asText()).isNotEmpty();
    }

    @Test
    void replace_activeJob_isDeleted() {
        WorkloadFixture run = started(", concurrencyPolicy: Replace");
        run.run.advance(Duration.ofMinutes(1));
        String first = jobs(run).get(0).name();
        run.run.advance(Duration.ofMinutes(1));
        assertThat(jobs(run)).hasSize(1).noneMatch(job -> job.name().equals(first));
        assertThat(run.events()).contains("SuccessfulDelete: Deleted job " + first);
    }

    @Test
    void historyLimits_oldestEndedJobsAreDeleted() {
        WorkloadFixture run = started(", successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 0");
        for (int i = 0; i < 4; i++) {
            run.run.advance(Duration.ofMinutes(1));
            jobs(run).stream().filter(job -> job.end().isEmpty()).forEach(job -> end(run, job, "Complete"));
        }
        assertThat(jobs(run)).hasSize(2);
        assertThat(run.status(KEY).has("active")).isFalse();
        run.run.advance(Duration.ofMinutes(1));
        jobs(run).stream().filter(job -> job.end().isEmpty()).forEach(job -> end(run, job, "Failed"));
        assertThat(jobs(run)).hasSize(2).allMatch(job -> job.hasCondition("Complete"));
    }

    @Test
    void suspended_startsNothing() {
        WorkloadFixture run = started(", suspend: true");
        run.run.advance(Duration.ofMinutes(5));
        assertThat(jobs(run)).isEmpty();
    }
}
