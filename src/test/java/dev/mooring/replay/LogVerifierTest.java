package dev.mooring.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.Encryption;
import dev.mooring.log.LogCopy;
import dev.mooring.log.LogInspector;
import dev.mooring.testing.SampleLog;
import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class LogVerifierTest {
    private final SimulatedDisk disk = new SimulatedDisk();

    private LogVerifier.Report verify() throws IOException {
        return new LogVerifier(new LogInspector(disk, SampleLog.DIRECTORY), bytes -> {}).verify();
    }

    @Test
    void verifier_intactLog_reportsNoProblems() throws IOException {
        SampleLog.write(disk, 200, 60, 140);
        LogVerifier.Report report = verify();
        assertThat(report.problems()).isEmpty();
        assertThat(report.events()).isEqualTo(200);
        assertThat(report.snapshots()).isEqualTo(2);
        assertThat(report.end().orElseThrow().revision()).isEqualTo(200);
        assertThat(report.tornTail()).isFalse();
    }

    @Test
    void verifier_damagedFiles_reportsEachAndContinues() throws IOException {
        SampleLog.write(disk, 200, 60, 140);
        flip(SampleLog.segments(disk).get(1), 700);
        flip(SampleLog.segments(disk).get(3), 900);
        flip(SampleLog.snapshots(disk).get(0), 100);
        LogVerifier.Report report = verify();
        assertThat(report.problems()).hasSize(3);
        assertThat(report.problems().get(0))
                .contains(SampleLog.segments(disk).get(1).getFileName().toString());
        assertThat(report.problems().get(1))
                .contains(SampleLog.segments(disk).get(3).getFileName().toString());
        assertThat(report.end().orElseThrow().revision()).isEqualTo(200);
        assertThat(report.events()).isLessThan(200).isGreaterThan(100);
    }

    @Test
    void verifier_snapshotDiffersFromReplay_isReported() throws IOException {
        SampleLog.write(disk, 100, 60);
        SimulatedDisk other = new SimulatedDisk();
        SampleLog.writeWithOtherContents(other, 100, 60);
        Path snapshot = SampleLog.snapshots(disk).get(0);
        disk.overwrite(snapshot, other.content(snapshot));
        assertThat(verify().problems())
                .singleElement()
                .asString()
                .contains("revision 60 does not match the replayed World");
    }

    @Test
    void verifier_tornTail_isNoProblem() throws IOException {
        SampleLog.write(disk, 20);
        Path last = SampleLog.segments(disk).get(SampleLog.segments(disk).size() - 1);
        byte[] content = disk.content(last);
        int end = SampleLog.endOfContent(content);
        disk.overwrite(last, java.util.Arrays.copyOf(java.util.Arrays.copyOf(content, end - 20), content.length));
        LogVerifier.Report report = verify();
        assertThat(report.problems()).isEmpty();
        assertThat(report.tornTail()).isTrue();
        assertThat(report.events()).isEqualTo(19);
    }

    @Test
    void logCopy_damagedLog_copiesEventsBeforeDamage() throws IOException {
        SampleLog.write(disk, 200);
        flip(SampleLog.segments(disk).get(2), 700);
        Path target = Path.of("/rescued/log");
        try (LogCopy copy = LogCopy.into(disk, target, 4_000, Clock.systemUTC(), Encryption.NONE)) {
            new LogInspector(disk, SampleLog.DIRECTORY).walk(1, copy);
            assertThat(copy.lastRevision()).isGreaterThan(20).isLessThan(100);
        }
        LogVerifier.Report rescued = new LogVerifier(new LogInspector(disk, target), bytes -> {}).verify();
        assertThat(rescued.problems()).isEmpty();
        assertThat(rescued.events()).isGreaterThan(20);
    }

    private void flip(Path file, int offset) throws IOException {
        byte[] content = disk.content(file);
        content[offset] ^= 4;
        disk.overwrite(file, content);
    }
}
