package dev.mooring.cli;

import dev.mooring.api.container.ContainerAccess;
import dev.mooring.api.container.ContainerAccessException;
import dev.mooring.api.container.ContainerAccessException.Kind;
import dev.mooring.api.container.ContainerRef;
import dev.mooring.api.container.LogWish;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.ContainerStreams.ExecRequest;
import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.ContainerStreams.Wanted;
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
 * The way to the containers of this machine, in this process. An engine's calls block: they are made on threads of the door's own, at most two for
 * each session, and there are only so many sessions. Only containers that the finder names are ever touched. Any thread.
 */
public final class ContainerDoor implements ContainerAccess, AutoCloseable {
    /** At once; more than people and scripts of one machine follow, and few enough threads to be no burden. */
    public static final int DEFAULT_SESSIONS = 128;

    private static final int IDLE_SECONDS = 20;

    private final String node;
    private final ContainerStreams streams;
    private final Finder finder;
    private final int most;
    private final Semaphore free;
    private final ThreadPoolExecutor threads;

    /** Knows the containers of Pods. Does not block. */
    @FunctionalInterface
    public interface Finder {
        Optional<ContainerFacts> find(String podUid, String container, Attempt attempt);
    }

    /** Which one of the containers that a container of a Pod has been. */
    public enum Attempt {
        CURRENT,
        PREVIOUS
    }

    /** @param node the only one whose containers are here */
    public ContainerDoor(String node, ContainerStreams streams, Finder finder, int sessions) {
        this.node = node;
        this.streams = streams;
        this.finder = finder;
        this.most = sessions;
        this.free = new Semaphore(sessions);
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                0, 2 * sessions, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "mooring-door-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    @Override
    public Optional<ContainerAccessException> refusal(ContainerRef container) {
        try {
            find(container);
            return free.availablePermits() > 0 ? Optional.empty() : Optional.of(busy());
        } catch (ContainerAccessException e) {
            return Optional.of(e);
        }
    }

    @Override
    public CompletionStage<Session> logs(ContainerRef container, LogWish wish, Outlet outlet) {
        OptionalInt tail = wish.tail().isPresent()
                ? OptionalInt.of((int) Math.min(wish.tail().getAsLong(), Integer.MAX_VALUE))
                : OptionalInt.empty();
        LogRequest request = new LogRequest(wish.since(), tail, wish.follow(), wish.timestamps());
        return open(container, id -> streams.logs(id, request, sink(outlet)), ContainerDoor::failure);
    }

    @Override
    public CompletionStage<Session> exec(ContainerRef container, List<String> command, Streams wanted, Outlet outlet) {
        ExecRequest request = new ExecRequest(command, wanted(wanted));
        return open(container, id -> streams.exec(id, request, sink(outlet)), ContainerDoor::execFailure);
    }

    @Override
    public CompletionStage<Session> attach(ContainerRef container, Streams wanted, Outlet outlet) {
        return open(container, id -> streams.attach(id, wanted(wanted), sink(outlet)), ContainerDoor::failure);
    }

    /** Nothing begins from now on. What is under way ends when its engine's streams are closed. */
    @Override
    public void close() {
        threads.shutdownNow();
    }

    private interface Opening {
        ContainerStreams.Session open(String id) throws EngineException, InterruptedException;
    }

    private CompletionStage<Session> open(
            ContainerRef container, Opening opening, Function<Throwable, ContainerAccessException> failures) {
        String id;
        try {
            id = find(container);
        } catch (ContainerAccessException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (!free.tryAcquire()) {
            return CompletableFuture.failedFuture(busy());
        }
        CompletableFuture<Session> opened = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                try {
                    opened.complete(new DoorSession(opening.open(id), threads, failures, free::release));
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

    /** The engine's id of a container; what clients may have written does no more than choose among the Pod's own. */
    private String find(ContainerRef wanted) throws ContainerAccessException {
        if (!wanted.node().equals(node)) {
            throw new ContainerAccessException(
                    Kind.UNREACHABLE,
                    "pod " + wanted.pod() + " is on node " + wanted.node() + ", which this server (node " + node
                            + ") cannot reach");
        }
        for (Attempt attempt : Attempt.values()) {
            Optional<ContainerFacts> found = finder.find(wanted.podUid(), wanted.container(), attempt);
            if (found.isPresent() && (wanted.id().isEmpty() || found.get().id().equals(wanted.bareId()))) {
                return found.get().id();
            }
        }
        throw new ContainerAccessException(Kind.GONE, "there is no container " + wanted.id());
    }

    private ContainerAccessException busy() {
        return new ContainerAccessException(
                Kind.BUSY,
                "Expected at most " + most
                        + " logs, execs and attaches at once, but there are as many; try again later");
    }

    private static Wanted wanted(Streams streams) {
        return new Wanted(streams.stdin(), streams.stdout(), streams.stderr(), streams.tty());
    }

    private static Sink sink(Outlet outlet) {
        return (channel, bytes) -> {
            Source source = channel == Channel.STDOUT ? Source.STDOUT : Source.STDERR;
            try {
                outlet.output(source, bytes).toCompletableFuture().get();
            } catch (ExecutionException e) {
                throw new IOException(e.getCause().getMessage(), e.getCause());
            }
        };
    }

    /** What the engine's failures are to whoever asked. */
    private static ContainerAccessException failure(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof EngineException engine) {
            Kind kind = switch (engine.kind()) {
                case UNREACHABLE, TOO_SLOW -> Kind.UNREACHABLE;
                case NOT_FOUND -> Kind.GONE;
                case CONFLICT, REFUSED -> Kind.REFUSED;
                case FAILED -> Kind.FAILED;
            };
            return new ContainerAccessException(kind, engine.getMessage(), engine);
        }
        return new ContainerAccessException(Kind.FAILED, "the container could not be reached: " + cause, cause);
    }

    /** A command that cannot be started is told as the kubelet tells it. */
    private static ContainerAccessException execFailure(Throwable failure) {
        ContainerAccessException told = failure(failure);
        return told.kind() == Kind.REFUSED
                ? new ContainerAccessException(
                        Kind.FAILED, "error executing command in container: " + told.getMessage(), told.getCause())
                : told;
    }
}
