package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests Jobs and CronJobs with kubectl; the test reports the states of the Pods instead of a node. */
final class KubectlJobsTest extends KubectlTestCase {
    private static final String SUCCEEDED =
            " --subresource=status --type=merge -p '{\"status\":{\"phase\":\"Succeeded\"}}'";

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void job_createdWaitedForAndDeleted_printsWhatKubernetesPrints(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        user.write("job.yaml", """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: once}
            spec:
              template:
                spec:
                  restartPolicy: Never
                  nodeName: nowhere
                  containers: [{name: c, image: 'busybox:1'}]
            """);
        user.ok("$K apply -f job.yaml");
        user.ok("$K wait --for=jsonpath='{.status.active}'=1 job/once --timeout=60s");
        assertThat(user.ok("$K get jobs")).contains("NAME STATUS COMPLETIONS DURATION AGE\nonce Running 0/1 ");
        String pod = user.ok("$K get pod -l job-name=once -o jsonpath='{.items[0].metadata.name}'");
        user.ok("$K patch pod " + pod + SUCCEEDED);
        assertThat(user.ok("$K wait --for=condition=complete job/once --timeout=60s"))
                .isEqualTo("job.batch/once condition met");
        assertThat(user.ok("$K get jobs")).contains("once Complete 1/1 ");
        assertThat(user.ok("$K describe job once"))
                .contains("Pods Statuses: 0 Active (0 Ready) / 1 Succeeded / 0 Failed")
                .contains("Completed", "SuccessfulCreate", "Created pod: " + pod);
        user.ok("$K delete job once");
        user.ok("$K wait --for=delete pod/" + pod + " --timeout=60s");
    }

    @ParameterizedTest
    @MethodSource(OLDEST_AND_NEWEST)
    void cronJob_andJobFromIt_printWhatKubernetesPrints(KubectlBinary kubectl) {
        KubectlUser user = user(kubectl);
        assertThat(user.ok("$K create cronjob rare --image=busybox:1 --schedule='0 0 29 2 *' -- true"))
                .isEqualTo("cronjob.batch/rare created");
        assertThat(user.ok("$K get cronjobs"))
                .contains("NAME SCHEDULE TIMEZONE SUSPEND ACTIVE LAST SCHEDULE AGE")
                .contains("rare 0 0 29 2 * <none> False 0 <none> ");
        assertThat(user.ok("$K create job manual --from=cronjob/rare")).isEqualTo("job.batch/manual created");
        user.ok("$K wait --for=jsonpath='{.status.active}'=1 job/manual --timeout=60s");
        user.ok("$K wait --for=jsonpath='{.status.active[0].name}'=manual cronjob/rare --timeout=60s");
        assertThat(user.ok("$K get jobs,cronjobs")).contains("job.batch/manual Running 0/1", "cronjob.batch/rare ");
        assertThat(user.ok("$K describe cronjob rare")).contains("Schedule: 0 0 29 2 *", "Active Jobs: manual");
        assertThat(user.fails("$K create cronjob bad --image=x --schedule='* * *'"))
                .contains("spec.schedule: Invalid value: \"* * *\": expected exactly 5 fields, found 3");
        user.ok("$K delete cronjob rare");
        user.ok("$K wait --for=delete job/manual --timeout=60s");
    }
}
