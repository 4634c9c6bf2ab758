package dev.mooring.node.probe;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The probing of one container, from its start to its end; a container that takes its place has a watch of its own.
 *
 * <p>Each probe is asked again a period after it was asked last, and never while it is still being asked. The startupProbe comes first, the
 * others are not begun before it has succeeded. Once startup or liveness has failed, or the Pod is being deleted, these two are asked no more;
 * readiness goes on to the end. Thread-safe; nothing is told or asked while the lock is held.
 */
final class ContainerWatch {
    private final Checker checker;
    private final Scheduler timers;
    private final ProbeTeller teller;
    private final Map<ProbeKind, Run> runs = new EnumMap<>(ProbeKind.class);
    private volatile View view;
    private volatile Verdict verdict;
    private boolean over;

    /** What may change about a container while it runs, or rather about its Pod. */
    record View(Pod pod, Checker.Target target, Consumer<ObjectKey> wake) {}

    /**
     * @param before what is known of it, if another Mooring has probed it
     */
    ContainerWatch(Checker checker, Scheduler timers, ProbeTeller teller, View view, Verdict before) {
        this.checker = checker;
        this.timers = timers;
        this.teller = teller;
        this.view = view;
        this.verdict = before;
        for (ProbeKind kind : ProbeKind.values()) {
            ProbeSpec.of(view.target().container(), kind).ifPresent(spec -> runs.put(kind, new Run(spec)));
        }
    }

    /**
     * @param age how long it has been running
     * @param spread between 0 and 1: the part of a period by which the first time is put off
     */
    synchronized void begin(Duration age, double spread) {
        for (Run run : runs.values()) {
            // A clock that was set back does not make it wait for longer than it was told to.
            Duration known = age.isNegative() ? Duration.ZERO : age;
            long delay = run.spec.initialDelay().minus(known).toMillis();
            long putOff = (long) (run.spec.period().toMillis() * spread);
            run.earliest = nowMillis() + Math.max(0, delay) + putOff;
        }
        runs.values().forEach(this::plan);
    }

    Verdict verdict() {
        return verdict;
    }

    void update(View now) {
        view = now;
        if (now.pod().isBeingDeleted()) {
            synchronized (this) {
                stop(ProbeKind.STARTUP);
                stop(ProbeKind.LIVENESS);
            }
        }
    }

    boolean isOf(Pod pod, String podAddress) {
        View seen = view;
        return seen.pod().revision() == pod.revision()
                && seen.target().podAddress().equals(podAddress);
    }

    synchronized void end() {
        over = true;
        runs.values().forEach(Run::stop);
    }

    private void stop(ProbeKind kind) {
        Run run = runs.get(kind);
        if (run != null) {
            run.stop();
        }
    }

    /** Sets the timer for the next time, if there is to be one. */
    private void plan(Run run) {
        boolean itsTurn = (run.spec.kind() == ProbeKind.STARTUP) != verdict.started();
        if (over || run.stopped || run.busy || run.timer.isPresent() || !itsTurn) {
            return;
        }
        long delay = Math.max(0, run.earliest - nowMillis());
        run.timer = Optional.of(timers.scheduleDirect(() -> ask(run), delay, TimeUnit.MILLISECONDS));
    }

    private void ask(Run run) {
        synchronized (this) {
            run.timer = Optional.empty();
            if (over || run.stopped) {
                return;
            }
            run.busy = true;
            run.earliest = nowMillis() + run.spec.period().toMillis();
        }
        CompletionStage<Answer> answer;
        try {
            answer = checker.check(view.target(), run.spec);
        } catch (RejectedExecutionException e) {
            return; // all is about to end
        }
        answer.exceptionally(broken -> Answer.unknown(String.valueOf(broken.getMessage())))
                .thenAccept(found -> answered(run, found));
    }

    private void answered(Run run, Answer answer) {
        Verdict before;
        synchronized (this) {
            run.busy = false;
            if (over || run.stopped) {
                return;
            }
            before = verdict;
            boolean settled = answer.kind() != Answer.Kind.UNKNOWN && run.tally.settles(answer.isSuccess());
            if (settled) {
                verdict = after(before, run.spec.kind(), answer.isSuccess());
            }
            if (verdict.failure().isPresent()) {
                stop(ProbeKind.STARTUP);
                stop(ProbeKind.LIVENESS);
            }
            runs.values().forEach(this::plan);
        }
        View seen = view;
        teller.tell(seen.pod(), run.spec.kind(), answer);
        if (!verdict.equals(before)) {
            seen.wake().accept(seen.pod().key());
        }
    }

    private Verdict after(Verdict before, ProbeKind kind, boolean success) {
        return switch (kind) {
            case STARTUP ->
                success
                        ? new Verdict(true, !runs.containsKey(ProbeKind.READINESS), before.failure())
                        : new Verdict(false, false, Optional.of(kind.failure()));
            case READINESS -> new Verdict(before.started(), success, before.failure());
            case LIVENESS ->
                success ? before : new Verdict(before.started(), before.ready(), Optional.of(kind.failure()));
        };
    }

    private long nowMillis() {
        return timers.now(TimeUnit.MILLISECONDS);
    }

    /** One probe, and when it is asked. */
    private static final class Run {
        private final ProbeSpec spec;
        private final Tally tally;
        private Optional<Disposable> timer = Optional.empty();
        private long earliest;
        private boolean busy;
        private boolean stopped;

        Run(ProbeSpec spec) {
            this.spec = spec;
            this.tally = new Tally(spec);
        }

        void stop() {
            stopped = true;
            timer.ifPresent(Disposable::dispose);
            timer = Optional.empty();
        }
    }
}
