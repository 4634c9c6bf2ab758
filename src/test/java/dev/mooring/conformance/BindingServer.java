package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
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
 * A server in which states are laid down while nobody reacts ({@link #hold}), and which then lives on with everything ({@link #go}). It tells
 * when it has come to rest.
 */
final class BindingServer implements AutoCloseable {
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");
    private static final Pattern QUEUE =
            Pattern.compile("^mooring_controller_queue\\{.*} ([0-9.E]+)$", Pattern.MULTILINE);

    private static final Duration LOOK_EVERY = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** What is in a server that nobody has used yet, and would take part. */
    private static final List<String> WIPED =
            List.of("Pod", "PersistentVolumeClaim", "PersistentVolume", "StorageClass");

    private final Path data;
    private final Map<String, String> flags;
    private Server server;
    private BindingApi api;

    private BindingServer(Path data, Map<String, String> flags) {
        this.data = data;
        this.flags = flags;
    }

    /** A new server whose controllers and node stand still, without the classes that are built in. */
    static BindingServer hold(Path data, Map<String, String> flags) {
        BindingServer held = new BindingServer(data, flags);
        held.start(Map.of("without", "control,node"));
        held.wipe();
        return held;
    }

    /** The same data with everything running. */
    void go() {
        server.close();
        start(Map.of());
    }

    private void start(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(flags);
        all.putAll(more);
        all.put("api.plainListen", "127.0.0.1:0");
        server = TestServers.start(data, all);
        api = new BindingApi(server.plainUrl().orElseThrow(), token());
    }

    private String token() {
        try {
            Matcher found = TOKEN.matcher(Files.readString(server.kubeconfig()));
            if (found.find()) {
                return found.group(1);
            }
            throw new IllegalStateException("Expected a token in the kubeconfig, but there is none");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void wipe() {
        for (String kind : WIPED) {
            for (JsonNode each : api.list(kind)) {
                api.delete(kind, each.path("metadata").path("name").asText());
            }
        }
    }

    BindingApi api() {
        return api;
    }

    World world() {
        return server.spine().ledger().world();
    }

    /** Waits until nothing has happened for a while and no controller or node has anything to do. */
    void settle(Duration quiet) {
        long enough = quiet.toMillis() / LOOK_EVERY.toMillis();
        Flowable.interval(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)
                .onBackpressureDrop()
                .map(tick -> world().revision())
                .scan(new Rest(-1, 0), Rest::then)
                .takeUntil(rest -> rest.looks() >= enough && !isBusy())
                .take(LONGEST.toMillis(), TimeUnit.MILLISECONDS)
                .ignoreElements()
                .blockingAwait();
    }

    /** How many looks in a row found the same revision. */
    private record Rest(long revision, long looks) {
        Rest then(long found) {
            return found == revision ? new Rest(revision, looks + 1) : new Rest(found, 0);
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
