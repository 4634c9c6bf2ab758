package dev.mooring.cli.supervise;

import dev.mooring.api.Health;
import dev.mooring.cli.supervise.ChildReport.Phase;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one supervised verticle:
 *
 * <pre>
 *   STARTING ──▶ UP ──▶ ENDING ──▶ WAITING ──▶ STARTING …
 *       └───────────────▲                     any ──▶ STOPPED
 *                                             any ──▶ PAUSED ──▶ STARTING
 * </pre>
 *
 * Every incarnation has a number. A report is believed only from the current incarnation and only while it is STARTING or
 * UP; whatever arrives later (a second report, one of a predecessor, one of a verticle that is being stopped) changes nothing.
 *
 * <p>Threading: every method runs on the supervisor's context, so there are no locks; {@link #state} is the one thing that
 * other threads read.
 */
final class Child {
    /**
     * What other threads may see.
     *
     * @param problem empty when the verticle is up
     */
    private record State(Phase phase, Optional<String> problem) {}

    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final long NO_TIMER = -1;

    private final ChildSpec spec;
    private final Vertx vertx;
    private final Context context;
    private final SupervisorParts parts;
    private final ChildMetrics metrics;
    private final VerticleListener listener;
    private final Promise<Void> firstUp = Promise.promise();

    /** Whether its first start has come to an end, good or bad. */
    private volatile boolean settled;

    private volatile State state = new State(Phase.WAITING, Optional.of("not started yet"));
    private long incarnation;
    private Future<String> deployment = Future.failedFuture("never deployed");
    private Future<Void> ended = Future.succeededFuture();
    private int deathsInARow;
    private Optional<String> lastCause = Optional.empty();
    private Optional<Instant> until = Optional.empty();
    private long timer = NO_TIMER;

    Child(ChildSpec spec, Vertx vertx, Context context, SupervisorParts parts, VerticleListener listener) {
        this.spec = spec;
        this.vertx = vertx;
        this.context = context;
        this.parts = parts;
        this.listener = listener;
        this.metrics = new ChildMetrics(parts.meters(), spec.name());
    }

    String name() {
        return spec.name();
    }

    /** Any thread. Who has never been up and never died is starting, and until then nobody should be sent here. */
    Health health() {
        State now = state;
        if (now.problem().isEmpty()) {
            return Health.ok();
        }
        boolean serves = spec.loss() == ChildSpec.Loss.ITS_PART && settled;
        return serves
                ? Health.degraded(now.problem().get())
                : Health.failing(now.problem().get());
    }

    ChildReport report() {
        return new ChildReport(name(), state.phase(), metrics.restarts(), deathsInARow, lastCause, until);
    }

    /** Completes when the verticle is up for the first time; fails when that will never be. */
    Future<Void> firstUp() {
        return firstUp.future();
    }

    void start() {
        long number = ++incarnation;
        timer = NO_TIMER;
        enter(Phase.STARTING, number == 1 ? "starting" : "starting again");
        Supervision supervision = cause -> context.runOnContext(v -> died(number, cause));
        try {
            deployment = vertx.deployVerticle(
                    () -> new Guarded(spec.factory().apply(supervision), supervision::died), spec.options());
        } catch (RuntimeException e) {
            deployment = Future.failedFuture(e);
        }
        deployment.onComplete(
                id -> context.runOnContext(v -> started(number)),
                cause -> context.runOnContext(v -> died(number, cause)));
    }

