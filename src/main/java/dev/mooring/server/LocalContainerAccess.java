package dev.mooring.server;

import dev.mooring.api.container.ContainerAccess;
import dev.mooring.api.container.ContainerAccess.ContainerAccessException.AccessFailureReason;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.ContainerStreams.ExecRequest;
import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.ContainerStreams.StreamSelection;
import dev.mooring.runtime.EngineException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Access to the containers of this machine. Engine calls block, so they run on this object's own threads, at most two
 * per session, and the number of sessions is limited. Only containers that the finder returns are accessed.
 * Thread-safe.
 */
public final class LocalContainerAccess implements ContainerAccess, AutoCloseable {
    /** Maximum number of concurrent sessions. */
    public static final int DEFAULT_SESSIONS = 128;

    private static final int IDLE_SECONDS = 20;

    private final String node;
    private final ContainerStreams streams;
    private final ContainerFinder finder;
    private final int maxSessions;
    private final Semaphore free;
    private final ThreadPoolExecutor threads;

    /** Finds the containers of Pods. Does not block. */
    @FunctionalInterface
    public interface ContainerFinder {
        Optional<ContainerFacts> find(String podUid, String container, ContainerInstance attempt);
    }

    /** Which instance of a container. */
    public enum ContainerInstance {
        CURRENT,
        PREVIOUS
    }

    /**
     * Creates the access.
     *
     * @param node the node of this machine; requests for others are refused
     */
    public LocalContainerAccess(String node, ContainerStreams streams, ContainerFinder finder, int sessions) {
        this.node = node;
        this.streams = streams;
        this.finder = finder;
        this.maxSessions = sessions;
        this.free = new Semaphore(sessions);
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                0, 2 * sessions, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "mooring-container-access-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    @Override
    public Optional<ContainerAccess.ContainerAccessException> refusal(ContainerAccess.ContainerRef container) {
        try {
            find(container);
            return free.availablePermits() > 0 ? Optional.empty() : Optional.of(busy());
        } catch (ContainerAccess.ContainerAccessException e) {
            return Optional.of(e);
        }
    }

    @Override
    public CompletionStage<ContainerAccessSession> logs(
            ContainerAccess.ContainerRef container, ContainerAccess.LogQuery query, OutputSink sink) {
        OptionalInt tail = query.tail().isPresent()
                ? OptionalInt.of((int) Math.min(query.tail().getAsLong(), Integer.MAX_VALUE))
                : OptionalInt.empty();
        LogRequest request = new LogRequest(query.since(), tail, query.follow(), query.timestamps());
        return open(container, id -> streams.logs(id, request, sink(sink)), LocalContainerAccess::failure);
    }

    @Override
    public CompletionStage<ContainerAccessSession> exec(
            ContainerAccess.ContainerRef container, List<String> command, Streams wanted, OutputSink sink) {
        ExecRequest request = new ExecRequest(command, wanted(wanted));
        return open(container, id -> streams.exec(id, request, sink(sink)), LocalContainerAccess::execFailure);
    }

    @Override
    public CompletionStage<ContainerAccessSession> attach(
            ContainerAccess.ContainerRef container, Streams wanted, OutputSink sink) {
        return open(container, id -> streams.attach(id, wanted(wanted), sink(sink)), LocalContainerAccess::failure);
    }

    /** Refuses new sessions. Running sessions end when the engine's streams are closed. */
    @Override
    public void close() {
        threads.shutdownNow();
    }

    private interface SessionOpener {
        ContainerStreams.Session open(String id) throws EngineException, InterruptedException;
    }

    private CompletionStage<ContainerAccessSession> open(
            ContainerAccess.ContainerRef container,
            SessionOpener opening,
            Function<Throwable, ContainerAccess.ContainerAccessException> failures) {
        String id;
        try {
            id = find(container);
        } catch (ContainerAccess.ContainerAccessException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (!free.tryAcquire()) {
            return CompletableFuture.failedFuture(busy());
        }
        CompletableFuture<ContainerAccessSession> opened = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                try {
                    opened.complete(new LocalContainerSession(opening.open(id), threads, failures, free::release));
                } catch (EngineException | RuntimeException | InterruptedException e) {
                    free.release();
                    opened.completeExceptionally(failures.apply(e));
                }
            });
        } catch (RejectedExecutionException e) {
            free.release();
            return CompletableFuture.failedFuture(busy());
        }
        return opened;
    }

    /** Returns the engine's id of a container; client input only selects among the Pod's own containers. */
    private String find(ContainerAccess.ContainerRef wanted) throws ContainerAccess.ContainerAccessException {
        if (!wanted.node().equals(node)) {
            throw new ContainerAccess.ContainerAccessException(
                    AccessFailureReason.UNREACHABLE,
                    "pod " + wanted.pod() + " is on node " + wanted.node() + ", which this server (node " + node
                            + ") cannot reach");
        }
        for (ContainerInstance attempt : ContainerInstance.values()) {
            Optional<ContainerFacts> found = finder.find(wanted.podUid(), wanted.container(), attempt);
            if (found.isPresent() && (wanted.id().isEmpty() || found.get().id().equals(wanted.bareId()))) {
                return found.get().id();
            }
        }
        throw new ContainerAccess.ContainerAccessException(
                AccessFailureReason.GONE, "container " + wanted.id() + " not found");
    }

    private ContainerAccess.ContainerAccessException busy() {
        return new ContainerAccess.ContainerAccessException(
                AccessFailureReason.BUSY,
                "The limit of " + maxSessions
                        + " concurrent logs, exec and attach sessions is reached; try again later");
    }

    private static StreamSelection wanted(Streams streams) {
        return new StreamSelection(streams.stdin(), streams.stdout(), streams.stderr(), streams.tty());
    }

    private static Sink sink(OutputSink sink) {
        return (channel, bytes) -> {
            OutputSource source = channel == Channel.STDOUT ? OutputSource.STDOUT : OutputSource.STDERR;
            try {
                sink.output(source, bytes).toCompletableFuture().get();
            } catch (ExecutionException e) {
                throw new IOException(e.getCause().getMessage(), e.getCause());
            }
        };
    }

    /** Translates an engine failure for the client. */
    private static ContainerAccess.ContainerAccessException failure(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof EngineException engine) {
            AccessFailureReason kind = switch (engine.kind()) {
                case UNREACHABLE, TOO_SLOW -> AccessFailureReason.UNREACHABLE;
                case NOT_FOUND -> AccessFailureReason.GONE;
                case CONFLICT, REFUSED -> AccessFailureReason.REFUSED;
                case FAILED -> AccessFailureReason.FAILED;
            };
            return new ContainerAccess.ContainerAccessException(kind, engine.getMessage(), engine);
        }
        return new ContainerAccess.ContainerAccessException(
                AccessFailureReason.FAILED, "the container could not be reached: " + cause, cause);
    }

    /** Translates a failed command start to the kubelet's message. */
    private static ContainerAccess.ContainerAccessException execFailure(Throwable failure) {
        ContainerAccess.ContainerAccessException reported = failure(failure);
        return reported.reason() == AccessFailureReason.REFUSED
                ? new ContainerAccess.ContainerAccessException(
                        AccessFailureReason.FAILED,
                        "error executing command in container: " + reported.getMessage(),
                        reported.getCause())
                : reported;
    }
}
