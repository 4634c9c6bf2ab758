package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.world.World;
import io.reactivex.rxjava3.core.Flowable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Server that starts without controllers and node, so that tests can create any state ({@link #startPaused}), and then
 * restarts with both ({@link #resume}). {@link #settle} waits until it is idle.
 */
final class BindingServerFixture implements AutoCloseable {
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");
    private static final Pattern QUEUE =
            Pattern.compile("^mooring_controller_queue\\{.*} ([0-9.E]+)$", Pattern.MULTILINE);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Kinds of objects that a new server creates and that would take part in binding. */
    private static final List<String> INITIAL_OBJECTS =
            List.of("Pod", "PersistentVolumeClaim", "PersistentVolume", "StorageClass");

    private static final Map<String, String> PAUSED = Map.of("without", "control,node");

    private final Path data;
    private final Map<String, String> flags;
    private Server server;
    private BindingApiClient api;

    private BindingServerFixture(Path data, Map<String, String> flags) {
        this.data = data;
        this.flags = flags;
    }

    /** Starts a new server without controllers and node, and deletes the built-in classes. */
    static BindingServerFixture startPaused(Path data, Map<String, String> flags) {
        BindingServerFixture fixture = new BindingServerFixture(data, flags);
        fixture.start(PAUSED);
        fixture.deleteInitialObjects();
        return fixture;
    }

    /**
     * Restarts the server with the node alone until it is Ready, and then without both again. Otherwise the provisioner
     * may start before the node has registered itself, and reports that no node exists.
     */
    void registerNode() throws Exception {
        server.close();
        start(Map.of("without", "control"));
        ConditionPoller.until(() -> api.list("Node").stream().anyMatch(BindingServerFixture::isReady));
        server.close();
        start(PAUSED);
    }

    private static boolean isReady(JsonNode node) {
        for (JsonNode condition : node.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("Ready")) {
                return condition.path("status").asText().equals("True");
            }
        }
        return false;
    }

    /** Restarts the server on the same data with controllers and node. */
    void resume() {
        server.close();
        start(Map.of());
    }

    private void start(Map<String, String> extraFlags) {
        Map<String, String> all = new HashMap<>(flags);
        all.putAll(extraFlags);
        all.put("api.plainListen", "127.0.0.1:0");
        server = ServerFixture.start(data, all);
        api = new BindingApiClient(server.plainUrl().orElseThrow(), token());
    }

    private String token() {
        try {
            Matcher found = TOKEN.matcher(Files.readString(server.kubeconfig()));
            if (found.find()) {
                return found.group(1);
            }
            throw new IllegalStateException("No token in the kubeconfig");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void deleteInitialObjects() {
        for (String kind : INITIAL_OBJECTS) {
            for (JsonNode each : api.list(kind)) {
                api.delete(kind, each.path("metadata").path("name").asText());
            }
        }
    }

    BindingApiClient api() {
        return api;
    }

    World world() {
        return server.stateStore().ledger().world();
    }

    /** Waits until the revision has not changed for this long and neither controllers nor node have work. */
    void settle(Duration quiet) {
        long requiredPolls = quiet.toMillis() / POLL_INTERVAL.toMillis();
        // Each poll is due after the previous one: an interval would catch up on missed polls without waiting.
        Flowable.fromCallable(() -> world().revision())
                .repeatWhen(polled -> polled.delay(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS))
                .scan(new QuietPeriod(-1, 0), QuietPeriod::then)
                .takeUntil(period -> period.polls() >= requiredPolls && !isBusy())
                .take(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .ignoreElements()
                .blockingAwait();
    }

    /** Number of consecutive polls that found the same revision. */
    private record QuietPeriod(long revision, long polls) {
        QuietPeriod then(long found) {
            return found == revision ? new QuietPeriod(revision, polls + 1) : new QuietPeriod(found, 0);
        }
    }

    private boolean isBusy() {
        for (StoredObject object : world().list(Scope.resource(StorageNames.OPERATIONS))) {
            if (!VolumeOperation.of(object).hasFailed()) {
                return true;
            }
        }
        Matcher queues = QUEUE.matcher(api.metrics());
        while (queues.find()) {
            if (Double.parseDouble(queues.group(1)) > 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        server.close();
    }
}
