package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.Server;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.StorageKillLoad.Request;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Scope;
import dev.mooring.model.view.StorageNames;
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

/** A thousand claims, while all who work for them are killed again and again. */
class StorageKillVerticlesTest {
    private static final int CLAIMS = 1_000;
    private static final int WRITERS = 4;

    /** Each is started again after 0.1 s the first time, and after twice as long each time: more would be waiting only. */
    private static final int DEATHS_OF_EACH = 5;

    /** One of so many events is the last thing somebody sees. */
    private static final int EVENTS_PER_KILL = 25;

    private static final long LONGEST_SECONDS = 120;

    private static final List<String> VICTIMS = List.of(
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
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void everyClaimIsBoundOnceAndNothingIsLeftOver() throws Exception {
        long seed = System.nanoTime();
        String where = "seed " + seed;
        StorageKillLoad load = new StorageKillLoad(CLAIMS, new Random(seed));
        Map<String, Integer> deaths = new TreeMap<>();
        try (ApiUnderTest api =
                ApiUnderTest.start(data, Map.of("api.requestsPerSecond", "1000000", "api.requestBurst", "1000000"))) {
            StorageKillLoad.classes().forEach(each -> send(api, each));
            List<Request> requests = load.requests();
            StorageKillState.Wanted wanted = load.wanted(data);
            Disposable killing = killing(api.server(), new Random(seed), deaths);
            sendAll(api, requests);
            assertThat(problemsAtRest(api.server(), wanted)).as(where).isEmpty();
            killing.dispose();

            killAll(api);
            assertThat(problems(api.server(), wanted))
                    .as("after all were started once more, " + where)
                    .isEmpty();
        }
        assertThat(deaths).as(where).containsOnlyKeys(VICTIMS).doesNotContainValue(0);
        StorageKillHistory history = StorageKillHistory.of(data);
        assertThat(history.problems()).as(where).isEmpty();
        assertThat(history.binds()).isGreaterThan(CLAIMS * 8 / 10);
    }

    /** Kills somebody after some of the events, so that it happens in the middle of work and not while all wait. */
    private static Disposable killing(Server server, Random chance, Map<String, Integer> deaths) {
        long now = server.spine().ledger().world().revision();
        return server.spine()
                .hub()
                .events(now, Scope.all(), Schedulers.io())
                .filter(event -> chance.nextInt(EVENTS_PER_KILL) == 0)
                .map(event -> VICTIMS.get(chance.nextInt(VICTIMS.size())))
                .filter(victim -> deaths.merge(victim, 1, Integer::sum) <= DEATHS_OF_EACH)
                .subscribe(victim -> server.supervisor().kill(victim, "chaos").await());
    }

    private static void sendAll(ApiUnderTest api, List<Request> requests) throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                done.add(writers.submit(() -> requests.stream()
                        .filter(each -> each.lane() % WRITERS == writer)
                        .forEach(each -> send(api, each))));
            }
            for (Future<?> each : done) {
                each.get();
            }
        } finally {
            writers.shutdownNow();
        }
    }

    private static void send(ApiUnderTest api, Request request) {
        Reply reply = api.send(request.method(), request.path(), request.body(), "Content-Type", "application/json");
        assertThat(reply.code()).as(request + ": " + reply.text()).isIn(200, 201, 202);
    }

    /** What is not as it must be; looks after each event until nothing is, or the time has passed. */
    private static List<String> problemsAtRest(Server server, StorageKillState.Wanted wanted) {
        server.spine()
                .hub()
                .events(server.spine().ledger().world().revision() - 1, Scope.all(), Schedulers.io())
                .map(WorldEvent::revision)
                .onBackpressureLatest()
                .observeOn(Schedulers.io(), false, 1)
                .takeWhile(revision -> !problems(server, wanted).isEmpty())
                .take(LONGEST_SECONDS, TimeUnit.SECONDS)
                .ignoreElements()
                .blockingAwait();
        return problems(server, wanted);
    }

    private static List<String> problems(Server server, StorageKillState.Wanted wanted) {
        World world = server.spine().ledger().world();
        return new StorageKillState(
                        list(world, StorageNames.CLAIMS),
                        list(world, StorageNames.VOLUMES),
                        list(world, StorageNames.OPERATIONS),
                        list(world, "pods"))
                .problems(wanted);
    }

    private static List<JsonNode> list(World world, String resource) {
        return world.stream(Scope.resource(resource))
                .<JsonNode>map(StoredJson::tree)
                .toList();
    }

    /** Who starts looks through everything again, and must find nothing to do. */
    private static void killAll(ApiUnderTest api) {
        VICTIMS.forEach(
                victim -> api.server().supervisor().kill(victim, "once more").await());
        boolean up = Flowable.interval(50, TimeUnit.MILLISECONDS)
                .onBackpressureDrop()
                .takeWhile(tick -> api.get("/healthz").code() != 200)
                .ignoreElements()
                .blockingAwait(LONGEST_SECONDS, TimeUnit.SECONDS);
        assertThat(up).as(api.get("/healthz?verbose").text()).isTrue();
    }
}
