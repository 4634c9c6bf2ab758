package dev.mooring.node.pod;

import dev.mooring.control.Backoff;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.EngineInfo;
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
 * Keeps the {@link ContainerBook} true: looks at everything the engine has, then follows what happens there, and begins anew whenever the engine has
 * been away. Each container that something happens to is looked at by itself: one that cannot be looked at delays no other, and is no reason to think
 * that the engine is gone.
 *
 * <p>Has no thread of its own. What asks the engine is a task that blocks on nothing else; what waits is a timer. One lock guards what is known, and the
 * engine is never asked by who holds it. Who is told is told in order, under the lock, and must not block.
 */
public final class EngineLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineLink.class);

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5));

    /** In case the engine forgets to tell something. */
    private static final Duration NET = Duration.ofMinutes(5);

    private static final int LOOKS_AT_ONCE = 16;
    private static final Duration LONG_LOOK = Duration.ofSeconds(5);

    private final ContainerRuntime runtime;
    private final String instance;
    private final ContainerBook book;
    private final PodWakes wakes;
    private final WorkParts parts;
    private final Consumer<State> told;

    private final Object lock = new Object();
    private Optional<Visit> visit = Optional.empty();
    private Optional<State> last = Optional.empty();
    private Disposable retry = Disposable.disposed();
    private int failures;
    private boolean closed;

    /** What is known of the engine. */
    public sealed interface State {
        record Present(EngineInfo info) implements State {}

        /** @param why in the engine's words, or those of who tried to reach it */
        record Absent(String why) implements State {}
    }

    /**
     * @param wakes has Pods looked at whose containers have changed
     * @param told of the engine's coming and going, after the book knows
     */
    public EngineLink(
            ContainerRuntime runtime,
            String instance,
            ContainerBook book,
            PodWakes wakes,
            WorkParts parts,
            Consumer<State> told) {
        this.runtime = runtime;
        this.instance = instance;
        this.book = book;
        this.wakes = wakes;
        this.parts = parts;
        this.told = told;
    }

    /** Once. */
    public void start() {
        Visit next;
        synchronized (lock) {
            if (closed) {
                return;
            }
            next = new Visit();
            visit = Optional.of(next);
        }
        onThread(next::open);
    }

    private void onThread(Runnable task) {
        try {
            parts.threads().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("Not asking the container engine: the process is ending");
        }
    }

    /** Nothing is told any more. Calls that are under way are left to end. */
    @Override
    public void close() {
        Optional<Visit> ending;
        synchronized (lock) {
            closed = true;
            retry.dispose();
            ending = visit;
            ending.ifPresent(Visit::end);
        }
        ending.ifPresent(Visit::unfollow);
    }

    private void present(EngineInfo info) {
        LOG.atInfo().addKeyValue("engine", info.text()).log("The container engine answers");
        tell(new State.Present(info));
        wakes.everything();
    }

    private void absent(String why) {
        boolean news = !(last.orElse(null) instanceof State.Absent);
        book.absent(why);
        tell(new State.Absent(why));
        if (news) {
            LOG.atWarn()
                    .addKeyValue("reason", why)
                    .log("Expected the container engine to answer, but it does not; containers are left as they are"
                            + " until it does");
            wakes.everything();
        }
    }

    private void tell(State state) {
        if (!last.equals(Optional.of(state))) {
            last = Optional.of(state);
            told.accept(state);
        }
    }

    /** What asks the engine. */
    private interface Question {
        void ask() throws EngineException, InterruptedException;
    }

    /** From looking for the engine until it goes. Nothing that comes of a former one is heeded. All that is not final is guarded by the lock. */
    private final class Visit implements ContainerRuntime.Follower {
        private final Scheduler.Worker timers = parts.timers().createWorker();
        private final Inspections inspections = new Inspections(LOOKS_AT_ONCE);
        private Optional<AutoCloseable> feed = Optional.empty();
        private boolean listed;
        private boolean asking;
        private boolean over;

        /** Follows before it lists, so that nothing is missed. */
        private void open() {
            attempt(
                    () -> {
                        EngineInfo info = runtime.info();
                        if (hasBegun(runtime.follow(instance, this))) {
                            list(changed -> present(info));
                        }
                    },
                    e -> leave(Optional.of(e.getMessage())),
                    () -> leave(Optional.empty()));
        }

        /** Whether it is still wanted. */
        private boolean hasBegun(AutoCloseable begun) {
            boolean late;
            synchronized (lock) {
                late = over;
                feed = Optional.of(begun);
            }
            if (late) {
                unfollow();
            }
            return !late;
        }

        private void list(Consumer<Set<ObjectKey>> loaded) throws EngineException, InterruptedException {
            long ticket = book.ticket();
            List<ContainerFacts> all = runtime.list(instance);
            synchronized (lock) {
                if (over) {
                    return;
                }
                Set<ObjectKey> changed = book.load(all, ticket);
                // Those that could not be looked at closely when they were listed, and those about to be started.
                all.stream().filter(each -> each.started().isEmpty()).forEach(each -> inspections.happened(each.id()));
                listed = true;
                loaded.accept(changed);
                listAgainAfter(NET);
            }
            dispatch();
        }

        private void listAgainAfter(Duration wait) {
            after(wait, () -> onThread(this::listAgain));
        }

        private void listAgain() {
            attempt(
                    () -> list(changed -> {
                        failures = 0;
                        changed.forEach(wakes);
                    }),
                    e -> {
                        if (e.isAbsence()) {
                            leave(Optional.of(e.getMessage()));
                        } else {
                            LOG.atWarn()
                                    .addKeyValue("reason", e.getMessage())
                                    .log("Expected the engine to list its containers, but it did not; it is asked"
                                            + " again");
                            listAgainAfter(BACKOFF.longest());
                        }
                    },
                    () -> listAgainAfter(BACKOFF.longest()));
        }

        @Override
        public void happened(String containerId) {
            synchronized (lock) {
                if (over) {
                    return;
                }
                inspections.happened(containerId);
            }
            dispatch();
        }

        @Override
        public void ended(EngineException why) {
            leave(Optional.of(why.getMessage()));
        }

        private void dispatch() {
            List<Inspections.Look> admitted;
            synchronized (lock) {
                admitted = listed && !over ? inspections.admit() : List.of();
            }
            for (Inspections.Look look : admitted) {
                Disposable patience = after(LONG_LOOK, () -> takesLong(look));
                onThread(() -> {
                    inspect(look);
                    patience.dispose();
                    dispatch();
                });
            }
        }

        private void inspect(Inspections.Look look) {
            attempt(
                    () -> {
                        long ticket = book.ticket();
                        seen(look, runtime.inspect(look.id()), ticket);
                    },
                    e -> {
                        if (e.kind() == Kind.UNREACHABLE) {
                            leave(Optional.of(e.getMessage()));
                        } else {
                            unseen(look, e.getMessage());
                        }
                    },
                    () -> unseen(look, "it was interrupted"));
        }

        private void seen(Inspections.Look look, Optional<ContainerFacts> facts, long ticket) {
            synchronized (lock) {
                if (over) {
                    return;
                }
                inspections.seen(look);
                // Not before: an engine that goes as soon as it comes is asked less and less often.
                failures = 0;
                (facts.isPresent() ? book.put(facts.get(), ticket) : book.removed(look.id())).ifPresent(wakes);
            }
        }

        private void unseen(Inspections.Look look, String why) {
            synchronized (lock) {
                if (over) {
                    return;
                }
                int times = inspections.unseen(look);
                if (times == 1) {
                    LOG.atWarn()
                            .addKeyValue("container", look.id())
                            .addKeyValue("reason", why)
                            .log("Expected to look at a container, but could not; it is tried again");
                }
                after(BACKOFF.after(times), () -> tryAgain(look.id()));
            }
        }

        private void tryAgain(String id) {
            synchronized (lock) {
                inspections.tryAgain(id);
            }
            dispatch();
        }

        /** It may be the container or the engine that stands still: the engine is asked for itself. */
        private void takesLong(Inspections.Look look) {
            boolean ask;
            synchronized (lock) {
                ask = inspections.takesLong(look) && !asking;
                asking |= ask;
            }
            if (ask) {
                onThread(this::askWhetherItIsThere);
            }
            dispatch();
        }

        private void askWhetherItIsThere() {
            attempt(
                    runtime::info,
                    e -> {
                        if (e.isAbsence()) {
                            leave(Optional.of(e.getMessage()));
                        }
                    },
                    () -> {});
            synchronized (lock) {
                asking = false;
            }
        }

        /** Never throws. What goes wrong without the engine's doing is logged, and taken for a failure. */
        private void attempt(Question question, Consumer<EngineException> failed, Runnable interrupted) {
            try {
                question.ask();
            } catch (EngineException e) {
                failed.accept(e);
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                LOG.atError().setCause(e).log("Expected to follow the container engine, but failed; it is tried again");
                failed.accept(new EngineException(Kind.FAILED, String.valueOf(e.getMessage()), e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                interrupted.run();
            }
        }

        private Disposable after(Duration wait, Runnable task) {
            return timers.schedule(task, wait.toMillis(), TimeUnit.MILLISECONDS);
        }

        /** @param why nothing if that says nothing about the engine */
        private void leave(Optional<String> why) {
            try {
                synchronized (lock) {
                    if (over) {
                        return;
                    }
                    end();
                    failures++;
                    retry = parts.timers()
                            .scheduleDirect(
                                    EngineLink.this::start,
                                    BACKOFF.after(failures).toMillis(),
                                    TimeUnit.MILLISECONDS);
                    why.ifPresent(EngineLink.this::absent);
                }
            } finally {
                unfollow();
            }
        }

        private void end() {
            over = true;
            timers.dispose();
        }

        private void unfollow() {
            Optional<AutoCloseable> begun;
            synchronized (lock) {
                begun = feed;
                feed = Optional.empty();
            }
            begun.ifPresent(each -> {
                try {
                    each.close();
                } catch (Exception e) {
                    LOG.debug("The engine's events could not be closed", e);
                }
            });
        }
    }
}
