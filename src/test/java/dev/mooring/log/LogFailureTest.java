package dev.mooring.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LogFailureTest {
    private final SimulatedDisk disk = new SimulatedDisk();

    @Test
    void eventLog_syncFailed_rejectsFurtherBatches() throws IOException {
        AtomicInteger attempts = new AtomicInteger();
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            log.append("good");
            disk.onSync(file -> {
                attempts.incrementAndGet();
                throw new IOException("Input/output error");
            });
            assertThatThrownBy(() -> log.append("lost"))
                    .isInstanceOf(LogFailedException.class)
                    .hasMessageContaining("Input/output error")
                    .hasMessageContaining("restart");
            disk.onSync(file -> {});
            assertThatThrownBy(() -> log.append("refused")).isInstanceOf(LogFailedException.class);
            assertThatThrownBy(log.log::recover).isInstanceOf(LogFailedException.class);
            assertThat(attempts).hasValue(1);
            assertThat(log.log.failure()).isPresent();
            assertThat(log.log.lastRevision()).isEqualTo(1);
            assertThat(log.readFrom(1)).hasSize(1);
        }
    }

    @Test
    void eventLog_restartedAfterFailedSync_rewritesLastSegment() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            log.append("good");
            disk.onSync(file -> {
                throw new IOException("Input/output error");
            });
            assertThatThrownBy(() -> log.append("in the page cache only")).isInstanceOf(LogFailedException.class);
        }
        disk.onSync(file -> {});
        // The kernel marks the page clean although it is not on disk: another sync would write nothing.
        SimulatedDisk restarted = disk.killedProcess();
        java.util.List<String> synced = new java.util.ArrayList<>();
        restarted.onSync(synced::add);
        long revision;
        try (EventLogFixture log = EventLogFixture.open(restarted)) {
            revision = log.log.lastRevision();
            assertThat(synced).first().asString().endsWith(LogFiles.UNFINISHED);
            log.append("goes on");
        }
        synced.clear();
        try (EventLogFixture log = EventLogFixture.open(restarted)) {
            assertThat(log.log.lastRevision()).isEqualTo(revision + 1);
            assertThat(synced).noneMatch(name -> name.endsWith(LogFiles.UNFINISHED));
        }
    }

    @Test
    void eventLog_diskFull_becomesReadOnlyUntilRestartWithFreeSpace() throws IOException {
        long acknowledged = 0;
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            disk.leaveRoomFor(300_000);
            try {
                while (true) {
                    log.append("x".repeat(100_000));
                    acknowledged = log.log.lastRevision();
                }
            } catch (LogFailedException e) {
                assertThat(e).hasMessageContaining("No space left on device");
            }
            assertThat(acknowledged).isPositive();
            assertThat(log.log.failure()).isPresent();
            assertThat(log.readFrom(1)).hasSize((int) acknowledged);
        }
        SimulatedDisk restarted = disk.killedProcess();
        restarted.leaveRoomFor(Long.MAX_VALUE);
        try (EventLogFixture log = EventLogFixture.open(restarted)) {
            assertThat(log.log.lastRevision()).isEqualTo(acknowledged);
            log.append("goes on");
        }
    }

    @Test
    void eventLog_threadKilledWhileAppending_recoversAcknowledgedState() throws IOException {
        for (boolean inWrite : new boolean[] {true, false}) {
            SimulatedDisk machine = new SimulatedDisk();
            try (EventLogFixture log = EventLogFixture.open(machine)) {
                log.append("good");
                SimulatedDisk.Fault kill = file -> {
                    throw new ThreadDeath();
                };
                if (inWrite) {
                    machine.onWrite(kill);
                } else {
                    machine.onSync(kill);
                }
                assertThatThrownBy(() -> log.append("in doubt")).isInstanceOf(ThreadDeath.class);
                machine.onWrite(file -> {});
                machine.onSync(file -> {});
                assertThatThrownBy(() -> log.append("not yet"))
                        .isInstanceOf(LogFailedException.class)
                        .hasMessageContaining("recover");
                log.log.recover();
                assertThat(log.log.lastRevision()).isEqualTo(inWrite ? 1 : 2);
                assertThat(log.readFrom(1)).hasSize(inWrite ? 1 : 2);
                log.log.recover();
            }
        }
    }

    @Test
    void eventLog_threadKilledWhileChangingSegments_recovers() throws IOException {
        for (int failingSync = 0; failingSync < 4; failingSync++) {
            SimulatedDisk machine = new SimulatedDisk();
            try (EventLogFixture log = EventLogFixture.open(machine, EventLogFixture.DIRECTORY, 1_000)) {
                log.append("fills the segment " + "x".repeat(700));
                int failAt = machine.syncs() + failingSync;
                machine.onSync(file -> {
                    if (machine.syncs() == failAt) {
                        throw new ThreadDeath();
                    }
                });
                boolean killed = false;
                try {
                    log.append("into the next " + "y".repeat(700));
                } catch (ThreadDeath e) {
                    killed = true;
                }
                assertThat(killed).isEqualTo(failingSync < 3);
                machine.onSync(file -> {});
                log.log.recover();
                long last = log.log.lastRevision();
                assertThat(log.readFrom(1)).hasSize((int) last);
                assertThat(last).isEqualTo(failingSync < 2 ? 1 : 2);
            }
            EventLogFixture.open(machine.killedProcess(), EventLogFixture.DIRECTORY, 1_000)
                    .close();
        }
    }
}
