package dev.mooring.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.collect.GarbageCollector;
import dev.mooring.control.expire.Expiry;
import dev.mooring.control.namespace.NamespaceCleaner;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The controllers as in a server: verticles on event loops, a real ledger, and somebody who kills them. */
class ConvergenceTest {
    private static final String TEAM =
            "---\n{kind: Namespace, metadata: {name: team}, spec: {finalizers: [kubernetes]}}\n";

    private final Vertx vertx = Vertx.vertx();
    private final List<Throwable> deaths = new ArrayList<>();
    private LiveSpine spine;

    @BeforeEach
    void open() throws IOException {
        spine = new LiveSpine();
    }

    @AfterEach
    void close() throws IOException {
        await(vertx.close());
        spine.close();
        assertThat(deaths).isEmpty();
    }

    private static <T> T await(Future<T> future) {
        return LiveSpine.get(future.toCompletionStage().toCompletableFuture());
    }

    private String deploy(Supplier<? extends Controller> controller) {
        return await(vertx.deployVerticle(
                new ControllerVerticle(controller, spine.parts(Schedulers.io(), Clock.systemUTC()), deaths::add)));
    }

    /** Waits for a world in which something is so. */
    private World await(Predicate<World> reached) {
        CompletableFuture<World> found = new CompletableFuture<>();
        Disposable watch = spine.parts(Schedulers.io(), Clock.systemUTC())
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> {
                    World world = spine.world();
                    return reached.test(world) && found.complete(world);
                })
                .subscribe(event -> {}, found::completeExceptionally);
        try {
            return LiveSpine.get(found);
        } finally {
            watch.dispose();
        }
    }

    private static int in(World world, String namespace) {
        int count = 0;
        for (StoredObject object : world.list(Scope.all())) {
            if (object.key().namespace().filter(namespace::equals).isPresent()) {
                count++;
            }
        }
        return count;
    }

    private static boolean isGone(World world) {
        return world.count(Scope.resource("namespaces")) == 0;
    }

    private void endTeam() {
        ObjectNode namespace = Worlds.tree(spine.world(), "namespaces/team");
        namespace
                .withObject("/metadata")
                .put("deletionTimestamp", "2026-01-01T00:00:00Z")
                .put("deletionGracePeriodSeconds", 0);
        namespace.withObject("/status").put("phase", "Terminating");
        spine.put(namespace);
    }

    private static String objects(int count, String more) {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < count; i++) {
            yaml.append("---\n{kind: ")
                    .append(List.of("ConfigMap", "Secret", "Pod").get(i % 3));
            yaml.append(", metadata: {name: o" + i + ", namespace: team" + more + "}}\n");
        }
        return yaml.toString();
    }

    @Test
    void emptiesANamespaceOf1500ObjectsAndWaitsForTheLast() {
        spine.put(TEAM
                + objects(1_500, "")
                + objects(1, ", finalizers: [example.com/mine]").replace("o0", "held"));
        deploy(NamespaceCleaner::new);
        endTeam();
        World waiting = await(world -> in(world, "team") == 1
                && Worlds.tree(world, "namespaces/team").path("status").has("conditions"));
        assertThat(Worlds.tree(waiting, "namespaces/team")
                        .path("status")
                        .path("conditions")
                        .toString())
                .contains("example.com/mine in 1 resource instances");
        spine.remove("configmaps/team/held");
        await(ConvergenceTest::isGone);
        assertThat(in(spine.world(), "team")).isZero();
    }

    @Test
    void goesOnWhereAKilledOneWas() {
        spine.put(TEAM + objects(1_500, ""));
        String verticle = deploy(NamespaceCleaner::new);
        endTeam();
        for (int left = 1_400; left > 0; left -= 200) {
            int enough = left;
            await(world -> in(world, "team") <= enough);
            await(vertx.undeploy(verticle));
            verticle = deploy(NamespaceCleaner::new);
        }
        await(ConvergenceTest::isGone);
        assertThat(in(spine.world(), "team")).isZero();
    }

    @Test
    void aNamespaceOfTheSameNameIsAnotherOne() {
        deploy(NamespaceCleaner::new);
        for (int round = 0; round < 3; round++) {
            spine.put(TEAM.replace("{name: team}", "{name: team, uid: round" + round + "}") + objects(200, ""));
            assertThat(in(spine.world(), "team")).isEqualTo(200);
            endTeam();
            await(ConvergenceTest::isGone);
            assertThat(in(spine.world(), "team")).isZero();
        }
    }

    @Test
    void allControllersTogetherLeaveNothingBehind() {
        deploy(NamespaceCleaner::new);
        deploy(GarbageCollector::new);
        deploy(() -> new Expiry(Expiry.DEFAULT_EVENT_AGE));
        spine.put("{kind: PersistentVolume, metadata: {name: pv}}\n" + TEAM
                + objects(300, ", ownerReferences: [{apiVersion: v1, kind: PersistentVolume, name: pv, uid: uid-pv}]")
                + "---\n"
                + "{kind: Event, metadata: {name: old, namespace: team}, lastTimestamp:"
                + " '2020-01-01T00:00:00Z'}\n");
        endTeam();
        spine.remove("persistentvolumes/pv");
        await(world -> world.size() == 0);
    }
}
