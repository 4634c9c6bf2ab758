package dev.mooring.server;

import dev.mooring.api.container.ContainerAccess;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.EngineException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/** A session that runs its blocking calls in order on another thread. Thread-safe. */
final class LocalContainerSession implements ContainerAccess.ContainerAccessSession {
    private final ContainerStreams.Session session;
    private final Executor threads;
    private final CompletionStage<Integer> ended;
    private final Function<Throwable, ContainerAccess.ContainerAccessException> failures;
    private final Runnable release;

    // guarded by this
    private CompletionStage<Void> last = CompletableFuture.completedStage(null);
    private boolean released;
    private boolean closed;

    private interface SessionCall {
        void run() throws EngineException, InterruptedException;
    }

    LocalContainerSession(
            ContainerStreams.Session session,
            Executor threads,
            Function<Throwable, ContainerAccess.ContainerAccessException> failures,
            Runnable release) {
        this.session = session;
        this.threads = threads;
        this.failures = failures;
        this.release = release;
        CompletableFuture<Integer> result = new CompletableFuture<>();
        this.ended = result;
        session.exitCode().whenComplete((code, failure) -> {
            releaseOnce();
            if (failure == null) {
                result.complete(code);
            } else {
                result.completeExceptionally(failures.apply(failure));
            }
        });
    }

    @Override
    public CompletionStage<Void> input(byte[] bytes) {
        return call(() -> session.writeInput(bytes));
    }

    @Override
    public CompletionStage<Void> closeInput() {
        return call(session::closeInput);
    }

    @Override
    public CompletionStage<Void> resize(int columns, int rows) {
        return call(() -> session.resize(columns, rows));
    }

    private synchronized CompletionStage<Void> call(SessionCall call) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletionStage<Void> before = last;
        last = done.exceptionally(failure -> null);
        before.thenRun(() -> {
            try {
                threads.execute(() -> {
                    try {
                        call.run();
                        done.complete(null);
                    } catch (EngineException | RuntimeException | InterruptedException e) {
                        done.completeExceptionally(failures.apply(e));
                    }
                });
            } catch (RejectedExecutionException e) {
                done.completeExceptionally(failures.apply(e));
            }
        });
        return done;
    }

    @Override
    public CompletionStage<Integer> exitCode() {
        return ended;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        try {
            threads.execute(this::closeNow);
        } catch (RejectedExecutionException e) {
            closeNow();
        }
    }

    private void closeNow() {
        try {
            session.close();
        } finally {
            releaseOnce();
        }
    }

    private void releaseOnce() {
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
        }
        release.run();
    }
}