    private void started(long number) {
        if (number != incarnation || state.phase() != Phase.STARTING) {
            return; // it died while starting; its end is under way
        }
        settled = true;
        state = new State(Phase.UP, Optional.empty());
        metrics.up();
        timer = vertx.setTimer(parts.backoff().healthyAfter().toMillis(), fired -> healthy());
        if (number > 1) {
            LOG.atInfo()
                    .addKeyValue("verticle", name())
                    .addKeyValue("incarnation", number)
                    .log("Verticle is up again");
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

    /** Kills whatever incarnation there is; none to kill is fine, too. */
    void kill(String reason) {
        died(incarnation, new VerticleKilledException(reason));
    }

    private void died(long number, Throwable cause) {
        Phase phase = state.phase();
        if (number != incarnation || (phase != Phase.STARTING && phase != Phase.UP)) {
            LOG.atDebug()
                    .addKeyValue("verticle", name())
                    .setCause(cause)
                    .log("Report of a death that is already known");
            return;
        }
        cancelTimer();
        metrics.down();
        boolean hopeless = !firstUp.future().isComplete() && spec.firstStart() == ChildSpec.FirstStart.REQUIRED;
        if (hopeless) {
            enter(Phase.STOPPED, describe(cause));
            endDeployment().onComplete(v -> firstUp.tryFail(cause));
            return;
        }
        settled = true;
        deathsInARow++;
        lastCause = Optional.of(describe(cause));
        metrics.deathsInARow(deathsInARow);
        Duration delay = parts.backoff().delay(deathsInARow, parts.random());
        LOG.atWarn()
                .addKeyValue("verticle", name())
                .addKeyValue("incarnation", number)
                .addKeyValue("deathsInARow", deathsInARow)
                .addKeyValue("nextTryMs", delay.toMillis())
                .setCause(cause instanceof VerticleKilledException ? null : cause)
                .log("Verticle died and will be started again: {}", describe(cause));
        enter(Phase.ENDING, describe(cause) + "; being stopped before the next try");
        endDeployment().onComplete(v -> waitThenStart(number, delay, cause));
        listener.died(name(), deathsInARow, describe(cause), delay);
    }

    private void waitThenStart(long number, Duration delay, Throwable cause) {
        if (number != incarnation || state.phase() != Phase.ENDING) {
            return; // stopped for good meanwhile
        }
        Instant next = parts.clock().instant().plus(delay);
        String often = deathsInARow > 1 ? "; died " + deathsInARow + " times in a row" : "";
        enter(Phase.WAITING, describe(cause) + often + "; next try at " + next);
        until = Optional.of(next);
        timer = vertx.setTimer(delay.toMillis(), fired -> {
            metrics.restarted();
            start();
        });
    }

    /** Stops it, if it is not, and starts it when the time has passed. No death: nothing is counted. Once more means anew. */
    void pause(Duration length, String reason) {
        Phase phase = state.phase();
        if (phase == Phase.STOPPED) {
            return;
        }
        cancelTimer();
        metrics.down();
        Instant end = parts.clock().instant().plus(length);
        LOG.atWarn().addKeyValue("verticle", name()).addKeyValue("until", end).log("Verticle is paused: {}", reason);
        if (phase == Phase.STARTING || phase == Phase.UP) {
            endDeployment();
        }
        enter(Phase.PAUSED, "paused until " + end + ": " + reason);
        until = Optional.of(end);
        timer = vertx.setTimer(length.toMillis(), fired -> resume());
    }

    /** Ends a pause before its time. */
    void resume() {
        if (state.phase() != Phase.PAUSED) {
            return;
        }
        cancelTimer();
        long number = incarnation;
        // What was stopped may still be about it, and two at once are never good.
        ended.onComplete(v -> {
            if (state.phase() == Phase.PAUSED && number == incarnation) {
                start();
            }
        });
    }

    /** Never starts again. Completes when the verticle has stopped or its deadline has passed. */
    Future<Void> stop() {
        Phase phase = state.phase();
        if (phase == Phase.STOPPED) {
            return ended;
        }
        cancelTimer();
        metrics.down();
        enter(Phase.STOPPED, "stopped");
        firstUp.tryFail(new IllegalStateException("Expected " + name() + " to start, but the supervisor was stopped"));
        return phase == Phase.STARTING || phase == Phase.UP ? endDeployment() : ended;
    }

    /**
     * Undeploys the current incarnation, after its start has come to an end: only Vert.x knows a starting deployment, and a
     * half-started verticle that is forgotten could keep files or ports for ever. Always succeeds on the supervisor's context,
     * at the deadline at the latest; a verticle that comes round later is still undeployed then.
     */
    private Future<Void> endDeployment() {
        Duration deadline = parts.backoff().stopDeadline();
        Promise<Void> done = Promise.promise();
        deployment
                .transform(outcome ->
                        outcome.succeeded() ? vertx.undeploy(outcome.result()) : Future.<Void>succeededFuture())
                .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(cause -> LOG.atError()
                        .addKeyValue("verticle", name())
                        .addKeyValue("deadlineMs", deadline.toMillis())
                        .log("Expected the verticle to stop cleanly in time, but: {}", describe(cause)))
                .onComplete(v -> context.runOnContext(w -> done.complete()));
        ended = done.future();
        return ended;
    }

    private void enter(Phase phase, String problem) {
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
}
