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
 * Runs commands in containers. Beginning one blocks a thread for as long as the engine needs, and listening to one may need a thread of the
 * engine's, so there are only so many of either at a time. The time of a command counts from when it runs: an engine that is slow or gone is no
 * fault of the container's.
 *
 * <p>An engine cannot end a single process: one whose time is up goes on. A few of these a container may have, then no more are begun before
 * one of them has ended; what was to be run then counts as having taken too long. Thread-safe.
 */
final class Commands {
    static final int MAX_OUTPUT = 10 * 1024;
    static final int MAX_LINGERING = 3;
    /** More than these nobody listens to: then it is not known when they end. */
    private static final int MAX_HEARD = 64;

    private static final int STARTS = 16;
    private static final int RUNNING = 128;
    private static final ContainerStreams.Wanted OUTPUT = new ContainerStreams.Wanted(false, true, true, false);

    private final ContainerRuntime runtime;
    private final Scheduler timers;
    private final Executor threads;
    private final Slots running;
    private final Slots starts;
    private final AtomicInteger heard = new AtomicInteger();
    private final Map<String, Integer> lingering = new ConcurrentHashMap<>();

    /** So many at a time, each begun on one of these threads. */
    Commands(ContainerRuntime runtime, Scheduler timers, Executor threads) {
        this(runtime, timers, threads, new Slots(RUNNING), new Slots(STARTS));
    }

    private Commands(ContainerRuntime runtime, Scheduler timers, Executor threads, Slots running, Slots starts) {
        this.runtime = runtime;
        this.timers = timers;
        this.threads = threads;
        this.running = running;
        this.starts = starts;
    }

    /** As many as there are threads that ask, each begun on the one that does. */
    static Commands byCallers(ContainerRuntime runtime, Scheduler timers) {
        Slots unlimited = new Slots(Integer.MAX_VALUE);
        return new Commands(runtime, timers, Runnable::run, unlimited, unlimited);
    }

    /** What came of a command. */
    sealed interface Ran {
        /**
         * @param output the beginning of all it wrote
         * @param errors the beginning of what it wrote to standard error
         */
        record Exited(int code, String output, String errors) implements Ran {}

        record TooLate() implements Ran {}

        /** It was not begun, or nobody knows how it ended. */
        record Unknown(EngineException why) implements Ran {}
    }

    /** Never fails. */
    CompletionStage<Ran> run(String containerId, List<String> command, Duration limit) {
        CompletableFuture<Ran> result = new CompletableFuture<>();
        running.run(() -> {
            starts.run(() -> CompletableFuture.runAsync(
                    () -> begin(containerId, command, limit).thenAccept(result::complete), threads));
            return result;
        });
        return result;
    }

    private CompletionStage<Ran> begin(String containerId, List<String> command, Duration limit) {
        if (lingering.getOrDefault(containerId, 0) >= MAX_LINGERING) {
            return done(new Ran.TooLate());
        }
        Written written = new Written();
        try {
            Session session = runtime.exec(containerId, new ContainerStreams.ExecRequest(command, OUTPUT), written);
            return await(containerId, session, written, limit);
        } catch (EngineException e) {
            return done(new Ran.Unknown(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return done(new Ran.Unknown(new EngineException(
                    EngineException.Kind.UNREACHABLE, "interrupted while waiting for the engine", e)));
        } catch (RuntimeException e) {
            return done(new Ran.Unknown(unexpected(e)));
        }
    }

    private CompletionStage<Ran> await(String containerId, Session session, Written written, Duration limit) {
        Attempt<Ran> attempt = new Attempt<>(timers, limit, () -> {
            linger(containerId, session);
            return new Ran.TooLate();
        });
        session.ended().whenComplete((code, broken) -> {
            attempt.end(broken == null ? written.exited(code) : new Ran.Unknown(unexpected(broken)));
            session.close();
        });
        return attempt.result();
    }

    private void linger(String containerId, Session session) {
        if (heard.incrementAndGet() > MAX_HEARD) {
            heard.decrementAndGet();
            session.close();
            return;
        }
        lingering.merge(containerId, 1, Integer::sum);
        session.ended().whenComplete((code, broken) -> {
            heard.decrementAndGet();
            lingering.computeIfPresent(containerId, (id, count) -> count == 1 ? null : count - 1);
        });
    }

    private static EngineException unexpected(Throwable broken) {
        Throwable cause = Words.cause(broken);
        return cause instanceof EngineException engine
                ? engine
                : new EngineException(EngineException.Kind.FAILED, String.valueOf(cause.getMessage()), cause);
    }

    private static CompletionStage<Ran> done(Ran ran) {
        return CompletableFuture.completedFuture(ran);
    }

    /** The beginning of what a process wrote; the rest is taken from it and dropped. */
    private static final class Written implements ContainerStreams.Sink {
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

        synchronized Ran exited(int code) {
            return new Ran.Exited(code, text(all), text(errors));
        }

        private static String text(ByteArrayOutputStream bytes) {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
