package dev.mooring.server;

import dev.mooring.api.HealthCheck;
import dev.mooring.server.Supervisor.ChildReport.VerticlePhase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State machine of one supervised verticle:
 *
 * <pre>
 *   STARTING ──▶ UP ──▶ ENDING ──▶ WAITING ──▶ STARTING …
 *       └───────────────▲                     any ──▶ STOPPED
 *                                             any ──▶ PAUSED ──▶ STARTING
 * </pre>
 *
 * Every deployment has a number. A failure report counts only if it comes from the current deployment and the state is STARTING or UP;
 * later reports (a second one, one of an earlier deployment, one of a verticle that is being stopped) are ignored.
 *
 * <p>Threading: every method runs on the supervisor's context, so there are no locks; other threads read only {@link #state}.
 */
final class Child {
    /**
     * State that other threads may read.
     *
     * @param problem empty when the verticle is up
     */
    private record State(VerticlePhase phase, Optional<String> problem) {}

    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final long NO_TIMER = -1;

    private final ChildSpec spec;
    private final Vertx vertx;
    private final Context context;
    private final Supervisor.SupervisorContext supervisorContext;
    private final ChildMetrics metrics;
    private final Supervisor.VerticleListener listener;
    private final Promise<Void> firstUp = Promise.promise();

    /** Whether the first start has finished, successfully or not. */
    private volatile boolean settled;

    private volatile State state = new State(VerticlePhase.WAITING, Optional.of("not started yet"));
    private long incarnation;
    private Future<String> deployment = Future.failedFuture("never deployed");
    private Future<Void> ended = Future.succeededFuture();
    private int deathsInARow;
    private Optional<String> lastCause = Optional.empty();
    private Optional<Instant> until = Optional.empty();
    private long timer = NO_TIMER;

    Child(
            ChildSpec spec,
            Vertx vertx,
            Context context,
            Supervisor.SupervisorContext supervisorContext,
            Supervisor.VerticleListener listener) {
        this.spec = spec;
        this.vertx = vertx;
        this.context = context;
        this.supervisorContext = supervisorContext;
        this.listener = listener;
        this.metrics = new ChildMetrics(supervisorContext.meters(), spec.name());
    }

    String name() {
        return spec.name();
    }

    /**
     * Returns the health; thread-safe. A verticle that has never been up and never died is starting, and not ready for
     * requests.
     */
    HealthCheck.HealthResult health() {
        State now = state;
        if (now.problem().isEmpty()) {
            return HealthCheck.HealthResult.ok();
        }
        boolean serves = spec.loss() == ChildSpec.ServiceLoss.PARTIAL && settled;
        return serves
                ? HealthCheck.HealthResult.degraded(now.problem().get())
                : HealthCheck.HealthResult.failing(now.problem().get());
    }

    Supervisor.ChildReport report() {
        return new Supervisor.ChildReport(name(), state.phase(), metrics.restarts(), deathsInARow, lastCause, until);
    }

    /** Completes when the verticle is up for the first time; fails when it never will be. */
    Future<Void> firstUp() {
        return firstUp.future();
    }

    void start() {
        long number = ++incarnation;
        timer = NO_TIMER;
        enter(VerticlePhase.STARTING, number == 1 ? "starting" : "starting again");
        ChildSpec.FailureReporter supervision = cause -> context.runOnContext(v -> died(number, cause));
        try {
            deployment = vertx.deployVerticle(
                    () -> new UncaughtExceptionGuard(spec.factory().apply(supervision), supervision::reportFailure),
                    spec.options());
        } catch (RuntimeException e) {
            deployment = Future.failedFuture(e);
        }
        deployment.onComplete(
                id -> context.runOnContext(v -> started(number)),
                cause -> context.runOnContext(v -> died(number, cause)));
    }

