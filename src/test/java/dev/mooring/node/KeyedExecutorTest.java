package dev.mooring.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.WorkerPoolKey;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class KeyedExecutorTest {
    private static final WorkerPoolKey SERVER = WorkerPoolKey.server("nas");

    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final TestScheduler timers = new TestScheduler();
    private final List<String> log = new ArrayList<>();
    private final KeyedExecutor executor = new KeyedExecutor(2, 1, Duration.ofMinutes(1), threads::add, timers);

    /** A task whose result is settled by the test. */
    private final class ManualTask extends KeyedExecutor.Task<String> {
        private final String name;
        private KeyedExecutor.Work work = () -> {};
        private boolean wanted = true;
        private Optional<ManualTask> follower = Optional.empty();

        private ManualTask(String name, WorkerPoolKey pool, Object exclusiveKey) {
            super(name, pool, exclusiveKey);
            this.name = name;
        }

        @Override
        protected boolean begin() {
            return wanted;
        }

        @Override
        protected String run() throws InterruptedException {
            log.add("run " + name);
            work.run();
            return "done";
        }

        @Override
        protected String failed(Throwable cause) {
            return cause.getClass().getSimpleName();
        }

        @Override
        protected String expired() {
            return "expired";
        }

        @Override
        protected void report(String result) {
            log.add(name + ' ' + result);
        }

        @Override
        protected Optional<ManualTask> next() {
            return follower;
        }
    }

    private ManualTask local(String name) {
        return new ManualTask(name, WorkerPoolKey.LOCAL, name);
    }

    private void runNext() {
        threads.remove().run();
    }

    private void runAll() {
        while (!threads.isEmpty()) {
            runNext();
        }
    }

    @Test
    void pool_moreTasksThanItsLimit_runsThemInOrder() {
        List.of("a", "b", "c").forEach(each -> executor.submit(local(each)));
        executor.submit(new ManualTask("s", SERVER, "s"));
        executor.submit(new ManualTask("t", SERVER, "t"));
        assertThat(threads).as("two local tasks and one of the server").hasSize(3);
        runNext();
        assertThat(threads).hasSize(3);
        runAll();
        assertThat(log.stream().filter(each -> each.startsWith("run")))
                .containsExactly("run a", "run b", "run s", "run c", "run t");
    }

    @Test
    void exclusiveKey_ofRunningTask_delaysOnlyTasksThatShareIt() {
        executor.submit(new ManualTask("a", WorkerPoolKey.LOCAL, "volume"));
        executor.submit(new ManualTask("b", WorkerPoolKey.LOCAL, "volume"));
        executor.submit(local("c"));
        assertThat(threads).hasSize(2);
        runAll();
        assertThat(log).containsExactly("run a", "a done", "run c", "c done", "run b", "b done");
    }

    @Test
    void key_isPendingUntilItsTaskIsSettled() {
        ManualTask first = local("a");
        executor.submit(first);
        executor.submit(local("a"));
        runAll();
        executor.submit(local("a"));
        assertThat(threads).isEmpty();
        assertThat(executor.size()).isEqualTo(1);

        executor.settle(first);
        assertThat(executor.size()).isZero();
        executor.submit(local("a"));
        assertThat(threads).hasSize(1);
    }

    @Test
    void settledTask_withNextTask_runsIt() {
        ManualTask first = local("a");
        first.follower = Optional.of(local("a"));
        executor.submit(first);
        runAll();
        executor.settle(first);
        runAll();
        assertThat(log).containsExactly("run a", "a done", "run a", "a done");
    }

    @Test
    void queuedTask_noLongerWanted_isNotRunAndReleasesItsKey() {
        ManualTask task = local("a");
        executor.submit(task);
        task.wanted = false;
        runAll();
        assertThat(log).isEmpty();
        assertThat(executor.size()).isZero();
    }

    @Test
    void failingTask_isReportedAndAffectsNoOther() {
        ManualTask task = local("a");
        task.work = () -> {
            throw new IllegalStateException("meant to fail");
        };
        executor.submit(task);
        executor.submit(WorkerPoolKey.LOCAL, "b", () -> {
            throw new AssertionError("meant to fail");
        });
        executor.submit(WorkerPoolKey.LOCAL, "c", () -> log.add("c"));
        runAll();
        assertThat(log).containsExactly("run a", "a IllegalStateException", "c");
        assertThat(executor.size()).as("a waits for its result to be recorded").isEqualTo(1);
    }

    @Test
    void lateTask_isInterruptedReportedOnceAndKeepsItsPlaceUntilItReturns() {
        ManualTask late = new ManualTask("a", SERVER, "volume");
        late.work = () -> {
            timers.advanceTimeBy(1, TimeUnit.MINUTES);
            assertThat(Thread.interrupted()).isTrue();
            executor.settle(late);
            executor.submit(new ManualTask("a", SERVER, "volume"));
            assertThat(threads).as("the server's only place is taken").isEmpty();
        };
        executor.submit(late);
        runNext();
        assertThat(log).containsExactly("run a", "a expired");
        runAll();
        assertThat(log).containsExactly("run a", "a expired", "run a", "a done");
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void close_dropsQueuedTasksAndInterruptsRunningOnes() {
        ManualTask running = new ManualTask("a", SERVER, "a");
        running.work = () -> {
            executor.close();
            assertThat(Thread.interrupted()).isTrue();
        };
        executor.submit(running);
        executor.submit(new ManualTask("b", SERVER, "b"));
        runAll();
        executor.submit(local("c"));
        assertThat(threads).isEmpty();
        assertThat(log).as("results after the shutdown are dropped").containsExactly("run a");
    }

    @Test
    void task_withoutThread_isReportedAsFailed() {
        KeyedExecutor shutDown = new KeyedExecutor(1, task -> {
            throw new RejectedExecutionException("closed");
        });
        shutDown.submit(local("a"));
        shutDown.submit(WorkerPoolKey.LOCAL, "b", () -> log.add("b"));
        assertThat(log).containsExactly("a RejectedExecutionException");
    }
}
