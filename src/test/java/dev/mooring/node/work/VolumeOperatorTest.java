package dev.mooring.node.work;

import static dev.mooring.node.work.WorkBench.provision;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of an operation, from the World's point of view. */
class VolumeOperatorTest {
    private static void failing(WorkBench bench, int times) {
        for (int i = 0; i < times; i++) {
            bench.local.next(work -> {
                throw new VolumeWorkException("Broken", "broken", "");
            });
        }
    }

    @Test
    void doesWhatIsPendingAndWritesDownHowItEnded() {
        WorkBench bench = new WorkBench(provision("a")).settle();
        assertThat(bench.local.asked).hasSize(1);
        VolumeWork work = bench.local.asked.get(0);
        assertThat(work.work()).isEqualTo(VolumeOperation.Work.PROVISION);
        assertThat(work.volume()).isEqualTo("pv-a");
        assertThat(work.uid()).isEqualTo("u-pv-a");
        assertThat(work.mode()).isEqualTo(VolumeMode.FILESYSTEM);
        assertThat(work.bytes()).isEqualTo(1L << 30);
        ObjectNode status = (ObjectNode) bench.tree("a").get("status");
        assertThat(status.toString())
                .isEqualTo("{\"state\":\"Succeeded\",\"since\":\"2026-01-01T00:00:00Z\","
                        + "\"source\":{\"hostPath\":{\"path\":\"/base/pv-a\"}},\"capacity\":\"1Gi\"}");
        assertThat(bench.controller().did()).containsExactly("VolumeProvisioning volumeoperations.mooring.dev/a");
        assertThat(bench.reported).containsExactly("VolumeProvisionSucceeded a");
        assertThat(bench.executor().isUnderWay(VolumeOperation.key("a"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "Provision, VolumeProvisioning, VolumeProvisionSucceeded",
        "Delete, VolumeDeleting, VolumeDeleteSucceeded",
        "Scrub, VolumeScrubbing, VolumeScrubSucceeded",
        "Grow, VolumeGrowing, VolumeGrowSucceeded"
    })
    void namesItsEventsAfterTheWork(String work, String begun, String ended) {
        WorkBench bench = new WorkBench(provision("a").replace("Provision", work)).settle();
        assertThat(bench.controller().did()).containsExactly(begun + " volumeoperations.mooring.dev/a");
        assertThat(bench.reported).containsExactly(ended + " a");
    }

    @Test
    void keepsWhatItDoesNotKnow() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.local.next(work -> {
            throw new VolumeWorkException("NoSpace", "no space", "ENOSPC");
        });
        bench.settle();
        assertThat(bench.tree("a").path("spec").path("later").asText()).isEqualTo("kept");
        assertThat(bench.tree("a")
                        .path("metadata")
                        .path("annotations")
                        .path("theirs")
                        .asText())
                .isEqualTo("kept");
    }

    @Test
    void leavesOperationsOfOtherNodesAlone() {
        WorkBench bench = new WorkBench(provision("a").replace("node: n1", "node: n2")).settle();
        assertThat(bench.local.asked).isEmpty();
        assertThat(bench.controller().did()).isEmpty();
    }

    @Test
    void decidesNothingMoreOnceItIsDone() {
        WorkBench bench = new WorkBench(provision("a")).settle();
        bench.controller().did();
        bench.crash();
        bench.settle().pass(Duration.ofHours(1));
        assertThat(bench.controller().did()).isEmpty();
        assertThat(bench.local.asked).hasSize(1);
    }

    @Test
    void saysWhatFailedAndWhenItIsTriedAgain() {
        WorkBench bench = new WorkBench(provision("a"));
        bench.local.next(work -> {
            throw new VolumeWorkException("NoSpace", "There is no space left on /base.", "ENOSPC");
        });
        bench.settle();
        assertThat(bench.tree("a").get("status").toString())
                .isEqualTo("{\"state\":\"Failed\",\"since\":\"2026-01-01T00:00:00Z\",\"attempts\":1,"
                        + "\"nextTry\":\"2026-01-01T00:00:00.500Z\",\"lastError\":{\"reason\":\"NoSpace\","
                        + "\"message\":\"There is no space left on /base.\",\"raw\":\"ENOSPC\","
                        + "\"operation\":\"volume_provision\",\"time\":\"2026-01-01T00:00:00Z\"}}");
        bench.pass(Duration.ofMillis(499));
        assertThat(bench.local.asked).hasSize(1);
        bench.pass(Duration.ofMillis(1));
        assertThat(bench.local.asked).hasSize(2);
        assertThat(bench.state("a")).isEqualTo("Succeeded");
        assertThat(bench.tree("a").path("status").has("lastError")).isFalse();
    }

    @Test
    void waitsTwiceAsLongAfterEachFailureUpToTwoMinutes() {
        WorkBench bench = new WorkBench(provision("a"));
        failing(bench, 12);
        StringBuilder waits = new StringBuilder();
        for (int i = 0; i < 11; i++) {
            bench.settle();
            Instant next = bench.operation("a").nextTry().orElseThrow();
            Duration wait = Duration.between(bench.controller().now(), next);
            waits.append(wait.toMillis()).append(' ');
            assertThat(bench.operation("a").attempts()).isEqualTo(i + 1);
            // A process that begins anew waits as well.
            bench.crash();
            bench.settle();
            bench.pass(wait);
        }
        assertThat(waits.toString().trim()).isEqualTo("500 1000 2000 4000 8000 16000 32000 64000 122000 122000 122000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{state: Failed, attempts: 9, nextTry: '2031-01-01T00:00:00Z'}",
                "{state: Failed}",
                "{state: Strange}"
            })
    void triesAtOnceWhatAClockThatWasSetOrAnotherToolHasLeft(String status) {
        WorkBench bench = new WorkBench(provision("a").replace("}}\n", "}, status: " + status + "}\n")).settle();
        assertThat(bench.state("a")).isEqualTo("Succeeded");
    }

    @Test
    void whenTheSpecChangesTheFailuresBeforeAreForgotten() {
        WorkBench bench = new WorkBench(provision("a"));
        failing(bench, 5);
        bench.settle();
        for (int i = 0; i < 4; i++) {
            bench.pass(Duration.ofSeconds(100));
        }
        assertThat(bench.operation("a").attempts()).isEqualTo(5);
        bench.local.next(work -> {
            throw new VolumeWorkException("Broken", "broken differently", "");
        });
        bench.change("a", object -> object.withObject("/spec").put("operation", "Delete"));
        bench.settle();
        assertThat(bench.local.asked.get(5).work()).isEqualTo(VolumeOperation.Work.DELETE);
        assertThat(bench.operation("a").attempts()).isEqualTo(1);
        assertThat(bench.operation("a").error()).isEqualTo("broken differently");
    }

    @Test
    void whatHasSucceededIsDoneAnewWhenItIsSomethingElse() {
        WorkBench bench = new WorkBench(provision("a")).settle();
        bench.change("a", object -> object.withObject("/spec").put("operation", "Delete"));
        bench.settle();
        assertThat(bench.local.disk).isEmpty();
        assertThat(bench.reported).containsExactly("VolumeProvisionSucceeded a", "VolumeDeleteSucceeded a");
    }

    @Test
    void refusesOnceWhatItDoesNotKnow() {
        WorkBench bench = new WorkBench(provision("a").replace("operation: Provision", "operation: Polish")).settle();
        assertThat(bench.state("a")).isEqualTo("Failed");
        assertThat(bench.operation("a").error())
                .isEqualTo(
                        "Expected spec.operation to be one of [Provision, Delete, Scrub, Grow], but it is \"Polish\"."
                                + " Nothing is done until that is changed.");
        bench.pass(Duration.ofHours(1));
        assertThat(bench.controller().did()).containsExactly("VolumeOperationFailed volumeoperations.mooring.dev/a");
        bench.change("a", object -> object.withObject("/spec").put("operation", "Provision"));
        assertThat(bench.settle().state("a")).isEqualTo("Succeeded");
    }
}
