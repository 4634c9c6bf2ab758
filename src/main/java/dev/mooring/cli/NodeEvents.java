package dev.mooring.cli;

import dev.mooring.control.Notices;
import dev.mooring.model.Cause;
import dev.mooring.model.Notice;
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

/** What the process has to say about itself, as Events of its Node. Any thread; never blocks. */
final class NodeEvents {
    private static final Logger LOG = LoggerFactory.getLogger(NodeEvents.class);
    private static final String COMPONENT = "mooring";

    /** Another may tell the same at the same time, and then both count it up: one of them has to look again. */
    private static final int ATTEMPTS = 5;

    private final String node;
    private final Ledger ledger;
    private final Clock clock;

    NodeEvents(String node, Ledger ledger, Clock clock) {
        this.node = node;
        this.ledger = ledger;
        this.clock = clock;
    }

    /** As a kubelet does, so that {@code kubectl describe node} shows when and how often Mooring was started. Nobody waits for it. */
    void started() {
        ledger.world()
                .get(ObjectKey.clusterWide("nodes", node))
                .map(Notice.Involved::of)
                .map(found -> Notice.normal(found, "Starting", "Starting Mooring.", COMPONENT))
                .flatMap(notice -> Notices.tell(ledger.world(), notice, Cause.none(), clock.instant()))
                .ifPresent(ledger::propose);
    }

    void tell(Notice.Type type, String reason, String message) {
        tell(notice(type, reason, message), Optional.empty(), 1).thenAccept(told -> {
            if (!told) {
                LOG.atDebug().addKeyValue("reason", reason).log("Expected to write an Event, but it did not happen");
            }
        });
    }

    /**
     * Tells it as an event of a type and an actor of its own, for whoever reads history.
     *
     * @return whether it is durable
     */
    CompletionStage<Boolean> tell(String type, String actor, String message) {
        return tell(notice(Notice.Type.WARNING, type, message), Optional.of(actor), 1);
    }

    private Notice notice(Notice.Type type, String reason, String message) {
        // The kubelet takes the name of the Node for its uid, and kubectl describe looks for that.
        return new Notice(new Notice.Involved("v1", "Node", "", node, node, ""), type, reason, message, COMPONENT);
    }

    private CompletionStage<Boolean> tell(Notice notice, Optional<String> actor, int attempt) {
        World world = ledger.world();
        Optional<Proposal> proposal = Notices.tell(world, notice, Cause.none(), clock.instant())
                .map(told -> actor.map(who ->
                                new Proposal(notice.reason(), who, told.cause(), told.writes(), told.expectations()))
                        .orElse(told));
        if (proposal.isEmpty()) {
            return CompletableFuture.completedStage(false);
        }
        return ledger.propose(proposal.get())
                .thenCompose(outcome -> outcome instanceof Outcome.Conflict && attempt < ATTEMPTS
                        ? tell(notice, actor, attempt + 1)
                        : CompletableFuture.completedStage(outcome instanceof Outcome.Committed));
    }
}
