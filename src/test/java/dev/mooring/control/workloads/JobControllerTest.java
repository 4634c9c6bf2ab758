package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.Job;
import dev.mooring.model.view.Pod;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobControllerTest {
    private static final String KEY = "jobs.batch/ns/once";

    private static WorkloadFixture job(String spec) {
        return new WorkloadFixture(
                new JobController(WorkloadFixture.ADMISSION),
                "{apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: ns}, spec: {" + spec
                        + ", selector: {matchLabels: {job: once}}, template: {metadata: {labels: {job: once}},"
                        + " spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}");
    }

    /** Ends a Pod, like its node. */
    private static void finish(WorkloadFixture run, Pod pod, String phase) {
        ObjectNode tree = run.tree("pods/ns/" + pod.name());
        ObjectNode status = tree.withObject("/status").put("phase", phase);
        status.putArray("containerStatuses")
                .addObject()
                .withObject("/state/terminated")
                .put("finishedAt", run.run.now().toString());
        run.put(tree);
    }

    private static void finishAll(WorkloadFixture run, String phase) {
        run.activePods().forEach(pod -> finish(run, pod, phase));
    }

    private static String condition(WorkloadFixture run, String type) {
        for (JsonNode each : run.status(KEY).path("conditions")) {
            if (each.path("type").asText().equals(type)) {
                return each.path("status").asText() + " " + each.path("reason").asText();
            }
        }
        return "";
    }

    @Test
    void job_completions_runsAtMostParallelismAndCompletes() {
        WorkloadFixture run = job("completions: 3, parallelism: 2");
        assertThat(run.activePods())
                .hasSize(2)
                .allSatisfy(pod -> assertThat(pod.hasFinalizer(Job.TRACKING)).isTrue());
        assertThat(run.status(KEY).path("active").asInt()).isEqualTo(2);
        finishAll(run, "Succeeded");
        assertThat(run.activePods()).hasSize(1);
        finishAll(run, "Succeeded");
        assertThat(run.status(KEY).path("succeeded").asInt()).isEqualTo(3);
        assertThat(run.status(KEY).has("active") || run.status(KEY).has("failed"))
                .isFalse();
        assertThat(run.status(KEY).path("completionTime").asText()).isNotEmpty();
        assertThat(condition(run, "Complete")).isEqualTo("True CompletionsReached");
        assertThat(condition(run, "SuccessCriteriaMet")).isEqualTo("True CompletionsReached");
        assertThat(run.pods()).hasSize(3).noneMatch(pod -> pod.hasFinalizer(Job.TRACKING));
        assertThat(run.events()).contains("Completed: Job completed");
        run.assertSettled();
    }

    @Test
    void failedPods_areReplacedWithBackoffUntilLimit() {
        WorkloadFixture run = job("completions: 1, parallelism: 1, backoffLimit: 2");
        for (long seconds : List.of(10L, 20L)) {
            finishAll(run, "Failed");
            assertThat(run.activePods()).isEmpty();
            run.run.advance(Duration.ofSeconds(seconds - 1));
            assertThat(run.activePods()).isEmpty();
            run.run.advance(Duration.ofSeconds(1));
            assertThat(run.activePods()).hasSize(1);
        }
        finishAll(run, "Failed");
        assertThat(condition(run, "Failed")).isEqualTo("True BackoffLimitExceeded");
        assertThat(condition(run, "FailureTarget")).isEqualTo("True BackoffLimitExceeded");
        assertThat(run.status(KEY).path("failed").asInt()).isEqualTo(3);
        assertThat(run.events()).contains("BackoffLimitExceeded: Job has reached the specified backoff limit");
        run.run.advance(Duration.ofHours(1));
        assertThat(run.activePods()).isEmpty();
    }

    @Test
    void backoffLimitZero_otherPodsAreDeletedAndCounted() {
        WorkloadFixture run = job("completions: 4, parallelism: 3, backoffLimit: 0");
        finish(run, run.activePods().get(0), "Failed");
        assertThat(run.activePods()).isEmpty();
        assertThat(condition(run, "Failed")).isEqualTo("True BackoffLimitExceeded");
        assertThat(run.status(KEY).path("failed").asInt()).isEqualTo(3);
    }

    @Test
    void activeDeadline_passed_failsAndDeletesPods() {
        WorkloadFixture run = job("completions: 1, parallelism: 1, activeDeadlineSeconds: 30");
        run.run.advance(Duration.ofSeconds(29));
        assertThat(run.activePods()).hasSize(1);
        run.run.advance(Duration.ofSeconds(1));
        assertThat(run.activePods()).isEmpty();
        assertThat(condition(run, "Failed")).isEqualTo("True DeadlineExceeded");
        assertThat(run.events()).contains("DeadlineExceeded: Job was active longer than specified deadline");
    }

    @Test
    void suspendedJob_hasNoPodsUntilResumed() {
        WorkloadFixture run = job("completions: 1, parallelism: 1, suspend: true");
        assertThat(run.pods()).isEmpty();
        assertThat(condition(run, "Suspended")).isEqualTo("True JobSuspended");
        run.set(KEY, "/spec/suspend", false);
        assertThat(run.activePods()).hasSize(1);
        assertThat(condition(run, "Suspended")).isEqualTo("False JobResumed");
        run.set(KEY, "/spec/suspend", true);
        assertThat(run.activePods()).isEmpty();
        assertThat(run.status(KEY).has("failed")).isFalse();
        assertThat(run.status(KEY).has("startTime")).isFalse();
        assertThat(run.events()).contains("Suspended: Job suspended", "Resumed: Job resumed");
    }

    @Test
    void ttl_afterEnd_deletesJob() {
        WorkloadFixture run = job("completions: 1, parallelism: 1, ttlSecondsAfterFinished: 60");
        finishAll(run, "Succeeded");
        run.run.advance(Duration.ofSeconds(59));
        assertThat(run.exists(KEY)).isTrue();
        run.run.advance(Duration.ofSeconds(1));
        assertThat(run.exists(KEY)).isFalse();
    }

    @Test
    void indexedJob_eachIndexSucceedsOnce() {
        WorkloadFixture run = job("completions: 4, parallelism: 3, completionMode: Indexed");
        assertThat(run.activePods())
                .extracting(pod -> pod.annotation(Job.COMPLETION_INDEX).orElseThrow())
                .containsExactlyInAnyOrder("0", "1", "2");
        Pod one = run.activePods().stream()
                .filter(pod ->
                        pod.annotation(Job.COMPLETION_INDEX).orElseThrow().equals("1"))
                .findFirst()
                .orElseThrow();
        assertThat(one.name()).matches("once-1-[a-z0-9]{5}");
        assertThat(one.spec().path("hostname").asText()).isEqualTo("once-1");
        assertThat(one.spec().at("/containers/0/env/0").toString())
                .isEqualTo("{\"name\":\"JOB_COMPLETION_INDEX\",\"value\":\"1\"}");
        finish(run, one, "Failed");
        run.run.advance(Duration.ofSeconds(10));
        assertThat(run.activePods())
                .extracting(pod -> pod.annotation(Job.COMPLETION_INDEX).orElseThrow())
                .containsExactlyInAnyOrder("0", "1", "2");
        finishAll(run, "Succeeded");
        assertThat(run.status(KEY).path("completedIndexes").asText()).isEqualTo("0-2");
        finishAll(run, "Succeeded");
        assertThat(run.status(KEY).path("completedIndexes").asText()).isEqualTo("0-3");
        assertThat(condition(run, "Complete")).startsWith("True");
    }

    @Test
    void workQueueJob_anySuccessEndsItWhenAllPodsHaveEnded() {
        WorkloadFixture run = job("parallelism: 3");
        finish(run, run.activePods().get(0), "Succeeded");
        assertThat(run.activePods()).hasSize(2);
        assertThat(condition(run, "Complete")).isEmpty();
        finishAll(run, "Succeeded");
        assertThat(condition(run, "Complete")).startsWith("True");
    }

    @Test
    void parallelismReduced_surplusPodsAreDeletedAndNotCounted() {
        WorkloadFixture run = job("completions: 5, parallelism: 4");
        run.set(KEY, "/spec/parallelism", 1);
        assertThat(run.activePods()).hasSize(1);
        assertThat(run.status(KEY).has("failed")).isFalse();
    }

    @Test
    void deletedPod_countsAsFailedAndIsReplaced() {
        WorkloadFixture run = job("completions: 1, parallelism: 1");
        ObjectNode pod = run.tree("pods/ns/" + run.activePods().get(0).name());
        pod.withObject("/metadata").put("deletionTimestamp", run.run.now().toString());
        run.put(pod);
        assertThat(run.status(KEY).path("failed").asInt()).isEqualTo(1);
        assertThat(run.activePods()).hasSize(1);
    }

    @Test
    void removedJob_releasesItsPods() {
        WorkloadFixture run = job("completions: 1, parallelism: 1");
        run.run.remove(KEY).settle();
        assertThat(run.pods()).hasSize(1).noneMatch(pod -> pod.hasFinalizer(Job.TRACKING));
    }

    @Test
    void quotaExceeded_reportsFailedCreate() {
        WorkloadFixture run = new WorkloadFixture(new JobController(WorkloadFixture.ADMISSION), """
            {kind: ResourceQuota, metadata: {name: q, namespace: ns}, spec: {hard: {pods: 0}}}
            ---
            {apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: ns}, spec: {completions: 1,
             selector: {matchLabels: {job: once}}, template: {metadata: {labels: {job: once}},
             spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}
            """);
        assertThat(run.pods()).isEmpty();
        assertThat(run.events())
                .containsExactly("FailedCreate: Error creating: pods \"once-\" is forbidden: exceeded quota: q,"
                        + " requested: pods=1, used: pods=0, limited: pods=0");
    }
}
