package dev.mooring.node.volumemanager;

import static dev.mooring.node.volumemanager.WorkFixture.provision;
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

/** Tests the state of VolumeOperations in the World. */
class VolumeOperationControllerTest {
    private static void failNext(WorkFixture fixture, int times) {
        for (int i = 0; i < times; i++) {
            fixture.local.next(work -> {
                throw new VolumeWorkException("Broken", "broken", "");
            });
        }
    }

    @Test
    void pendingOperation_isPerformedAndRecorded() {
        WorkFixture fixture = new WorkFixture(provision("a")).settle();
        assertThat(fixture.local.calls).hasSize(1);
        VolumeWork work = fixture.local.calls.get(0);
        assertThat(work.work()).isEqualTo(VolumeOperation.OperationType.PROVISION);
        assertThat(work.volume()).isEqualTo("pv-a");
        assertThat(work.uid()).isEqualTo("u-pv-a");
        assertThat(work.mode()).isEqualTo(VolumeMode.FILESYSTEM);
        assertThat(work.bytes()).isEqualTo(1L << 30);
        ObjectNode status = (ObjectNode) fixture.tree("a").get("status");
        assertThat(status.toString())
                .isEqualTo("{\"state\":\"Succeeded\",\"since\":\"2026-01-01T00:00:00Z\","
                        + "\"source\":{\"hostPath\":{\"path\":\"/base/pv-a\"}},\"capacity\":\"1Gi\"}");
        assertThat(fixture.controller().takeEvents())
                .containsExactly("VolumeProvisioning volumeoperations.mooring.dev/a");
        assertThat(fixture.reported).containsExactly("VolumeProvisionSucceeded a");
        assertThat(fixture.executor().pendingOperations()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "Provision, VolumeProvisioning, VolumeProvisionSucceeded",
        "Delete, VolumeDeleting, VolumeDeleteSucceeded",
        "Scrub, VolumeScrubbing, VolumeScrubSucceeded",
        "Grow, VolumeGrowing, VolumeGrowSucceeded"
    })
    void operation_eventTypes_nameItsType(String work, String started, String ended) {
        WorkFixture fixture = new WorkFixture(provision("a").replace("Provision", work)).settle();
        assertThat(fixture.controller().takeEvents()).containsExactly(started + " volumeoperations.mooring.dev/a");
        assertThat(fixture.reported).containsExactly(ended + " a");
    }

