package dev.mooring.node.pods;

import dev.mooring.control.Backoff;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link ContainerCache} up to date: lists all containers, then watches events, and lists again after the
 * engine was absent. Inspects each container with an event separately: a container that cannot be inspected delays no
 * others, and does not mark the engine as absent.
 *
 * <p>Has no thread of its own. Engine calls are tasks that block on nothing else; waits are timers. One lock guards the
 * state; it is never held during engine calls. Listeners are notified in order while it is held and must not block.
 */
public final class RuntimeWatcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RuntimeWatcher.class);

    /** In case the engine misses an event. */
    private static final Duration RESYNC_INTERVAL = Duration.ofMinutes(5);

    private static final int MAX_INSPECTIONS = 16;
    private static final Duration SLOW_INSPECTION = Duration.ofSeconds(5);

    private final ContainerRuntime runtime;
    private final String instance;
    private final ContainerCache cache;
    private final PodRequeue requeue;
    private final WorkContext context;
    private final Consumer<State> listener;

    private final Object lock = new Object();
    private Optional<WatchSession> session = Optional.empty();
    private Optional<State> lastState = Optional.empty();
    private Disposable retry = Disposable.disposed();
    private int failures;
    private boolean closed;

    /** The state of the engine. */
    public sealed interface State {
        record Present(ContainerRuntime.EngineInfo info) implements State {}

        /**
         * The engine does not respond.
         *
         * @param reason from the engine or the client
         */
        record Absent(String reason) implements State {}
    }

    /**
     * Creates a watcher.
     *
     * @param requeue requeues Pods whose containers have changed
     * @param listener called when the engine becomes present or absent, after the cache is updated
     */
    public RuntimeWatcher(
            ContainerRuntime runtime,
            String instance,
            ContainerCache cache,
            PodRequeue requeue,
            WorkContext context,
            Consumer<State> listener) {
        this.runtime = runtime;
        this.instance = instance;
        this.cache = cache;
        this.requeue = requeue;
        this.context = context;
        this.listener = listener;
    }

    /** Starts the watcher. To be called once. */
    public void start() {
        WatchSession next;
        synchronized (lock) {
            if (closed) {
                return;
            }
            next = new WatchSession();
            session = Optional.of(next);
        }
        onThread(next::open);
    }

    private void onThread(Runnable task) {
        try {
            context.threads().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("Executor is shut down; ignoring engine query");
        }
    }

    /** Stops all notifications. Engine calls in progress are not interrupted. */
    @Override
    public void close() {
        Optional<WatchSession> ending;
        synchronized (lock) {
            closed = true;
            retry.dispose();
            ending = session;
            ending.ifPresent(WatchSession::end);
        }
        ending.ifPresent(WatchSession::closeEventStream);
    }

    private void present(ContainerRuntime.EngineInfo info) {
        LOG.atInfo().addKeyValue("engine", info.runtimeVersion()).log("Connected to container engine");
        notifyListener(new State.Present(info));
        requeue.requeueAll();
    }

    private void absent(String why) {
        boolean news = !(lastState.orElse(null) instanceof State.Absent);
        cache.markAbsent(why);
        notifyListener(new State.Absent(why));
        if (news) {
            LOG.atWarn()
                    .addKeyValue("reason", why)
                    .log("Failed to reach container engine; leaving containers unchanged");
            requeue.requeueAll();
        }
    }

    private void notifyListener(State state) {
        if (!lastState.equals(Optional.of(state))) {
            lastState = Optional.of(state);
            listener.accept(state);
        }
    }

    /** A call to the engine. */
    private interface EngineQuery {
        void run() throws EngineException, InterruptedException;
    }

    /**
     * One session with the engine, from the first attempt to connect until the engine is absent. Results of earlier
     * sessions are ignored. Non-final fields are guarded by the lock.
     */
    private final class WatchSession implements ContainerRuntime.EventListener {
        private final Scheduler.Worker timers = context.timers().createWorker();
        private final InspectionQueue inspections = new InspectionQueue(MAX_INSPECTIONS);
        private Optional<AutoCloseable> eventStream = Optional.empty();
        private boolean listed;
        private boolean asking;
        private boolean finished;

        /** Opens the event stream before it lists, so that no event is missed. */
        private void open() {
            attempt(
                    () -> {
                        ContainerRuntime.EngineInfo info = runtime.info();
                        if (keepEventStream(runtime.watchEvents(instance, this))) {
                            list(changed -> present(info));
                        }
                    },
                    e -> disconnect(Optional.of(e.getMessage())),
                    () -> disconnect(Optional.empty()));
        }

        /** Stores the event stream. Returns whether it is still needed. */
        private boolean keepEventStream(AutoCloseable stream) {
            boolean late;
            synchronized (lock) {
                late = finished;
                eventStream = Optional.of(stream);
            }
            if (late) {
                closeEventStream();
            }
            return !late;
        }

        private void list(Consumer<Set<ObjectKey>> loaded) throws EngineException, InterruptedException {
            long ticket = cache.ticket();
            List<ContainerFacts> all = runtime.list(instance);
            synchronized (lock) {
                if (finished) {
                    return;
                }
                Set<ObjectKey> changed = cache.load(all, ticket);
                // Containers that could not be inspected in the list, and those about to start.
                all.stream().filter(each -> each.started().isEmpty()).forEach(each -> inspections.enqueue(each.id()));
                listed = true;
                loaded.accept(changed);
                relistAfter(RESYNC_INTERVAL);
            }
            dispatch();
        }

        private void relistAfter(Duration wait) {
            after(wait, () -> onThread(this::relist));
        }

        private void relist() {
            attempt(
                    () -> list(changed -> {
                        failures = 0;
                        changed.forEach(requeue);
                    }),
                    e -> {
                        if (e.isUnavailable()) {
                            disconnect(Optional.of(e.getMessage()));
                        } else {
                            LOG.atWarn()
                                    .addKeyValue("reason", e.getMessage())
                                    .log("Failed to list containers; retrying");
                            relistAfter(Backoff.ENGINE.longest());
                        }
                    },
                    () -> relistAfter(Backoff.ENGINE.longest()));
        }

        @Override
        public void onEvent(String containerId) {
            synchronized (lock) {
                if (finished) {
                    return;
                }
                inspections.enqueue(containerId);
            }
            dispatch();
        }

        @Override
        public void onStreamEnded(EngineException why) {
            disconnect(Optional.of(why.getMessage()));
        }

        private void dispatch() {
            List<InspectionQueue.Inspection> admitted;
            synchronized (lock) {
                admitted = listed && !finished ? inspections.admit() : List.of();
            }
            for (InspectionQueue.Inspection inspection : admitted) {
                Disposable slowTimer = after(SLOW_INSPECTION, () -> onSlowInspection(inspection));
                onThread(() -> {
                    inspect(inspection);
                    slowTimer.dispose();
                    dispatch();
                });
            }
        }

        private void inspect(InspectionQueue.Inspection inspection) {
            attempt(
                    () -> {
                        long ticket = cache.ticket();
                        onInspected(inspection, runtime.inspect(inspection.id()), ticket);
                    },
                    e -> {
                        if (e.kind() == Kind.UNREACHABLE) {
                            disconnect(Optional.of(e.getMessage()));
                        } else {
                            onInspectionFailed(inspection, e.getMessage());
                        }
                    },
                    () -> onInspectionFailed(inspection, "it was interrupted"));
        }

        private void onInspected(InspectionQueue.Inspection inspection, Optional<ContainerFacts> facts, long ticket) {
            synchronized (lock) {
                if (finished) {
                    return;
                }
                inspections.succeeded(inspection);
                // Only now, so that the back-off grows for an engine that disappears right after each connect.
                failures = 0;
                (facts.isPresent() ? cache.put(facts.get(), ticket) : cache.removed(inspection.id()))
                        .ifPresent(requeue);
            }
        }

        private void onInspectionFailed(InspectionQueue.Inspection inspection, String why) {
            synchronized (lock) {
                if (finished) {
                    return;
                }
                int times = inspections.failed(inspection);
                if (times == 1) {
                    LOG.atWarn()
                            .addKeyValue("container", inspection.id())
                            .addKeyValue("reason", why)
                            .log("Failed to inspect container; retrying");
                }
                after(Backoff.ENGINE.after(times), () -> retryInspection(inspection.id()));
            }
        }

        private void retryInspection(String id) {
            synchronized (lock) {
                inspections.retry(id);
            }
            dispatch();
        }

        /** Checks the engine itself, because either the container or the engine may hang. */
        private void onSlowInspection(InspectionQueue.Inspection inspection) {
            boolean ask;
            synchronized (lock) {
                ask = inspections.markSlow(inspection) && !asking;
                asking |= ask;
            }
            if (ask) {
                onThread(this::checkEngine);
            }
            dispatch();
        }

        private void checkEngine() {
            attempt(
                    runtime::info,
                    e -> {
                        if (e.isUnavailable()) {
                            disconnect(Optional.of(e.getMessage()));
                        }
                    },
                    () -> {});
            synchronized (lock) {
                asking = false;
            }
        }

        /** Runs a query. Never throws: errors not caused by the engine are logged and handled as a failure. */
        private void attempt(EngineQuery query, Consumer<EngineException> failed, Runnable interrupted) {
            try {
                query.run();
            } catch (EngineException e) {
                failed.accept(e);
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                LOG.atError().setCause(e).log("Failed to watch container engine; retrying");
                failed.accept(new EngineException(Kind.FAILED, String.valueOf(e.getMessage()), e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                interrupted.run();
            }
        }

        private Disposable after(Duration wait, Runnable task) {
            return timers.schedule(task, wait.toMillis(), TimeUnit.MILLISECONDS);
        }

        /**
         * Ends the session.
         *
         * @param why empty if it says nothing about the engine
         */
        private void disconnect(Optional<String> why) {
            try {
                synchronized (lock) {
                    if (finished) {
                        return;
                    }
                    end();
                    failures++;
                    retry = context.timers()
                            .scheduleDirect(
                                    RuntimeWatcher.this::start,
                                    Backoff.ENGINE.after(failures).toMillis(),
                                    TimeUnit.MILLISECONDS);
                    why.ifPresent(RuntimeWatcher.this::absent);
                }
            } finally {
                closeEventStream();
            }
        }

        private void end() {
            finished = true;
            timers.dispose();
        }

        private void closeEventStream() {
            Optional<AutoCloseable> stream;
            synchronized (lock) {
                stream = eventStream;
                eventStream = Optional.empty();
            }
            stream.ifPresent(each -> {
                try {
                    each.close();
                } catch (Exception e) {
                    LOG.debug("Failed to close engine event stream", e);
                }
            });
        }
    }
}
