package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.RealDisk;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.SampleLog;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path data;

    @BeforeEach
    void writeSampleLog() throws IOException {
        SampleLog.write(new RealDisk(), data.resolve("log"), "content", 100, 40);
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        return new Cli(ServerFixture.ambient(Map.of("MOORING_DATA", "/nowhere"), out, err)).run(args);
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private void damage() throws IOException {
        String third = new RealDisk()
                .list(data.resolve("log")).stream()
                        .filter(name -> name.endsWith(".log"))
                        .skip(2)
                        .findFirst()
                        .orElseThrow();
        Path segment = data.resolve("log").resolve(third);
        byte[] content = Files.readAllBytes(segment);
        content[700] ^= 1;
        Files.write(segment, content);
    }

    @Test
    void logStat_printsRevisionsTailAndSnapshots() {
        assertThat(run("log", "stat", "--data", data.toString())).isZero();
        assertThat(lines())
                .anyMatch(line -> line.matches("revisions +1 to 100 \\(100 events\\)"))
                .anyMatch(line -> line.matches("tail +clean"))
                .anyMatch(line -> line.contains("revision 40"));
        assertThat(run("log", "stat", "--data", data.toString(), "-o", "json")).isZero();
        JsonObject stat = new JsonObject(out.toString(StandardCharsets.UTF_8));
        assertThat(stat.getLong("lastRevision")).isEqualTo(100);
        assertThat(stat.getJsonArray("segments").size()).isGreaterThan(3);
        assertThat(stat.getJsonArray("snapshots").getJsonObject(0).getLong("revision"))
                .isEqualTo(40);
    }

    @Test
    void logCat_textOutput_printsOneLinePerEvent() {
        assertThat(run("log", "cat", "--data", data.toString(), "--from", "12", "--to", "13"))
                .isZero();
        assertThat(lines())
                .containsExactly(
                        "REVISION  TIME                      TYPE       ACTOR   CAUSE        OBJECTS",
                        "12        2023-11-14T22:13:20.012Z  SamplePut  tester  request r12  ~pvc/default/c0",
                        "13        2023-11-14T22:13:20.013Z  SamplePut  tester  request r13  ~pvc/default/c1");
    }

    private List<Long> revisions(String... options) {
        List<String> args = new ArrayList<>(List.of("log", "cat", "--data", data.toString(), "-o", "json"));
        args.addAll(List.of(options));
        assertThat(run(args.toArray(String[]::new))).as(errors()).isZero();
        return lines().stream()
                .map(line -> new JsonObject(line).getLong("revision"))
                .toList();
    }

    @Test
    void logCat_objectNamedAsInKubectl_printsItsEvents() {
        List<Long> ofC3 = revisions("--object", "persistentvolumeclaims/default/c3");
        assertThat(ofC3).hasSize(9);
        for (String name : List.of("pvc/c3", "PersistentVolumeClaim/c3", "pvc/default/c3")) {
            assertThat(revisions("--object", name)).as(name).isEqualTo(ofC3);
        }
        assertThat(revisions("--object", "pvc/c3", "-n", "default")).isEqualTo(ofC3);
        assertThat(revisions("--object", "pvc/c3", "-n", "other")).isEmpty();
        assertThat(revisions("--object", "pvc/default")).hasSize(100);
        assertThat(revisions("--object", "pvc", "-n", "default")).hasSize(100);
    }

    @Test
    void logCat_unknownType_namesTheNearest() {
        assertThat(run("log", "cat", "--data", data.toString(), "--object", "pvcs/c3"))
                .isEqualTo(2);
        assertThat(errors()).contains("Unknown type \"pvcs\"; did you mean ");
    }

    @Test
    void logCat_tailSinceAndActor_selectEvents() {
        assertThat(revisions("--tail", "3")).containsExactly(98L, 99L, 100L);
        assertThat(revisions("--tail", "2", "--to", "50")).containsExactly(49L, 50L);
        assertThat(revisions("--since", "2023-11-14T22:13:20.099Z")).containsExactly(99L, 100L);
        assertThat(revisions("--actor", "tester")).hasSize(100);
        assertThat(run("log", "cat", "--data", data.toString(), "--tail", "0")).isEqualTo(2);
        assertThat(errors()).contains("--tail must be at least 1, got 0");
        assertThat(run("log", "cat", "--data", data.toString(), "--since", "soon"))
                .isEqualTo(2);
        assertThat(errors()).contains("--since must be a time").contains("\"soon\"");
    }

    @Test
    void logCat_nothingMatches_saysSoOnStderr() {
        assertThat(revisions("--actor", "other")).isEmpty();
        assertThat(errors()).contains("No event matches");
    }

    @ParameterizedTest
    @CsvSource({"--tail, 1, 100", "--from, 101, 101"})
    void logCat_follow_printsEventsWrittenLater(String option, String value, long first) throws Exception {
        BlockingQueue<String> printed = new LinkedBlockingQueue<>();
        LineStream following = new LineStream(printed);
        Thread command = new Thread(() -> new Cli(ServerFixture.ambient(Map.of(), following, err))
                .run("log", "cat", "--data", data.toString(), option, value, "-f"));
        command.start();
        if (first <= 100) {
            assertThat(printed.poll(60, TimeUnit.SECONDS)).startsWith("REVISION");
            assertThat(printed.poll(60, TimeUnit.SECONDS)).startsWith("100  ");
        }
        Server server = ServerFixture.start(data);
        try {
            if (first > 100) {
                assertThat(printed.poll(60, TimeUnit.SECONDS)).startsWith("REVISION");
            }
            // A start writes its own objects, in several batches.
            for (long revision = 101; revision <= 103; revision++) {
                assertThat(printed.poll(60, TimeUnit.SECONDS)).startsWith(revision + "  ");
            }
        } finally {
            server.close();
            command.interrupt();
        }
        command.join(60_000);
        assertThat(command.isAlive()).isFalse();
    }

    /** Splits what is written into lines. */
    private static final class LineStream extends ByteArrayOutputStream {
        private final BlockingQueue<String> lines;

        LineStream(BlockingQueue<String> lines) {
            this.lines = lines;
        }

        @Override
        public synchronized void write(byte[] bytes, int start, int length) {
            super.write(bytes, start, length);
            String text = toString(StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            text.substring(0, end).lines().forEach(lines::add);
            reset();
            byte[] rest = text.substring(end).getBytes(StandardCharsets.UTF_8);
            super.write(rest, 0, rest.length);
        }
    }

    @Test
    void logCat_objectOrTypeFilter_printsMatchingEventsAsJson() {
        assertThat(run(
                        "log",
                        "cat",
                        "--data",
                        data.toString(),
                        "-o",
                        "json",
                        "--object",
                        "persistentvolumeclaims/default/c3"))
                .isZero();
        assertThat(lines()).hasSize(9);
        JsonObject second = new JsonObject(lines().get(1));
        assertThat(second.getLong("revision")).isEqualTo(15);
        JsonObject change = second.getJsonArray("changes").getJsonObject(0);
        assertThat(change.getLong("prior")).isEqualTo(4);
        assertThat(change.getJsonObject("object").getJsonObject("metadata").getString("resourceVersion"))
                .isEqualTo("15");
        assertThat(run("log", "cat", "--data", data.toString(), "--object", "persistentvolumeclaims"))
                .isZero();
        assertThat(lines()).hasSize(101);
        assertThat(run("log", "cat", "--data", data.toString(), "--type", "Other"))
                .isZero();
        assertThat(lines()).isEmpty();
    }

    @Test
    void logVerify_damagedLog_exitsWithSix() throws IOException {
        assertThat(run("log", "verify", "--data", data.toString())).isZero();
        assertThat(lines()).containsExactly("ok: 100 events, last revision 100, 1 valid snapshots, 0 problems");
        damage();
        assertThat(run("log", "verify", "--data", data.toString())).isEqualTo(6);
        assertThat(lines()).singleElement().asString().startsWith("DAMAGED: ");
        assertThat(errors()).contains("offset").contains("mooring log export");
        assertThat(run("log", "cat", "--data", data.toString())).isEqualTo(6);
        assertThat(lines()).isNotEmpty();
    }

    @Test
    void logExport_damagedLog_writesALogThatAServerStartsWith(@TempDir Path elsewhere) throws IOException {
        damage();
        Path target = elsewhere.resolve("rescued");
        assertThat(run("log", "export", "--data", data.toString(), "--to-data", target.toString()))
                .isEqualTo(6);
        assertThat(errors()).contains("next: mooring server --data " + target);
        assertThat(run("log", "verify", "--data", target.toString())).isZero();
        Server server = ServerFixture.start(target);
        assertThat(server.stateStore().ledger().world().revision()).isGreaterThan(20);
        server.close();
        assertThat(run("log", "export", "--data", data.toString(), "--to-data", target.toString()))
                .isEqualTo(4);
        assertThat(run("log", "export", "--data", data.toString())).isEqualTo(6);
        assertThat(lines())
                .hasSizeGreaterThan(60)
                .hasSizeLessThan(100)
                .allMatch(line -> line.startsWith("{\"revision\":"));
    }

    @Test
    void logCommands_runningServer_readItsLog() {
        Server server = ServerFixture.start(data, Map.of("without", "control,node"));
        try {
            assertThat(run("log", "verify", "--data", data.toString())).isZero();
            assertThat(run("log", "stat", "--data", data.toString())).isZero();
            assertThat(run("log", "cat", "--data", data.toString())).isZero();
            assertThat(lines()).hasSize(101);
        } finally {
            server.close();
        }
    }

    @Test
    void logCommands_missingLog_namePathAndOption(@TempDir Path empty) {
        assertThat(run("log", "stat", "--data", empty.toString())).isEqualTo(3);
        assertThat(errors()).contains(empty.resolve("log").toString()).contains("--data");
        assertThat(run("log", "cat", "--data", data.toString(), "--from", "9", "--to", "3"))
                .isEqualTo(2);
        assertThat(run("log")).isEqualTo(2);
    }
}