    @Test
    void operation_unknownFields_areKept() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.local.next(work -> {
            throw new VolumeWorkException("NoSpace", "no space", "ENOSPC");
        });
        fixture.settle();
        assertThat(fixture.tree("a").path("spec").path("later").asText()).isEqualTo("kept");
        assertThat(fixture.tree("a")
                        .path("metadata")
                        .path("annotations")
                        .path("theirs")
                        .asText())
                .isEqualTo("kept");
    }

    @Test
    void operationOfOtherNode_isIgnored() {
        WorkFixture fixture = new WorkFixture(provision("a").replace("node: n1", "node: n2")).settle();
        assertThat(fixture.local.calls).isEmpty();
        assertThat(fixture.controller().takeEvents()).isEmpty();
    }

    @Test
    void succeededOperation_isNotRepeated() {
        WorkFixture fixture = new WorkFixture(provision("a")).settle();
        fixture.controller().takeEvents();
        fixture.crash();
        fixture.settle().pass(Duration.ofHours(1));
        assertThat(fixture.controller().takeEvents()).isEmpty();
        assertThat(fixture.local.calls).hasSize(1);
    }

    @Test
    void failedOperation_hasErrorAndIsRetriedAtNextTry() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        fixture.local.next(work -> {
            throw new VolumeWorkException("NoSpace", "There is no space left on /base.", "ENOSPC");
        });
        fixture.settle();
        assertThat(fixture.tree("a").get("status").toString())
                .isEqualTo("{\"state\":\"Failed\",\"since\":\"2026-01-01T00:00:00Z\",\"attempts\":1,"
                        + "\"nextTry\":\"2026-01-01T00:00:00.500Z\",\"lastError\":{\"reason\":\"NoSpace\","
                        + "\"message\":\"There is no space left on /base.\",\"raw\":\"ENOSPC\","
                        + "\"operation\":\"volume_provision\",\"time\":\"2026-01-01T00:00:00Z\"}}");
        fixture.pass(Duration.ofMillis(499));
        assertThat(fixture.local.calls).hasSize(1);
        fixture.pass(Duration.ofMillis(1));
        assertThat(fixture.local.calls).hasSize(2);
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
        assertThat(fixture.tree("a").path("status").has("lastError")).isFalse();
    }

    @Test
    void failedOperation_backOff_doublesUpToTwoMinutes() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        failNext(fixture, 12);
        StringBuilder waits = new StringBuilder();
        for (int i = 0; i < 11; i++) {
            fixture.settle();
            Instant next = fixture.operation("a").nextTry().orElseThrow();
            Duration wait = Duration.between(fixture.controller().now(), next);
            waits.append(wait.toMillis()).append(' ');
            assertThat(fixture.operation("a").attempts()).isEqualTo(i + 1);
            // A new process waits as well.
            fixture.crash();
            fixture.settle();
            fixture.pass(wait);
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
    void operation_invalidStatusOrDistantNextTry_isPerformedAtOnce(String status) {
        WorkFixture fixture = new WorkFixture(provision("a").replace("}}\n", "}, status: " + status + "}\n")).settle();
        assertThat(fixture.state("a")).isEqualTo("Succeeded");
    }

    @Test
    void failedOperation_specChanged_resetsAttempts() {
        WorkFixture fixture = new WorkFixture(provision("a"));
        failNext(fixture, 5);
        fixture.settle();
        for (int i = 0; i < 4; i++) {
            fixture.pass(Duration.ofSeconds(100));
        }
        assertThat(fixture.operation("a").attempts()).isEqualTo(5);
        fixture.local.next(work -> {
            throw new VolumeWorkException("Broken", "broken differently", "");
        });
        fixture.change("a", object -> object.withObject("/spec").put("operation", "Delete"));
        fixture.settle();
        assertThat(fixture.local.calls.get(5).work()).isEqualTo(VolumeOperation.OperationType.DELETE);
        assertThat(fixture.operation("a").attempts()).isEqualTo(1);
        assertThat(fixture.operation("a").error()).isEqualTo("broken differently");
    }

    @Test
    void succeededOperation_specChanged_isPerformedAgain() {
        WorkFixture fixture = new WorkFixture(provision("a")).settle();
        fixture.change("a", object -> object.withObject("/spec").put("operation", "Delete"));
        fixture.settle();
        assertThat(fixture.local.disk).isEmpty();
        assertThat(fixture.reported).containsExactly("VolumeProvisionSucceeded a", "VolumeDeleteSucceeded a");
    }

    @Test
    void operation_unknownType_failsOnceUntilCorrected() {
        WorkFixture fixture =
                new WorkFixture(provision("a").replace("operation: Provision", "operation: Polish")).settle();
        assertThat(fixture.state("a")).isEqualTo("Failed");
        assertThat(fixture.operation("a").error())
                .isEqualTo("spec.operation must be one of [Provision, Delete, Scrub, Grow], got \"Polish\"."
                        + " Nothing is done until it is corrected.");
        fixture.pass(Duration.ofHours(1));
        assertThat(fixture.controller().takeEvents())
                .containsExactly("VolumeOperationFailed volumeoperations.mooring.dev/a");
        fixture.change("a", object -> object.withObject("/spec").put("operation", "Provision"));
        assertThat(fixture.settle().state("a")).isEqualTo("Succeeded");
    }
}
