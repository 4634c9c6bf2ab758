package dev.mooring.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.lifecycle.ExpiryController;
import dev.mooring.control.lifecycle.GarbageCollector;
import dev.mooring.control.lifecycle.NamespaceController;
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

/** Runs controllers as verticles with a real ledger, as in a server, and undeploys them while they work. */
class ConvergenceTest {
    private static final String TEAM =
            "---\n{kind: Namespace, metadata: {name: team}, spec: {finalizers: [kubernetes]}}\n";

    private final Vertx vertx = Vertx.vertx();
    private final List<Throwable> failures = new ArrayList<>();
    private StateStoreFixture store;

    @BeforeEach
    void open() throws IOException {
        store = new StateStoreFixture();
    }

    @AfterEach
    void close() throws IOException {
        await(vertx.close());
        store.close();
        assertThat(failures).isEmpty();
    }

    private static <T> T await(Future<T> future) {
        return StateStoreFixture.get(future.toCompletionStage().toCompletableFuture());
    }

    private String deploy(Supplier<? extends Controller> controller) {
        return await(vertx.deployVerticle(
                new ControllerVerticle(controller, store.context(Schedulers.io(), Clock.systemUTC()), failures::add)));
    }

    /** Waits until the World matches a predicate, and returns it. */
    private World await(Predicate<World> reached) {
        CompletableFuture<World> found = new CompletableFuture<>();
        Disposable watch = store.context(Schedulers.io(), Clock.systemUTC())
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> {
                    World world = store.world();
                    return reached.test(world) && found.complete(world);
                })
                .subscribe(event -> {}, found::completeExceptionally);
        try {
            return StateStoreFixture.get(found);
        } finally {
            watch.dispose();
        }
    }

    private static int countIn(World world, String namespace) {
        int count = 0;
        for (StoredObject object : world.list(Scope.all())) {
            if (object.key().namespace().filter(namespace::equals).isPresent()) {
                count++;
            }
        }
        return count;
    }

    private static boolean namespaceIsGone(World world) {
        return world.count(Scope.resource("namespaces")) == 0;
    }

    private void deleteTeam() {
        ObjectNode namespace = WorldFixture.tree(store.world(), "namespaces/team");
        namespace
                .withObject("/metadata")
                .put("deletionTimestamp", "2026-01-01T00:00:00Z")
                .put("deletionGracePeriodSeconds", 0);
        namespace.withObject("/status").put("phase", "Terminating");
        store.put(namespace);
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
    void namespaceController_oneObjectHasAFinalizer_deletesTheOthersAndWaitsForIt() {
        store.put(TEAM
                + objects(1_500, "")
                + objects(1, ", finalizers: [example.com/mine]").replace("o0", "held"));
        deploy(NamespaceController::new);
        deleteTeam();
        // The first conditions may be older than the removal of the last of the others.
        await(world -> countIn(world, "team") == 1
                && WorldFixture.tree(world, "namespaces/team")
                        .path("status")
                        .path("conditions")
                        .toString()
                        .contains("example.com/mine in 1 resource instances"));
        store.remove("configmaps/team/held");
        await(ConvergenceTest::namespaceIsGone);
        assertThat(countIn(store.world(), "team")).isZero();
    }

    @Test
    void namespaceController_redeployedWhileDeleting_continues() {
        store.put(TEAM + objects(1_500, ""));
        String verticle = deploy(NamespaceController::new);
        deleteTeam();
        for (int left = 1_400; left > 0; left -= 200) {
            int enough = left;
            await(world -> countIn(world, "team") <= enough);
            await(vertx.undeploy(verticle));
            verticle = deploy(NamespaceController::new);
        }
        await(ConvergenceTest::namespaceIsGone);
        assertThat(countIn(store.world(), "team")).isZero();
    }

    @Test
    void namespaceController_namespaceRecreated_deletesItsObjectsAgain() {
        deploy(NamespaceController::new);
        for (int round = 0; round < 3; round++) {
            store.put(TEAM.replace("{name: team}", "{name: team, uid: round" + round + "}") + objects(200, ""));
            assertThat(countIn(store.world(), "team")).isEqualTo(200);
            deleteTeam();
            await(ConvergenceTest::namespaceIsGone);
            assertThat(countIn(store.world(), "team")).isZero();
        }
    }

    @Test
    void controllers_namespaceAndOwnerDeleted_removeAllObjects() {
        deploy(NamespaceController::new);
        deploy(GarbageCollector::new);
        deploy(() -> new ExpiryController(ExpiryController.DEFAULT_EVENT_AGE));
        store.put("{kind: PersistentVolume, metadata: {name: pv}}\n" + TEAM
                + objects(300, ", ownerReferences: [{apiVersion: v1, kind: PersistentVolume, name: pv, uid: uid-pv}]")
                + "---\n"
                + "{kind: Event, metadata: {name: old, namespace: team}, lastTimestamp:"
                + " '2020-01-01T00:00:00Z'}\n");
        deleteTeam();
        store.remove("persistentvolumes/pv");
        await(world -> world.size() == 0);
    }
}
