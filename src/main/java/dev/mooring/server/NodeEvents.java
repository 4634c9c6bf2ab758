package dev.mooring.server;

import dev.mooring.control.EventProposals;
import dev.mooring.model.Cause;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.Ledger;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records Events about this process on its Node. Thread-safe; never blocks. */
final class NodeEvents {
    private static final Logger LOG = LoggerFactory.getLogger(NodeEvents.class);
    private static final String COMPONENT = "mooring";

    /** Retries on conflict, because concurrent recorders may update the count of the same Event. */
    private static final int ATTEMPTS = 5;

    private final String node;
    private final Ledger ledger;
    private final Clock clock;

    NodeEvents(String node, Ledger ledger, Clock clock) {
        this.node = node;
        this.ledger = ledger;
        this.clock = clock;
    }

    /**
     * Records that the process started, as the kubelet does, so that {@code kubectl describe node} shows the starts.
     * Asynchronous.
     */
    void started() {
        ledger.world()
                .get(ObjectKey.clusterWide("nodes", node))
                .map(KubeEvent.InvolvedObject::of)
                .map(KubeEvent::starting)
                .flatMap(event -> EventProposals.recordEvent(ledger.world(), event, Cause.none(), clock.instant()))
                .ifPresent(ledger::propose);
    }

    void record(KubeEvent.Type type, String reason, String message) {
        record(event(type, reason, message), Optional.empty(), 1).thenAccept(isRecorded -> {
            if (!isRecorded) {
                LOG.atDebug().addKeyValue("reason", reason).log("Failed to record Event");
            }
        });
    }

    /**
     * Records an event with its own type and actor in the history.
     *
     * @return whether it is durable
     */
    CompletionStage<Boolean> record(String type, String actor, String message) {
        return record(event(KubeEvent.Type.WARNING, type, message), Optional.of(actor), 1);
    }

    private KubeEvent event(KubeEvent.Type type, String reason, String message) {
        // The kubelet uses the Node's name as its uid, and kubectl describe selects by it.
        return new KubeEvent(
                new KubeEvent.InvolvedObject("v1", "Node", "", node, node, ""), type, reason, message, COMPONENT);
    }

    private CompletionStage<Boolean> record(KubeEvent event, Optional<String> actor, int attempt) {
        World world = ledger.world();
        Optional<Proposal> proposal = EventProposals.recordEvent(world, event, Cause.none(), clock.instant())
                .map(plain -> actor.map(name ->
                                new Proposal(event.reason(), name, plain.cause(), plain.writes(), plain.expectations()))
                        .orElse(plain));
        if (proposal.isEmpty()) {
            return CompletableFuture.completedStage(false);
        }
        return ledger.propose(proposal.get())
                .thenCompose(outcome -> outcome instanceof Outcome.Conflict && attempt < ATTEMPTS
                        ? record(event, actor, attempt + 1)
                        : CompletableFuture.completedStage(outcome instanceof Outcome.Committed));
    }
}
