package dev.mooring.node.probe;

import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.EngineException;
import io.reactivex.rxjava3.core.Scheduler;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs commands in containers. Starting a command blocks a thread for as long as the engine needs, and listening to one
 * may need an engine client thread, so both are limited. The timeout of a command starts when the command runs: a slow
 * or absent engine is not a failure of the container.
 *
 * <p>An engine cannot kill a single exec process, so a process that timed out keeps running. Each container may have a
 * few such processes; beyond that, new commands are reported as timed out until one of them ends. Thread-safe.
 */
final class ExecRunner {
    static final int MAX_OUTPUT = 10 * 1024;
    static final int MAX_LINGERING = 3;
    /** Limit of timed-out processes whose end is observed; the streams of further ones are closed. */
    private static final int MAX_LISTENED = 64;

    private static final int STARTS = 16;
    private static final int RUNNING = 128;
    private static final ContainerStreams.StreamSelection OUTPUT =
            new ContainerStreams.StreamSelection(false, true, true, false);

    private final ContainerRuntime runtime;
    private final Scheduler timers;
    private final Executor threads;
    private final ConcurrencyLimiter running;
    private final ConcurrencyLimiter starts;
    private final AtomicInteger listening = new AtomicInteger();
    private final Map<String, Integer> lingering = new ConcurrentHashMap<>();

    /** Creates a runner with a concurrency limit that starts each command on one of the given threads. */
    ExecRunner(ContainerRuntime runtime, Scheduler timers, Executor threads) {
        this(runtime, timers, threads, new ConcurrencyLimiter(RUNNING), new ConcurrencyLimiter(STARTS));
    }

    private ExecRunner(
            ContainerRuntime runtime,
            Scheduler timers,
            Executor threads,
            ConcurrencyLimiter running,
            ConcurrencyLimiter starts) {
        this.runtime = runtime;
        this.timers = timers;
        this.threads = threads;
        this.running = running;
        this.starts = starts;
    }

    /** Creates a runner that starts each command on the calling thread, without a concurrency limit. */
    static ExecRunner onCallerThreads(ContainerRuntime runtime, Scheduler timers) {
        ConcurrencyLimiter unlimited = new ConcurrencyLimiter(Integer.MAX_VALUE);
        return new ExecRunner(runtime, timers, Runnable::run, unlimited, unlimited);
    }

    /** The result of a command. */
    sealed interface ExecResult {
        /**
         * The process ended.
         *
         * @param output the beginning of standard output and standard error
         * @param errors the beginning of standard error
         */
        record Exited(int code, String output, String errors) implements ExecResult {}

        record TimedOut() implements ExecResult {}

        /** The command was not started, or its exit code is unknown. */
        record Unknown(EngineException cause) implements ExecResult {}
    }

    /** Runs a command. The returned stage never completes exceptionally. */
    CompletionStage<ExecResult> run(String containerId, List<String> command, Duration limit) {
        CompletableFuture<ExecResult> result = new CompletableFuture<>();
        running.run(() -> {
            starts.run(() -> CompletableFuture.runAsync(
                    () -> begin(containerId, command, limit).thenAccept(result::complete), threads));
            return result;
        });
        return result;
    }

    private CompletionStage<ExecResult> begin(String containerId, List<String> command, Duration limit) {
        if (lingering.getOrDefault(containerId, 0) >= MAX_LINGERING) {
            return done(new ExecResult.TimedOut());
        }
        BoundedOutput written = new BoundedOutput();
        try {
            Session session = runtime.exec(containerId, new ContainerStreams.ExecRequest(command, OUTPUT), written);
            return await(containerId, session, written, limit);
        } catch (EngineException e) {
            return done(new ExecResult.Unknown(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return done(new ExecResult.Unknown(new EngineException(
                    EngineException.Kind.UNREACHABLE, "interrupted while waiting for the engine", e)));
        } catch (RuntimeException e) {
            return done(new ExecResult.Unknown(unexpected(e)));
        }
    }

    private CompletionStage<ExecResult> await(
            String containerId, Session session, BoundedOutput written, Duration limit) {
        TimedAttempt<ExecResult> attempt = new TimedAttempt<>(timers, limit, () -> {
            trackLingering(containerId, session);
            return new ExecResult.TimedOut();
        });
        session.exitCode().whenComplete((code, broken) -> {
            attempt.complete(broken == null ? written.exited(code) : new ExecResult.Unknown(unexpected(broken)));
            session.close();
        });
        return attempt.result();
    }

    private void trackLingering(String containerId, Session session) {
        if (listening.incrementAndGet() > MAX_LISTENED) {
            listening.decrementAndGet();
            session.close();
            return;
        }
        lingering.merge(containerId, 1, Integer::sum);
        session.exitCode().whenComplete((code, broken) -> {
            listening.decrementAndGet();
            lingering.computeIfPresent(containerId, (id, count) -> count == 1 ? null : count - 1);
        });
    }

    private static EngineException unexpected(Throwable broken) {
        Throwable cause = ProbeMessages.cause(broken);
        return cause instanceof EngineException engine
                ? engine
                : new EngineException(EngineException.Kind.FAILED, String.valueOf(cause.getMessage()), cause);
    }

    private static CompletionStage<ExecResult> done(ExecResult ran) {
        return CompletableFuture.completedFuture(ran);
    }

    /** Keeps the beginning of a process's output and discards the rest. */
    private static final class BoundedOutput implements ContainerStreams.Sink {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();
        private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

        @Override
        public synchronized void output(ContainerStreams.Channel channel, byte[] bytes) {
            append(all, bytes);
            if (channel == ContainerStreams.Channel.STDERR) {
                append(errors, bytes);
            }
        }

        private static void append(ByteArrayOutputStream to, byte[] bytes) {
            to.write(bytes, 0, Math.min(bytes.length, MAX_OUTPUT - to.size()));
        }

        synchronized ExecResult exited(int code) {
            return new ExecResult.Exited(code, text(all), text(errors));
        }

        private static String text(ByteArrayOutputStream bytes) {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
