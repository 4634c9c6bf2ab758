package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.api.auth.AuditRecord.AuditDecision;
import dev.mooring.api.auth.AuditRecord.RecordedBody;
import dev.mooring.api.auth.AuditRecord.Response;
import dev.mooring.api.auth.AuditRecord.Stage;
import dev.mooring.testing.ConditionPoller;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AuditLogTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicLong nanos = new AtomicLong();

    private Path path() {
        return directory.resolve("audit.log");
    }

    private static AuditRecord record(String userAgent, Optional<RecordedBody> body) {
        return new AuditRecord(
                "id",
                Stage.RESPONSE_COMPLETE,
                Instant.EPOCH,
                Instant.EPOCH,
                "/api/v1/x",
                "create",
                Optional.empty(),
                "127.0.0.1",
                userAgent,
                Optional.empty(),
                "",
                new Response(201, "", ""),
                new AuditDecision(true, ""),
                Map.of(),
                body);
    }

    private static AuditRecord record(String userAgent) {
        return record(userAgent, Optional.empty());
    }

    private List<String> agents() throws IOException {
        return Files.readAllLines(path()).stream()
                .map(AuditLogTest::parse)
                .map(line -> line.path("userAgent").asText())
                .toList();
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(line, e);
        }
    }

    private double dropped(String reason) {
        return meters.get("mooring.audit.dropped")
                .tag("reason", reason)
                .counter()
                .count();
    }

    @Test
    void auditLog_closed_writesQueuedRecordsAndIgnoresLaterOnes() throws IOException {
        AuditLog log = new AuditLog(AuditLog.AuditLevel.METADATA, path(), 1 << 20, 2, nanos::get, meters);
        for (int i = 0; i < 1000; i++) {
            log.add(record("a" + i));
        }
        log.close();
        log.add(record("late"));
        assertThat(agents()).hasSize(1000).startsWith("a0").endsWith("a999");
        assertThat(meters.get("mooring.audit.records").counter().count()).isEqualTo(1000);
    }

    @Test
    void auditLog_queueFull_dropsRecordsAndReportsProblemUntilWritten() throws Exception {
        AuditLog log =
                new AuditLog(AuditLog.AuditLevel.METADATA, new RotatingFile(path(), 1 << 20, 2), 3, nanos::get, meters);
        for (int i = 0; i < 5; i++) {
            log.add(record("a" + i));
        }
        assertThat(dropped("queue")).isEqualTo(2);
        assertThat(log.problem())
                .hasValueSatisfying(problem -> assertThat(problem).contains("queue is full"));

        Thread writer = new Thread(log::run);
        writer.setDaemon(true);
        writer.start();
        ConditionPoller.until(() -> log.problem().isEmpty());
        assertThat(agents()).containsExactly("a0", "a1", "a2");
        // Last, because it closes the file and does not wait for a thread of the test.
        log.close();
        writer.join();
    }

    @Test
    void auditLog_fileNotWritable_dropsRecordAndReportsProblem() throws IOException {
        Path file = directory.resolve("below/audit.log");
        RotatingFile rotating = new RotatingFile(file, 1 << 20, 2);
        // The file is deleted, and a regular file replaces its directory.
        Files.delete(file);
        Files.delete(file.getParent());
        Files.createFile(file.getParent());
        AuditLog log = new AuditLog(AuditLog.AuditLevel.METADATA, rotating, 10, nanos::get, meters);
        log.add(record("lost"));
        log.close();
        log.run();
        assertThat(dropped("disk")).isEqualTo(1);
        assertThat(log.problem()).isPresent();
    }

    @Test
    void auditLog_manyRefusedRequestsOfOneClient_limitsOnlyThose() throws IOException {
        try (AuditLog log = new AuditLog(AuditLog.AuditLevel.METADATA, path(), 1 << 20, 2, nanos::get, meters)) {
            for (int i = 0; i < 150; i++) {
                log.addRefused(record("refused" + i));
            }
            log.add(record("written"));
        }
        assertThat(dropped("refusals")).isEqualTo(50);
        assertThat(agents()).hasSize(101).endsWith("written");
    }

    @Test
    void auditLog_lineBreaksInUserAgent_keepsOneLinePerRecord() throws IOException {
        String hostile = "a\"}\n{\"kind\":\"Event\"}\r\u2028\u0085\u001b[2J\ud83d" + "\u00e9".repeat(600);
        try (AuditLog log = new AuditLog(AuditLog.AuditLevel.METADATA, path(), 1 << 20, 2, nanos::get, meters)) {
            log.add(record(hostile));
            log.add(record("next"));
        }
        String text = Files.readString(path());
        assertThat(text.chars()).allMatch(c -> c == '\n' || (c >= ' ' && c < 0x7f));
        assertThat(text.lines()).hasSize(2);
        assertThat(agents().get(0))
                .startsWith("a\"}\n{\"kind\":\"Event\"}\r\u2028\u0085\u001b[2J")
                .endsWith("...");
    }

    @Test
    void auditLog_tooManyQueuedBodies_omitsFurtherBodies() throws IOException {
        AuditLog log = new AuditLog(
                AuditLog.AuditLevel.REQUEST, new RotatingFile(path(), 1 << 30, 2), 1000, nanos::get, meters);
        Optional<RecordedBody> body = Optional.of(new RecordedBody(
                AuditLog.MAX_BODY_BYTES,
                () -> Optional.of(JSON.createObjectNode().put("a", 1))));
        for (int i = 0; i < 130; i++) {
            log.add(record("a" + i, body));
        }
        // In this order, because the file is not thread-safe: the records are queued and the file is opened again.
        log.close();
        log.run();
        List<String> lines = Files.readAllLines(path());
        assertThat(lines).hasSize(130);
        assertThat(lines.subList(0, 128)).allMatch(line -> line.contains("\"requestObject\":{\"a\":1}"));
        assertThat(lines.subList(128, 130))
                .allMatch(line -> !line.contains("requestObject") && line.contains("left out: too many other bodies"));
    }
}
