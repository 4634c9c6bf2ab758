package dev.mooring.server;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.ChaosService;
import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.chaos.Chaos;
import dev.mooring.chaos.ChaosAction;
import dev.mooring.chaos.ChaosException;
import dev.mooring.chaos.ChaosRequest;
import dev.mooring.chaos.ChaosTargets;
import dev.mooring.chaos.ChaosVerticle;
import dev.mooring.chaos.Faults;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fault injection of this process; created only if the settings enable it. Executes the requests of admins; volume
 * operations consult its {@link #faults}. Thread-safe.
 */
final class LocalChaosService implements ChaosService {
    private static final Logger LOG = LoggerFactory.getLogger(LocalChaosService.class);

    /**
     * How long to wait for the history record. If the ledger is down nothing can be written, which may be the purpose
     * of the test.
     */
    private static final long TIMEOUT_SECONDS = 2;

    private final Supervisor supervisor;
    private final MeterRegistry meters;
    private final Faults faults;
    private final Chaos chaos;

    LocalChaosService(
            String node,
            Supervisor supervisor,
            NodeEvents events,
            ProcessEnvironment environment,
            MeterRegistry meters) {
        this.supervisor = supervisor;
        this.meters = meters;
        this.faults = new Faults(environment.clock());
        this.chaos = new Chaos(new Chaos.ChaosContext(
                node,
                faults,
                new SupervisedChaosTargets(supervisor),
                (type, actor, message) -> events.record(type, actor, message)
                        .toCompletableFuture()
                        .completeOnTimeout(false, TIMEOUT_SECONDS, TimeUnit.SECONDS),
                environment.clock(),
                environment.random()::nextLong));
    }

    /** Starts the service and logs a warning that it is enabled. */
    Future<Void> start(HealthChecks healthChecks) {
        LOG.warn("Fault injection is enabled (chaos.enabled): admins can kill verticles and make mounts fail; do not"
                + " use in production");
        Gauge.builder("mooring.chaos.enabled", () -> 1)
                .description("1 if fault injection is enabled")
                .register(meters);
        healthChecks.add(HealthCheck.ready("chaos", () -> {
            String armed = chaos.armed();
            return armed.isEmpty() ? HealthCheck.HealthResult.ok() : HealthCheck.HealthResult.degraded(armed);
        }));
        return supervisor.supervise(ChildSpec.optional(Chaos.VERTICLE, supervision -> new ChaosVerticle(chaos)));
    }

    Faults faults() {
        return faults;
    }

    @Override
    public CompletionStage<ObjectNode> report() {
        return chaos.report();
    }

    @Override
    public CompletionStage<ObjectNode> perform(String action, ObjectNode body, String user) {
        ChaosAction parsed;
        try {
            parsed = ChaosRequest.parse(action, body);
        } catch (ChaosException e) {
            throw new StatusException(status(e));
        }
        return chaos.perform(parsed, user).handle((done, failure) -> {
            if (failure != null) {
                throw refused(failure);
            }
            meters.counter("mooring.chaos.actions", "action", parsed.name()).increment();
            LOG.atWarn()
                    .addKeyValue("action", parsed.name())
                    .addKeyValue("user", user)
                    .log("Injected fault: {}", done.message());
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("kind", "ChaosDone")
                    .put("apiVersion", "mooring.dev/v1")
                    .put("action", parsed.name())
                    .put("message", done.message())
                    .put("recorded", done.recorded());
        });
    }

    private static RuntimeException refused(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ChaosException refusal) {
            return new StatusException(status(refusal));
        }
        return new CompletionException(cause);
    }

    private static Status status(ChaosException refusal) {
        String message = refusal.getMessage();
        return switch (refusal.kind()) {
            case INVALID -> Status.badRequest(message);
            case NOT_FOUND -> new Status(404, "NotFound", message);
            case CONFLICT -> new Status(409, "Conflict", message);
            case UNAVAILABLE -> Status.unavailable(message, 1);
        };
    }

    /** The supervised verticles as chaos targets. Thread-safe. */
    private record SupervisedChaosTargets(Supervisor supervisor) implements ChaosTargets {
        @Override
        public CompletionStage<List<ChaosTargets.ChaosTarget>> all() {
            return supervisor
                    .children()
                    .map(all -> all.stream().map(SupervisedChaosTargets::target).toList())
                    .toCompletionStage();
        }

        private static ChaosTargets.ChaosTarget target(Supervisor.ChildReport child) {
            return new ChaosTargets.ChaosTarget(
                    child.name(),
                    child.phase().name().toLowerCase(Locale.ROOT),
                    child.restarts(),
                    child.deathsInARow(),
                    child.lastCause(),
                    child.until());
        }

        @Override
        public CompletionStage<Void> kill(String verticle, String reason) {
            return supervisor.kill(verticle, reason).toCompletionStage();
        }

        @Override
        public CompletionStage<Void> pause(String verticle, Duration length, String reason) {
            return supervisor.pause(verticle, length, reason).toCompletionStage();
        }

        @Override
        public CompletionStage<Void> resumeAll() {
            return supervisor.resumeAll().toCompletionStage();
        }
    }
}
