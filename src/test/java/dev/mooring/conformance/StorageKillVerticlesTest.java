package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.StorageKillLoad.LoadRequest;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.server.Server;
import dev.mooring.world.World;
import dev.mooring.world.WorldEvent;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Creates a thousand claims while the verticles that manage them are killed repeatedly. */
class StorageKillVerticlesTest {
    private static final int CLAIMS = 1_000;
    private static final int WRITERS = 4;

    /** Restarts are delayed by 0.1 s, doubled each time: more kills would only add waiting. */
    private static final int KILLS_PER_VERTICLE = 5;

    /** One of this many events is followed by a kill. */
    private static final int EVENTS_PER_KILL = 25;

    private static final long TIMEOUT_SECONDS = 240;

    private static final List<String> VERTICLES = List.of(
            "binder",
            "provisioner",
            "claim-protection",
            "volume-protection",
            "reclaimer",
            "expander",
            "attach-detach",
            "scheduler",
            "node-lifecycle",
            "volume-operator",
            "node-status",
            "ledger");

    @TempDir
    private Path data;

    @Test
    @Timeout(value = 12, unit = TimeUnit.MINUTES)
    void claims_verticlesKilledRepeatedly_areBoundOnceAndNothingIsLeaked() throws Exception {
        long seed = System.nanoTime();
        String where = "seed " + seed;
        StorageKillLoad load = new StorageKillLoad(CLAIMS, new Random(seed));
        Map<String, Integer> kills = new TreeMap<>();
        try (ApiUnderTest api =
                ApiUnderTest.start(data, Map.of("api.requestsPerSecond", "1000000", "api.requestBurst", "1000000"))) {
            StorageKillLoad.classes().forEach(each -> send(api, each));
            List<LoadRequest> requests = load.requests();
            StorageKillState.ExpectedState expected = load.expectedState(data);
            Disposable killing = startKilling(api.server(), new Random(seed), kills);
            sendAll(api, requests);
            assertThat(problemsAtRest(api.server(), expected)).as(where).isEmpty();
            killing.dispose();

            killAll(api);
            assertThat(problems(api.server(), expected))
                    .as("after a restart of all verticles, " + where)
                    .isEmpty();
        }
        assertThat(kills).as(where).containsOnlyKeys(VERTICLES).doesNotContainValue(0);
        StorageKillHistory history = StorageKillHistory.of(data);
        assertThat(history.problems()).as(where).isEmpty();
        assertThat(history.binds()).isGreaterThan(CLAIMS * 8 / 10);
    }

    /** Kills a verticle after some of the events, so that it happens during work and not while all are idle. */
    private static Disposable startKilling(Server server, Random random, Map<String, Integer> kills) {
        long now = server.stateStore().ledger().world().revision();
        return server.stateStore()
                .hub()
                .events(now, Scope.all(), Schedulers.io())
                .filter(event -> random.nextInt(EVENTS_PER_KILL) == 0)
                .map(event -> VERTICLES.get(random.nextInt(VERTICLES.size())))
                .filter(verticle -> kills.merge(verticle, 1, Integer::sum) <= KILLS_PER_VERTICLE)
                .subscribe(
                        verticle -> server.supervisor().kill(verticle, "chaos").await());
    }

    private static void sendAll(ApiUnderTest api, List<LoadRequest> requests) throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                done.add(writers.submit(() -> requests.stream()
                        .filter(each -> each.sequence() % WRITERS == writer)
                        .forEach(each -> send(api, each))));
            }
            for (Future<?> each : done) {
                each.get();
            }
        } finally {
            writers.shutdownNow();
        }
    }

    private static void send(ApiUnderTest api, LoadRequest request) {
        Reply reply = api.send(request.method(), request.path(), request.body(), "Content-Type", "application/json");
        assertThat(reply.code()).as(request + ": " + reply.text()).isIn(200, 201, 202);
    }

    /** Checks after each event until there are no problems or the timeout has passed; returns the problems. */
    private static List<String> problemsAtRest(Server server, StorageKillState.ExpectedState expected) {
        server.stateStore()
                .hub()
                .events(server.stateStore().ledger().world().revision() - 1, Scope.all(), Schedulers.io())
                .map(WorldEvent::revision)
                .onBackpressureLatest()
                .observeOn(Schedulers.io(), false, 1)
                .takeWhile(revision -> !problems(server, expected).isEmpty())
                .take(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .ignoreElements()
                .blockingAwait();
        return problems(server, expected);
    }

    private static List<String> problems(Server server, StorageKillState.ExpectedState expected) {
        World world = server.stateStore().ledger().world();
        return new StorageKillState(
                        list(world, StorageNames.CLAIMS),
                        list(world, StorageNames.VOLUMES),
                        list(world, StorageNames.OPERATIONS),
                        list(world, "pods"))
                .problems(expected);
    }

    private static List<JsonNode> list(World world, String resource) {
        return world.stream(Scope.resource(resource))
                .<JsonNode>map(StoredObject::toTree)
                .toList();
    }

    /** Kills all verticles; each checks all objects after its restart and must find nothing to do. */
    private static void killAll(ApiUnderTest api) {
        VERTICLES.forEach(verticle ->
                api.server().supervisor().kill(verticle, "once more").await());
        boolean isHealthy = Flowable.interval(50, TimeUnit.MILLISECONDS)
                .onBackpressureDrop()
                .takeWhile(tick -> api.get("/healthz").code() != 200)
                .ignoreElements()
                .blockingAwait(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertThat(isHealthy).as(api.get("/healthz?verbose").text()).isTrue();
    }
}
