package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.log.RealDisk;
import dev.mooring.testing.SmallDisk;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system that is really full. */
class FullDiskTest {
    private static SpineUnderTest open(Path directory) throws IOException {
        return new SpineUnderTest(new RealDisk(), directory, 1 << 20, 64, SpineUnderTest.LIMITS);
    }

    @Test
    void shouldTurnReadOnlyWithoutLosingAnythingAndRecoverByRestartOnceThereIsRoom(@TempDir Path directory)
            throws Exception {
        assumeTrue(SmallDisk.isPossible(), SmallDisk.WHY_NOT);
        try (SmallDisk small = SmallDisk.mount(directory, "5m")) {
            long acknowledged = 0;
            try (SpineUnderTest spine = open(small.path().resolve("log")).start()) {
                Outcome outcome = spine.put(claim("c0"), "x".repeat(40_000));
                while (outcome instanceof Committed) {
                    acknowledged++;
                    assertThat(acknowledged).as("the disk never fills up").isLessThan(1_000);
                    outcome = spine.put(claim("c" + acknowledged), "x".repeat(40_000));
                }
                assertThat(((Refused) outcome).reason()).isEqualTo(Reason.READ_ONLY);
                assertThat(((Refused) outcome).message())
                        .contains("No space left on device")
                        .contains("restart");
                assertThat(spine.world().revision()).isEqualTo(acknowledged);
                assertThat(((Refused) spine.put(claim("later"), "")).reason()).isEqualTo(Reason.READ_ONLY);
            }
            assertThat(acknowledged).isGreaterThan(50);
            small.resize("20m");
            try (SpineUnderTest spine = open(small.path().resolve("log")).start()) {
                assertThat(spine.world().revision()).isEqualTo(acknowledged);
                assertThat(spine.put(claim("afterwards"), "x".repeat(40_000))).isInstanceOf(Committed.class);
            }
        }
    }
}
