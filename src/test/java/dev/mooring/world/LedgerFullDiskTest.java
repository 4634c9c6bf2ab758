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

/** The ledger on a real file system without free space. */
class LedgerFullDiskTest {
    private static LedgerFixture open(Path directory) throws IOException {
        return new LedgerFixture(new RealDisk(), directory, 1 << 20, 64, LedgerFixture.LIMITS);
    }

    @Test
    void ledger_diskFull_becomesReadOnlyUntilRestartWithFreeSpace(@TempDir Path directory) throws Exception {
        assumeTrue(SmallDisk.isPossible(), SmallDisk.WHY_NOT);
        try (SmallDisk small = SmallDisk.mount(directory, "5m")) {
            long acknowledged = 0;
            try (LedgerFixture fixture = open(small.path().resolve("log")).start()) {
                Outcome outcome = fixture.put(claim("c0"), "x".repeat(40_000));
                while (outcome instanceof Committed) {
                    acknowledged++;
                    assertThat(acknowledged)
                            .as("events written before the disk is full")
                            .isLessThan(1_000);
                    outcome = fixture.put(claim("c" + acknowledged), "x".repeat(40_000));
                }
                assertThat(((Refused) outcome).reason()).isEqualTo(Reason.READ_ONLY);
                assertThat(((Refused) outcome).message())
                        .contains("No space left on device")
                        .contains("restart");
                assertThat(fixture.world().revision()).isEqualTo(acknowledged);
                assertThat(((Refused) fixture.put(claim("later"), "")).reason()).isEqualTo(Reason.READ_ONLY);
            }
            assertThat(acknowledged).isGreaterThan(50);
            small.resize("20m");
            try (LedgerFixture fixture = open(small.path().resolve("log")).start()) {
                assertThat(fixture.world().revision()).isEqualTo(acknowledged);
                assertThat(fixture.put(claim("afterwards"), "x".repeat(40_000))).isInstanceOf(Committed.class);
            }
        }
    }
}
