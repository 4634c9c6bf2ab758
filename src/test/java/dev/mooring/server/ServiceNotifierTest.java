package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import dev.mooring.log.RealDisk;
import dev.mooring.testing.NotifySocketListener;
import dev.mooring.world.Ledger;
import dev.mooring.world.StateStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the messages to systemd with a real datagram socket, a server process and a server in this process. */
@Timeout(300)
class ServiceNotifierTest {
    private static final String WATCHDOG_MICROS = "3000000";

    @TempDir
    private Path directory;

    private NotifySocketListener systemd;

    @BeforeEach
    void listen() {
        systemd = new NotifySocketListener(socket());
    }

    @AfterEach
    void close() {
        systemd.close();
    }

    private Path socket() {
        return directory.resolve("notify");
    }

    private Map<String, String> environment() {
        return Map.of("NOTIFY_SOCKET", socket().toString(), "WATCHDOG_USEC", WATCHDOG_MICROS);
    }

    @Test
    void server_ofAServiceManager_reportsReadyHealthAndStopping() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.mooring.Main",
                "server",
                "--data",
                directory.resolve("data").toString(),
                "--runtime",
                "none",
                "--listen",
                "127.0.0.1:0");
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_"));
        builder.environment().putAll(environment());
        Path err = directory.resolve("stderr");
        Process server = builder.redirectError(err.toFile()).start();
        try {
            String ready = server.inputReader().readLine();

            assertThat(ready).as(() -> "ready line").startsWith("ready https://");
            assertThat(systemd.next()).isEqualTo("READY=1\nSTATUS=Serving " + ready.split(" ", -1)[1]);
            assertThat(systemd.next(message -> message.startsWith("WATCHDOG=1")))
                    .contains("STATUS=Serving https://");
            server.toHandle().destroy();
            assertThat(systemd.next(message -> message.startsWith("STOPPING=1")))
                    .contains("STATUS=Stopping");
            assertThat(server.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).as(Files.readString(err)).isZero();
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void watchdog_apiOrLedgerDoNotRespond_isNotSignalled() throws Exception {
        Server server = ServerFixture.start(directory.resolve("data"));
        Vertx vertx = Vertx.vertx();
        try (StateStore stuck = stuck()) {
            HealthChecks checks = new HealthChecks();
            checks.add(HealthCheck.ready("disk", () -> HealthCheck.HealthResult.degraded("slow\ndisk")));
            Ledger running = server.stateStore().ledger();
            ServiceNotifier notifier = ServiceNotifier.of(environment(), checks).orElseThrow();

            notifier.ready(vertx, new ServiceNotifier.Watched(running, "https://127.0.0.1:1"));
            assertThat(systemd.next()).startsWith("READY=1\n");
            assertThat(systemd.next()).startsWith("STATUS=Not responding: ").contains("Connection refused");
            assertThat(systemd.next()).startsWith("STATUS=Not responding: ");
            vertx.close().await();

            vertx = Vertx.vertx();
            notifier.ready(vertx, new ServiceNotifier.Watched(stuck.ledger(), server.url()));
            systemd.next(message -> message.startsWith("READY=1\n"));
            assertThat(systemd.next()).startsWith("STATUS=Not responding: ");
            assertThat(systemd.next()).startsWith("STATUS=Not responding: ");
            vertx.close().await();

            vertx = Vertx.vertx();
            notifier.ready(vertx, new ServiceNotifier.Watched(running, server.url()));
            systemd.next(message -> message.startsWith("READY=1\n"));
            assertThat(systemd.next(message -> !message.startsWith("STATUS=Not responding: "))) // of the one before
                    .isEqualTo("WATCHDOG=1\nSTATUS=Serving " + server.url() + "; disk: slow disk");
        } finally {
            vertx.close().await();
            server.close();
        }
    }

    /** Opens a store with a ledger whose thread does not run. */
    private StateStore stuck() throws IOException {
        return StateStore.open(
                new RealDisk(),
                new StateStore.Options(
                        directory.resolve("stuck"), 1 << 20, new Ledger.Limits(1_000, 64, 1 << 20), 256, 1 << 20),
                Clock.systemUTC(),
                new SimpleMeterRegistry(),
                Runnable::run);
    }

    @Test
    void socket_missingOrInvalid_isNoFailure() {
        assertThat(ServiceNotifier.of(Map.of(), new HealthChecks())).isEmpty();
        assertThat(ServiceNotifier.of(Map.of("NOTIFY_SOCKET", "relative"), new HealthChecks()))
                .isEmpty();
        Map<String, String> gone =
                Map.of("NOTIFY_SOCKET", directory.resolve("gone").toString());
        ServiceNotifier.of(gone, new HealthChecks()).orElseThrow().stopping(); // logs only
    }
}