    private void started(long number) {
        if (number != incarnation || state.phase() != VerticlePhase.STARTING) {
            return; // died while starting; it is being stopped
        }
        settled = true;
        state = new State(VerticlePhase.UP, Optional.empty());
        metrics.up();
        timer = vertx.setTimer(supervisorContext.backoff().healthyAfter().toMillis(), fired -> healthy());
        if (number > 1) {
            LOG.atInfo()
                    .addKeyValue("verticle", name())
                    .addKeyValue("incarnation", number)
                    .log("Restarted verticle");
        }
        firstUp.tryComplete();
    }

    private void healthy() {
        int deaths = deathsInARow;
        deathsInARow = 0;
        metrics.deathsInARow(0);
        if (deaths > 0) {
            listener.recovered(name(), deaths);
        }
    }

    /** Kills the current deployment, if any. */
    void kill(String reason) {
        died(incarnation, new VerticleKilledException(reason));
    }

    private void died(long number, Throwable cause) {
        VerticlePhase phase = state.phase();
        if (number != incarnation || (phase != VerticlePhase.STARTING && phase != VerticlePhase.UP)) {
            LOG.atDebug()
                    .addKeyValue("verticle", name())
                    .setCause(cause)
                    .log("Ignored failure report of an ended deployment");
            return;
        }
        cancelTimer();
        metrics.down();
        boolean hopeless = !firstUp.future().isComplete() && spec.firstStart() == ChildSpec.FirstStartPolicy.REQUIRED;
        if (hopeless) {
            enter(VerticlePhase.STOPPED, describe(cause));
            endDeployment().onComplete(v -> firstUp.tryFail(cause));
            return;
        }
        settled = true;
        deathsInARow++;
        lastCause = Optional.of(describe(cause));
        metrics.deathsInARow(deathsInARow);
        Duration delay = supervisorContext.backoff().delay(deathsInARow, supervisorContext.random());
        LOG.atWarn()
                .addKeyValue("verticle", name())
                .addKeyValue("incarnation", number)
                .addKeyValue("deathsInARow", deathsInARow)
                .addKeyValue("nextTryMs", delay.toMillis())
                .setCause(cause instanceof VerticleKilledException ? null : cause)
                .log("Verticle died; restarting: {}", describe(cause));
        enter(VerticlePhase.ENDING, describe(cause) + "; being stopped before the next try");
        endDeployment().onComplete(v -> waitThenStart(number, delay, cause));
        listener.died(name(), deathsInARow, describe(cause), delay);
    }

    private void waitThenStart(long number, Duration delay, Throwable cause) {
        if (number != incarnation || state.phase() != VerticlePhase.ENDING) {
            return; // stopped or paused meanwhile
        }
        Instant next = supervisorContext.clock().instant().plus(delay);
        String often = deathsInARow > 1 ? "; died " + deathsInARow + " times in a row" : "";
        enter(VerticlePhase.WAITING, describe(cause) + often + "; next try at " + next);
        until = Optional.of(next);
        timer = vertx.setTimer(delay.toMillis(), fired -> {
            metrics.restarted();
            start();
        });
    }

    /**
     * Stops the verticle and starts it again after the given time. Not counted as a death. A further call restarts the
     * pause.
     */
    void pause(Duration length, String reason) {
        VerticlePhase phase = state.phase();
        if (phase == VerticlePhase.STOPPED) {
            return;
        }
        cancelTimer();
        metrics.down();
        Instant end = supervisorContext.clock().instant().plus(length);
        LOG.atInfo().addKeyValue("verticle", name()).addKeyValue("until", end).log("Paused verticle: {}", reason);
        if (phase == VerticlePhase.STARTING || phase == VerticlePhase.UP) {
            endDeployment();
        }
        enter(VerticlePhase.PAUSED, "paused until " + end + ": " + reason);
        until = Optional.of(end);
        timer = vertx.setTimer(length.toMillis(), fired -> resume());
    }

    /** Ends a pause early. */
    void resume() {
        if (state.phase() != VerticlePhase.PAUSED) {
            return;
        }
        cancelTimer();
        long number = incarnation;
        // The stopped deployment may still be ending, and two must not run at once.
        ended.onComplete(v -> {
            if (state.phase() == VerticlePhase.PAUSED && number == incarnation) {
                start();
            }
        });
    }

