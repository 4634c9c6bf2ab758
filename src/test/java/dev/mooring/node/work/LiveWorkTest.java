package dev.mooring.node.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.LiveSpine;
import dev.mooring.model.Scope;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkDone;
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

/** The node's part as in a server: a verticle, a real ledger, threads that hang, and somebody who kills them. */
class LiveWorkTest {
    private final Vertx vertx = Vertx.vertx();
    private final ExecutorService threads = WorkParts.newThreads();
    private final FakeWorker local = new FakeWorker("mooring.dev/hostpath");
    private final FakeWorker nfs = new FakeWorker("mooring.dev/nfs");
    private final CountDownLatch serverIsBack = new CountDownLatch(1);
    private final List<Throwable> deaths = new CopyOnWriteArrayList<>();
    private LiveSpine spine;
    private WorkExecutor executor;

    @BeforeEach
    void open() throws IOException {
        spine = new LiveSpine();
    }

    @AfterEach
    void close() throws IOException {
        executor.close();
        serverIsBack.countDown();
        threads.shutdownNow();
        await(vertx.close());
        spine.close();
        assertThat(deaths).isEmpty();
    }

    private static <T> T await(Future<T> future) {
        return LiveSpine.get(future.toCompletionStage().toCompletableFuture());
    }

    private String deploy(Duration deadline) {
        if (executor == null) {
            WorldPort port =
                    WorldPort.of(spine.parts(Schedulers.io(), Clock.systemUTC()).ledger());
            executor = new WorkExecutor(
                    "n1",
                    new VolumeWorkers(List.of(local, nfs))::perform,
                    new WorkLimits(4, 2, deadline),
                    new WorkParts(port, Clock.systemUTC(), Schedulers.io(), threads));
        }
        return await(vertx.deployVerticle(new ControllerVerticle(
                () -> new VolumeOperator("n1", executor),
                spine.parts(Schedulers.io(), Clock.systemUTC()),
                deaths::add)));
    }

    private void await(Predicate<World> reached) {
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
            LiveSpine.get(found);
        } finally {
            watch.dispose();
        }
    }

    private static boolean is(World world, String name, String state) {
        return world.get(VolumeOperation.key(name))
                .filter(stored -> VolumeOperation.of(stored).state().equals(state))
                .isPresent();
    }

    private static boolean areAll(World world, String prefix, int count, String state) {
        for (int i = 0; i < count; i++) {
            if (!is(world, prefix + i, state)) {
                return false;
            }
        }
        return true;
    }

    @Test
    void aHungServerDelaysNobodyElseAndGoesOnWhenItIsBack() throws InterruptedException {
        CountDownLatch hung = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            nfs.next(work -> {
                hung.countDown();
                serverIsBack.await();
                return nfs.succeed(work);
            });
        }
        spine.put(
                WorkBench.onServer("dead0", "a") + WorkBench.onServer("dead1", "a") + WorkBench.onServer("dead2", "a"));
        deploy(Duration.ofMinutes(2));
        assertThat(hung.await(30, TimeUnit.SECONDS)).isTrue();
        StringBuilder others = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            others.append(WorkBench.onServer("alive" + i, "b")).append(WorkBench.provision("local" + i));
        }
        spine.put(others.toString());
        await(world -> areAll(world, "alive", 50, "Succeeded") && areAll(world, "local", 50, "Succeeded"));
        assertThat(is(spine.world(), "dead2", "Running")).isTrue();
        serverIsBack.countDown();
        await(world -> areAll(world, "dead", 3, "Succeeded"));
        assertThat(nfs.clashes).isEmpty();
    }

    @Test
    void killingTheVerticleOverAndOverLosesNothingAndDoesNothingTwice() {
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            yaml.append(WorkBench.provision("o" + i));
        }
        spine.put(yaml.toString());
        for (int round = 1; round <= 8; round++) {
            String verticle = deploy(Duration.ofMinutes(2));
            int enough = 20 * round;
            await(world -> local.disk.size() >= enough);
            await(vertx.undeploy(verticle));
        }
        deploy(Duration.ofMinutes(2));
        await(world -> areAll(world, "o", 200, "Succeeded"));
        assertThat(local.asked).hasSize(200);
        assertThat(local.clashes).isEmpty();
    }

    @Test
    void aThreadThatIsLateIsInterruptedAndTheWorkDoneAgain() {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        local.next(work -> waitForEver(interrupted));
        spine.put(WorkBench.provision("a"));
        deploy(Duration.ofMillis(50));
        await(world -> is(world, "a", "Succeeded"));
        assertThat(LiveSpine.get(interrupted)).isTrue();
        assertThat(local.asked).hasSize(2);
        assertThat(local.clashes).isEmpty();
    }

    private WorkDone waitForEver(CompletableFuture<Boolean> interrupted) throws InterruptedException {
        try {
            serverIsBack.await();
            interrupted.complete(false);
            throw new AssertionError("Expected to be interrupted, but was not");
        } catch (InterruptedException e) {
            interrupted.complete(true);
            throw e;
        }
    }
}
