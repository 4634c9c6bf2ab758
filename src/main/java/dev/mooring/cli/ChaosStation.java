package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Health;
import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import dev.mooring.api.chaos.ChaosDesk;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.chaos.Chaos;
import dev.mooring.chaos.ChaosAction;
import dev.mooring.chaos.ChaosException;
import dev.mooring.chaos.ChaosRequest;
import dev.mooring.chaos.ChaosVerticle;
import dev.mooring.chaos.Faults;
import dev.mooring.cli.supervise.ChildSpec;
import dev.mooring.cli.supervise.Supervisor;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults on demand, connected to this process; only made if the settings want them. Is told what admins ask for; its {@link #faults} are asked by whoever
 * mounts. Thread-safe.
 */
final class ChaosStation implements ChaosDesk {
    private static final Logger LOG = LoggerFactory.getLogger(ChaosStation.class);

    /** How long history is waited for: with a dead ledger nothing can be written, and that may be just what is wanted. */
    private static final long PATIENCE_SECONDS = 2;

    private final Supervisor supervisor;
    private final MeterRegistry meters;
    private final Faults faults;
    private final Chaos chaos;

    ChaosStation(String node, Supervisor supervisor, NodeEvents events, Ambient ambient, MeterRegistry meters) {
        this.supervisor = supervisor;
        this.meters = meters;
        this.faults = new Faults(ambient.clock());
        this.chaos = new Chaos(new Chaos.Parts(
                node,
                faults,
                new ChaosVictims(supervisor),
                (type, actor, message) -> events.tell(type, actor, message)
                        .toCompletableFuture()
                        .completeOnTimeout(false, PATIENCE_SECONDS, TimeUnit.SECONDS),
                ambient.clock(),
                ambient.random()::nextLong));
    }

    /** Says loudly that it is there. */
    Future<Void> start(HealthChecks healthChecks) {
        LOG.warn("Faults can be had on demand here (chaos.enabled is true): admins can kill verticles and have mounts"
                + " fail. Not for a server that others rely upon");
        Gauge.builder("mooring.chaos.enabled", () -> 1)
                .description("1 if faults can be had on demand")
                .register(meters);
        healthChecks.add(HealthCheck.ready("chaos", () -> {
            String armed = chaos.armed();
            return armed.isEmpty() ? Health.ok() : Health.degraded(armed);
        }));
        return supervisor.supervise(ChildSpec.part(Chaos.VERTICLE, supervision -> new ChaosVerticle(chaos)));
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
                    .log("On purpose: {}", done.message());
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
}