    /** Stops the verticle permanently. Completes when it has stopped or its deadline has passed. */
    Future<Void> stop() {
        VerticlePhase phase = state.phase();
        if (phase == VerticlePhase.STOPPED) {
            return ended;
        }
        cancelTimer();
        metrics.down();
        enter(VerticlePhase.STOPPED, "stopped");
        firstUp.tryFail(new IllegalStateException("Cannot start " + name() + ": the supervisor was stopped"));
        return phase == VerticlePhase.STARTING || phase == VerticlePhase.UP ? endDeployment() : ended;
    }

    /**
     * Undeploys the current deployment after its start has finished: only Vert.x knows a starting deployment, and an
     * abandoned half-started verticle could hold files or ports. Always succeeds on the supervisor's context, at the
     * deadline at the latest; a verticle that finishes its start later is still undeployed.
     */
    private Future<Void> endDeployment() {
        Duration deadline = supervisorContext.backoff().stopDeadline();
        Promise<Void> done = Promise.promise();
        deployment
                .transform(outcome ->
                        outcome.succeeded() ? vertx.undeploy(outcome.result()) : Future.<Void>succeededFuture())
                .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(cause -> LOG.atError()
                        .addKeyValue("verticle", name())
                        .addKeyValue("deadlineMs", deadline.toMillis())
                        .log("Failed to stop verticle cleanly: {}", describe(cause)))
                .onComplete(v -> context.runOnContext(w -> done.complete()));
        ended = done.future();
        return ended;
    }

    private void enter(VerticlePhase phase, String problem) {
        state = new State(phase, Optional.of(problem));
        until = Optional.empty();
    }

    private void cancelTimer() {
        if (timer != NO_TIMER) {
            vertx.cancelTimer(timer);
            timer = NO_TIMER;
        }
    }

    private static String describe(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    /**
     * Metrics of one verticle: {@code mooring_verticle_up}, {@code mooring_verticle_restarts_total} and
     * {@code mooring_verticle_deaths_in_a_row}.
     */
    private static final class ChildMetrics {
        private final AtomicInteger up = new AtomicInteger();
        private final AtomicInteger deaths = new AtomicInteger();
        private final Counter restarts;

        ChildMetrics(MeterRegistry meters, String verticle) {
            Gauge.builder("mooring.verticle.up", up, AtomicInteger::get)
                    .description("1 if the verticle is up, else 0")
                    .tag("verticle", verticle)
                    .strongReference(true)
                    .register(meters);
            Gauge.builder("mooring.verticle.deaths.in.a.row", deaths, AtomicInteger::get)
                    .description("Number of consecutive deaths of the verticle without a healthy period")
                    .tag("verticle", verticle)
                    .strongReference(true)
                    .register(meters);
            restarts = Counter.builder("mooring.verticle.restarts")
                    .description("Number of restarts of the verticle after it died")
                    .tag("verticle", verticle)
                    .register(meters);
        }

        void up() {
            up.set(1);
        }

        void down() {
            up.set(0);
        }

        void deathsInARow(int count) {
            deaths.set(count);
        }

        void restarted() {
            restarts.increment();
        }

        long restarts() {
            return (long) restarts.count();
        }
    }

    /** Wraps a verticle and reports its uncaught exceptions as its death, from before its start method runs. */
    private static final class UncaughtExceptionGuard implements Deployable {
        private final Deployable verticle;
        private final Consumer<Throwable> died;

        UncaughtExceptionGuard(Deployable verticle, Consumer<Throwable> died) {
            this.verticle = verticle;
            this.died = died;
        }

        @Override
        public Future<?> deploy(Context context) throws Exception {
            context.exceptionHandler(died::accept);
            return verticle.deploy(context);
        }

        @Override
        public Future<?> undeploy(Context context) throws Exception {
            return verticle.undeploy(context);
        }
    }

    /** Cause of a death by {@link Supervisor#kill}. */
    private static final class VerticleKilledException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        VerticleKilledException(String reason) {
            super(reason, null, false, false); // the stack trace of the caller is not useful
        }
    }
}
