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
 * Probes one container from its start to its end; a replacement container has its own worker.
 *
 * <p>Each probe runs one period after its previous start, and never concurrently with itself. The startupProbe runs
 * first; the other probes begin after it has succeeded. Once startup or liveness has failed, or the Pod is being
 * deleted, these two stop; readiness continues to the end. Thread-safe; the lock is never held during probes or
 * listener calls.
 */
final class ProbeWorker {
    private final Prober prober;
    private final Scheduler timers;
    private final ProbeEventRecorder recorder;
    private final Map<ProbeKind, ProbeRun> runs = new EnumMap<>(ProbeKind.class);
    private volatile ProbedContainer view;
    private volatile ProbeManager.ProbeStatus status;
    private boolean ended;

    /** The part of a container's Pod that may change while the container runs. */
    record ProbedContainer(Pod pod, Prober.Target target, Consumer<ObjectKey> requeue) {}

    /**
     * Creates a worker.
     *
     * @param before the status a previous Mooring process has reported, if any
     */
    ProbeWorker(
            Prober checker,
            Scheduler timers,
            ProbeEventRecorder recorder,
            ProbedContainer view,
            ProbeManager.ProbeStatus before) {
        this.prober = checker;
        this.timers = timers;
        this.recorder = recorder;
        this.view = view;
        this.status = before;
        for (ProbeKind kind : ProbeKind.values()) {
            ProbeSpec.of(view.target().container(), kind).ifPresent(spec -> runs.put(kind, new ProbeRun(spec)));
        }
    }

    /**
     * Starts the probes.
     *
     * @param age how long the container has been running
     * @param spread between 0 and 1: the fraction of a period by which the first probe is delayed
     */
    synchronized void begin(Duration age, double spread) {
        for (ProbeRun run : runs.values()) {
            // A clock that was set back must not extend the initial delay.
            Duration known = age.isNegative() ? Duration.ZERO : age;
            long delay = run.spec.initialDelay().minus(known).toMillis();
            long putOff = (long) (run.spec.period().toMillis() * spread);
            run.earliest = nowMillis() + Math.max(0, delay) + putOff;
        }
        runs.values().forEach(this::schedule);
    }

    ProbeManager.ProbeStatus status() {
        return status;
    }

    void update(ProbedContainer now) {
        view = now;
        if (now.pod().isBeingDeleted()) {
            synchronized (this) {
                stop(ProbeKind.STARTUP);
                stop(ProbeKind.LIVENESS);
            }
        }
    }

    boolean isOf(Pod pod, String podAddress) {
        ProbedContainer seen = view;
        return seen.pod().revision() == pod.revision()
                && seen.target().podAddress().equals(podAddress);
    }

    synchronized void end() {
        ended = true;
        runs.values().forEach(ProbeRun::stop);
    }

    private void stop(ProbeKind kind) {
        ProbeRun run = runs.get(kind);
        if (run != null) {
            run.stop();
        }
    }

    /** Sets the timer for the next probe, if there is one. */
    private void schedule(ProbeRun run) {
        boolean itsTurn = (run.spec.kind() == ProbeKind.STARTUP) != status.started();
        if (ended || run.stopped || run.busy || run.timer.isPresent() || !itsTurn) {
            return;
        }
        long delay = Math.max(0, run.earliest - nowMillis());
        run.timer = Optional.of(timers.scheduleDirect(() -> runProbe(run), delay, TimeUnit.MILLISECONDS));
    }

    private void runProbe(ProbeRun run) {
        synchronized (this) {
            run.timer = Optional.empty();
            if (ended || run.stopped) {
                return;
            }
            run.busy = true;
            run.earliest = nowMillis() + run.spec.period().toMillis();
        }
        CompletionStage<Prober.ProbeResult> result;
        try {
            result = prober.probe(view.target(), run.spec);
        } catch (RejectedExecutionException e) {
            return; // shutting down
        }
        result.exceptionally(broken -> Prober.ProbeResult.unknown(String.valueOf(broken.getMessage())))
                .thenAccept(found -> onResult(run, found));
    }

    private void onResult(ProbeRun run, Prober.ProbeResult result) {
        ProbeManager.ProbeStatus before;
        synchronized (this) {
            run.busy = false;
            if (ended || run.stopped) {
                return;
            }
            before = status;
            boolean settled =
                    result.kind() != Prober.ProbeResult.Kind.UNKNOWN && run.tally.reachesThreshold(result.isSuccess());
            if (settled) {
                status = after(before, run.spec.kind(), result.isSuccess());
            }
            if (status.failure().isPresent()) {
                stop(ProbeKind.STARTUP);
                stop(ProbeKind.LIVENESS);
            }
            runs.values().forEach(this::schedule);
        }
        ProbedContainer seen = view;
        recorder.record(seen.pod(), run.spec.kind(), result);
        if (!status.equals(before)) {
            seen.requeue().accept(seen.pod().key());
        }
    }

    private ProbeManager.ProbeStatus after(ProbeManager.ProbeStatus before, ProbeKind kind, boolean success) {
        return switch (kind) {
            case STARTUP ->
                success
                        ? new ProbeManager.ProbeStatus(true, !runs.containsKey(ProbeKind.READINESS), before.failure())
                        : new ProbeManager.ProbeStatus(false, false, Optional.of(kind.failureName()));
            case READINESS -> new ProbeManager.ProbeStatus(before.started(), success, before.failure());
            case LIVENESS ->
                success
                        ? before
                        : new ProbeManager.ProbeStatus(
                                before.started(), before.ready(), Optional.of(kind.failureName()));
        };
    }

    private long nowMillis() {
        return timers.now(TimeUnit.MILLISECONDS);
    }

    /** One probe and its schedule. */
    private static final class ProbeRun {
        private final ProbeSpec spec;
        private final ThresholdCounter tally;
        private Optional<Disposable> timer = Optional.empty();
        private long earliest;
        private boolean busy;
        private boolean stopped;

        ProbeRun(ProbeSpec spec) {
            this.spec = spec;
            this.tally = new ThresholdCounter(spec);
        }

        void stop() {
            stopped = true;
            timer.ifPresent(Disposable::dispose);
            timer = Optional.empty();
        }
    }

    /** Counts equal consecutive probe results. Not thread-safe. */
    private static final class ThresholdCounter {
        private final int successThreshold;
        private final int failureThreshold;
        private boolean last;
        private int run;

        ThresholdCounter(ProbeSpec spec) {
            this.successThreshold = spec.successThreshold();
            this.failureThreshold = spec.failureThreshold();
        }

        /** Counts a result and returns whether the number of consecutive equal results has reached its threshold. */
        boolean reachesThreshold(boolean success) {
            run = last == success ? run + 1 : 1;
            last = success;
            return run >= (success ? successThreshold : failureThreshold);
        }
    }
}
