package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.server.CommandFailure;
import dev.mooring.server.ExitCode;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SmallDisk;
import dev.mooring.world.Outcome;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the event log in a whole server: restarts, killed verticles, full disks and damage. */
class ServerStorageTest {
    @TempDir
    private Path data;

    private static Outcome put(Server server, String name, String content) {
        Proposal proposal = Proposal.by("tester", "Put")
                .put(Samples.draft(Samples.claim(name), content))
                .build();
        try {
            return server.stateStore()
                    .ledger()
                    .propose(proposal)
                    .toCompletableFuture()
                    .get(120, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void server_restarted_restoresTheWorld() throws Exception {
        Server first = ServerFixture.start(data);
        for (int i = 0; i < 20; i++) {
            put(first, "c" + i % 5, "content " + i);
        }
        World before = first.stateStore().ledger().world();
        assertThat(first.close()).isTrue();

        Server second = ServerFixture.start(data);
        try {
            assertThat(second.stateStore().history().at(before.revision())).isEqualTo(before);
            assertThat(put(second, "more", "")).isInstanceOf(Committed.class);
        } finally {
            second.close();
        }
    }

    @Test
    void server_dataDirectoryInUse_doesNotStart() {
        Server first = ServerFixture.start(data);
        try {
            CommandFailure failure = CommandFailure.of(catchThrowable(() -> ServerFixture.start(data)));
            assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
            assertThat(failure.message()).contains("another Mooring process").contains(data.toString());
        } finally {
            first.close();
        }
    }

    @Test
    @Timeout(300)
    void ledgerVerticle_killedUnderLoad_losesNoAcknowledgedWrite() throws Exception {
        Server server = ServerFixture.start(data);
        try {
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger acknowledged = new AtomicInteger();
            List<Thread> writers = new ArrayList<>();
            List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
            for (int w = 0; w < 4; w++) {
                int writer = w;
                Thread thread = new Thread(() -> acknowledged.addAndGet(createUntil(stop, server, "w" + writer + "-")));
                thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
                thread.start();
                writers.add(thread);
            }
            String restarts = "mooring_verticle_restarts_total{verticle=\"ledger\"}";
            for (int kills = 1; kills <= 3; kills++) {
                server.supervisor().kill("ledger", "test").await();
                int expected = kills;
                ConditionPoller.until(() -> metric(server, restarts) >= expected);
            }
            stop.set(true);
            for (Thread writer : writers) {
                writer.join();
            }
            assertThat(failures).isEmpty();
            assertThat(acknowledged).hasPositiveValue();
            World world = server.stateStore().ledger().world();
            assertThat(world.count(Samples.claims())).isEqualTo(acknowledged.get());
            assertThat(metric(server, restarts)).isEqualTo(3);
        } finally {
            server.close();
        }
    }

    /** Creates objects, retrying each until it is acknowledged, and returns their number. */
    private static int createUntil(AtomicBoolean stop, Server server, String prefix) {
        int created = 0;
        while (!stop.get()) {
            Proposal proposal = Proposal.by("tester", "Created")
                    .create(Samples.draft(Samples.claim(prefix + created), ""))
                    .build();
            Outcome outcome = server.stateStore()
                    .ledger()
                    .propose(proposal)
                    .toCompletableFuture()
                    .join();
            if (outcome instanceof Committed) {
                created++;
            } else {
                assertThat(((Refused) outcome).reason()).isEqualTo(Reason.STOPPED);
            }
        }
        return created;
    }

    @Test
    void server_diskFull_isReadOnlyAndNotReadyUntilRestartedWithSpace() throws Exception {
        assumeTrue(SmallDisk.isPossible(), SmallDisk.WHY_NOT);
        try (SmallDisk small = SmallDisk.mount(data, "6m")) {
            Path dataDirectory = small.path().resolve("var");
            Server server = ServerFixture.start(dataDirectory, Map.of("log.segmentBytes", "1Mi"));
            long acknowledged = 0;
            try {
                assertThat(get(server, dataDirectory, "/readyz").statusCode()).isEqualTo(200);
                while (put(server, "c" + acknowledged, "x".repeat(50_000)) instanceof Committed) {
                    acknowledged++;
                }
                HttpResponse<String> ready = get(server, dataDirectory, "/readyz?verbose");
                assertThat(ready.statusCode()).isEqualTo(500);
                assertThat(ready.body())
                        .contains("[-]log failed: ")
                        .contains("No space left on device")
                        .contains("restart");
                assertThat(get(server, dataDirectory, "/livez").statusCode()).isEqualTo(200);
                assertThat(metric(server, dataDirectory, "mooring_log_read_only"))
                        .isEqualTo(1);
                assertThat(server.stateStore().ledger().world().count(Samples.claims()))
                        .isEqualTo((int) acknowledged);
            } finally {
                server.close();
            }
            assertThat(acknowledged).isGreaterThan(10);
            small.resize("30m");
            Server restarted = ServerFixture.start(dataDirectory, Map.of("log.segmentBytes", "1Mi"));
            try {
                assertThat(restarted.stateStore().ledger().world().count(Samples.claims()))
                        .isEqualTo((int) acknowledged);
                assertThat(put(restarted, "afterwards", "")).isInstanceOf(Committed.class);
                assertThat(get(restarted, dataDirectory, "/readyz").statusCode())
                        .isEqualTo(200);
            } finally {
                restarted.close();
            }
        }
    }

    @Test
    void server_damagedLog_doesNotStartAndExitsWithLogDamaged() throws Exception {
        Server server = ServerFixture.start(data);
        for (int i = 0; i < 20; i++) {
            put(server, "c" + i, "content");
        }
        server.close();
        Path segment = data.resolve("log/events-0000000000000000001.log");
        byte[] content = Files.readAllBytes(segment);
        content[1_000] ^= 1;
        Files.write(segment, content);

        CommandFailure failure = CommandFailure.of(catchThrowable(() -> ServerFixture.start(data)));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.LOG_DAMAGED);
        assertThat(failure.message())
                .contains(segment.getFileName().toString())
                .contains("offset")
                .contains("revision")
                .contains("mooring log verify")
                .contains("mooring log export");
        assertThat(Files.readAllBytes(segment)).isEqualTo(content);
    }

    private double metric(Server server, String name) throws Exception {
        return metric(server, data, name);
    }

    private static double metric(Server server, Path data, String name) throws Exception {
        String text = get(server, data, "/metrics").body();
        Matcher value = Pattern.compile(Pattern.quote(name) + " (\\S+)").matcher(text);
        assertThat(value.find()).as(name + " in " + text).isTrue();
        return Double.parseDouble(value.group(1));
    }

    private static HttpResponse<String> get(Server server, Path data, String path) throws Exception {
        HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_2);
        Matcher token = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(data.resolve("kubeconfig")));
        assertThat(token.find()).isTrue();
        return client.get(server.url() + path, token.group(1));
    }
}
