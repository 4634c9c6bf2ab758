package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.StateStoreFixture;
import dev.mooring.model.Scope;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.work.VolumeWorkResult;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the executor as in a server: with a verticle that is restarted, a real ledger and hanging threads. */
class WorkExecutorIntegrationTest {
    private final Vertx vertx = Vertx.vertx();
    private final ExecutorService threads = WorkContext.newThreads();
    private final FakeWorker local = new FakeWorker("mooring.dev/hostpath");
    private final FakeWorker nfs = new FakeWorker("mooring.dev/nfs");
    private final CountDownLatch serverResponds = new CountDownLatch(1);
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private StateStoreFixture store;
    private WorkExecutor executor;

    @BeforeEach
    void open() throws IOException {
        store = new StateStoreFixture();
    }

    @AfterEach
    void close() throws IOException {
        executor.close();
        serverResponds.countDown();
        threads.shutdownNow();
        await(vertx.close());
        store.close();
        assertThat(errors).isEmpty();
    }

    private static <T> T await(Future<T> future) {
        return StateStoreFixture.get(future.toCompletionStage().toCompletableFuture());
    }

    private String deploy(Duration deadline) {
        if (executor == null) {
            WorldPort port = WorldPort.of(
                    store.context(Schedulers.io(), Clock.systemUTC()).ledger());
            executor = new WorkExecutor(
                    "n1",
                    new VolumeWorkers(List.of(local, nfs))::perform,
                    new WorkLimits(4, 2, deadline),
                    new WorkContext(port, Clock.systemUTC(), Schedulers.io(), threads));
        }
        return await(vertx.deployVerticle(new ControllerVerticle(
                () -> new VolumeOperationController("n1"),
                executor,
                store.context(Schedulers.io(), Clock.systemUTC()),
                errors::add)));
    }

    private void await(Predicate<World> reached) {
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
            StateStoreFixture.get(found);
        } finally {
            watch.dispose();
        }
    }

    private static boolean hasState(World world, String name, String state) {
        return world.get(VolumeOperation.key(name))
                .filter(stored -> VolumeOperation.of(stored).state().equals(state))
                .isPresent();
    }

    private static boolean allHaveState(World world, String prefix, int count, String state) {
        for (int i = 0; i < count; i++) {
            if (!hasState(world, prefix + i, state)) {
                return false;
            }
        }
        return true;
    }

    @Test
    void hangingServer_delaysItsOwnOperationsOnly() throws InterruptedException {
        CountDownLatch hanging = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            nfs.next(work -> {
                hanging.countDown();
                serverResponds.await();
                return nfs.succeed(work);
            });
        }
        store.put(WorkFixture.onServer("dead0", "a")
                + WorkFixture.onServer("dead1", "a")
                + WorkFixture.onServer("dead2", "a"));
        deploy(Duration.ofMinutes(2));
        assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
        StringBuilder others = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            others.append(WorkFixture.onServer("alive" + i, "b")).append(WorkFixture.provision("local" + i));
        }
        store.put(others.toString());
        await(world -> allHaveState(world, "alive", 50, "Succeeded") && allHaveState(world, "local", 50, "Succeeded"));
        assertThat(hasState(store.world(), "dead2", "Running")).isTrue();
        serverResponds.countDown();
        await(world -> allHaveState(world, "dead", 3, "Succeeded"));
        assertThat(nfs.concurrentlyUsed).isEmpty();
    }

    @Test
    void verticleRestarts_everyOperationIsPerformedOnce() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            yaml.append(WorkFixture.provision("o" + i));
        }
        store.put(yaml.toString());
        for (int round = 1; round <= 8; round++) {
            String verticle = deploy(Duration.ofMinutes(2));
            int minimum = 20 * round;
            await(world -> local.disk.size() >= minimum);
            await(vertx.undeploy(verticle));
        }
        deploy(Duration.ofMinutes(2));
        await(world -> allHaveState(world, "o", 200, "Succeeded"));
        assertThat(local.calls).hasSize(200);
        assertThat(local.concurrentlyUsed).isEmpty();
    }

    @Test
    void operation_exceedsDeadline_isInterruptedAndRetried() {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        local.next(work -> waitUntilInterrupted(interrupted));
        store.put(WorkFixture.provision("a"));
        // Long enough for the second attempt, which does nothing, on a busy machine.
        deploy(Duration.ofSeconds(3));
        await(world -> hasState(world, "a", "Succeeded"));
        assertThat(StateStoreFixture.get(interrupted)).isTrue();
        assertThat(local.calls).hasSize(2);
        assertThat(local.concurrentlyUsed).isEmpty();
    }

    private VolumeWorkResult waitUntilInterrupted(CompletableFuture<Boolean> interrupted) throws InterruptedException {
        try {
            serverResponds.await();
            interrupted.complete(false);
            throw new AssertionError("Expected to be interrupted, but was not");
        } catch (InterruptedException e) {
            interrupted.complete(true);
            throw e;
        }
    }
}
