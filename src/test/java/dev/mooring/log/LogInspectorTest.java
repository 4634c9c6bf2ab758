package dev.mooring.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.testing.SampleLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogInspectorTest {
    @TempDir
    private Path directory;

    @Test
    void walk_afterAnyPosition_visitsTheBatchesBehindIt() throws IOException {
        SampleLog.write(new RealDisk(), directory, "content", 100, 40);
        LogInspector inspector = new LogInspector(new RealDisk(), directory);
        List<LogPosition> ends = new ArrayList<>();
        inspector.walk(1, (batch, end) -> ends.add(end));
        assertThat(ends.stream().map(LogPosition::segment).distinct().count()).isGreaterThan(2);

        for (int i = 0; i < ends.size(); i++) {
            List<LogPosition> later = new ArrayList<>();
            LogInspector.End end = inspector.walk(ends.get(i), (batch, position) -> later.add(position));

            assertThat(later).isEqualTo(ends.subList(i + 1, ends.size()));
            assertThat(end.position())
                    .hasValueSatisfying(
                            position -> assertThat(position.revision()).isEqualTo(100));
        }
    }
}
