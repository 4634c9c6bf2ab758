package dev.mooring.server;

import dev.mooring.api.HealthChecks;
import dev.mooring.host.NotifySocket;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.Cause;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.Ledger;
import dev.mooring.world.Proposal;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the server's state to systemd (sd_notify): READY, STOPPING, STATUS, and WATCHDOG only after the ledger has
 * decided a proposal and the API has answered a request. systemd restarts a process without WATCHDOG.
 */
final class ServiceNotifier {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceNotifier.class);

    /** Of the watchdog's time, so that one lost attempt does not end the process. */
    private static final int ATTEMPTS = 3;

    private static final Duration STATUS_INTERVAL = Duration.ofSeconds(20);

    /** An object that cannot exist, because its name is not valid: its removal is a conflict and never an event. */
    private static final ObjectKey NOTHING = ObjectKey.clusterWide("nodes", "-watchdog-");

    private static final int HTTP_OK = 200;

    private final NotifySocket socket;
    private final Optional<Duration> watchdog;
    private final HealthChecks healthChecks;
    private boolean failing;

    /**
     * The parts that must respond.
     *
     * @param url of the API
     */
    record Watched(Ledger ledger, String url) {}

    private ServiceNotifier(NotifySocket socket, Optional<Duration> watchdog, HealthChecks healthChecks) {
        this.socket = socket;
        this.watchdog = watchdog;
        this.healthChecks = healthChecks;
    }

    /** Returns a notifier if the environment names a service manager's socket. */
    static Optional<ServiceNotifier> of(Map<String, String> environment, HealthChecks healthChecks) {
        String path = environment.getOrDefault("NOTIFY_SOCKET", "");
        if (path.isEmpty()) {
            return Optional.empty();
        }
        try {
            NotifySocket socket = new NotifySocket(SystemCalls.real(), path);
            return Optional.of(new ServiceNotifier(socket, watchdog(environment), healthChecks));
        } catch (IllegalArgumentException e) {
            LOG.warn("Failed to use the service manager's socket: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** Returns the time after which systemd ends a process that sends no WATCHDOG; empty if it is not for this one. */
    private static Optional<Duration> watchdog(Map<String, String> environment) {
        String pid = environment.getOrDefault("WATCHDOG_PID", "");
        String micros = environment.getOrDefault("WATCHDOG_USEC", "");
        boolean ours = pid.isEmpty()
                || pid.equals(Long.toString(ProcessHandle.current().pid()));
        return ours && micros.matches("[1-9][0-9]{0,17}")
                ? Optional.of(Duration.of(Long.parseLong(micros), java.time.temporal.ChronoUnit.MICROS))
                : Optional.empty();
    }

    /** Reports READY, then the health in intervals until {@code vertx} is closed. */
    void ready(Vertx vertx, Watched watched) {
        send("READY=1", "STATUS=Serving " + watched.url());
        Duration interval = watchdog.map(each -> each.dividedBy(ATTEMPTS)).orElse(STATUS_INTERVAL);
        long millis = Math.max(1, interval.toMillis());
        HttpClient client = vertx.createHttpClient(new HttpClientOptions()
                .setSsl(true)
                .setTrustAll(true) // it asks itself and sends no token
                .setVerifyHost(false)
                .setConnectTimeout((int) Math.min(millis, Integer.MAX_VALUE)));
        vertx.setPeriodic(
                millis,
                unused -> Future.all(respondsLedger(watched.ledger()), respondsApi(client, watched))
                        .timeout(millis, TimeUnit.MILLISECONDS)
                        .onComplete(
                                ok -> {
                                    failing = false;
                                    send("WATCHDOG=1", "STATUS=" + status(watched.url()));
                                },
                                this::reportFailure));
    }

    private void reportFailure(Throwable cause) {
        send("STATUS=Not responding: " + oneLine(cause.getMessage()));
        if (!failing) {
            failing = true;
            LOG.atWarn()
                    .addKeyValue("watchdog", watchdog.map(Duration::toString).orElse("none"))
                    .log("Own health check failed; no watchdog signal is sent: {}", cause.getMessage());
        }
    }

    private static Future<Void> respondsLedger(Ledger ledger) {
        Proposal never = new Proposal(
                "WatchdogProbe", "mooring", Cause.none(), List.of(new Proposal.Remove(NOTHING)), List.of());
        // A read-only ledger refuses the proposal. It responds, and serves reads, which a restart would end.
        return Future.fromCompletionStage(ledger.propose(never)).mapEmpty();
    }

    private static Future<Void> respondsApi(HttpClient client, Watched watched) {
        return client.request(new RequestOptions().setMethod(HttpMethod.GET).setAbsoluteURI(watched.url() + "/livez"))
                .compose(request -> request.send().compose(ServiceNotifier::answer));
    }

    private static Future<Void> answer(HttpClientResponse response) {
        return response.body()
                .compose(body -> response.statusCode() == HTTP_OK
                        ? Future.succeededFuture()
                        : Future.failedFuture("API: status " + response.statusCode()));
    }

    /** Returns the state for {@code systemctl status}. */
    private String status(String url) {
        String problems = healthChecks.all().stream()
                .map(check -> Map.entry(check.name(), check.check()))
                .filter(each -> !each.getValue().isOk())
                .map(each -> each.getKey() + ": " + each.getValue().problem().orElse(""))
                .collect(Collectors.joining("; "));
        return oneLine(problems.isEmpty() ? "Serving " + url : "Serving " + url + "; " + problems);
    }

    private static String oneLine(String text) {
        return String.valueOf(text).replaceAll("\\s+", " ");
    }

    /** Reports that the server is being stopped. */
    void stopping() {
        send("STOPPING=1", "STATUS=Stopping");
    }

    private void send(String... assignments) {
        try {
            socket.send(assignments);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("state", assignments[0])
                    .log("Failed to notify service manager: {}", e.getMessage());
        }
    }
}
