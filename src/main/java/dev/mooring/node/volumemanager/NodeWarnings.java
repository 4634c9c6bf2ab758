package dev.mooring.node.volumemanager;

import dev.mooring.control.EventProposals;
import dev.mooring.model.Cause;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.KubeEvent.InvolvedObject;
import dev.mooring.node.WorldPort;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of leftovers on the node that need an administrator: once in the log, and as a Node Event that is not repeated
 * until it has expired. Any thread.
 */
public final class NodeWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(NodeWarnings.class);

    private final String node;
    private final WorldPort world;
    private final Clock clock;
    private final Map<String, String> logged = new ConcurrentHashMap<>();

    /**
     * Creates the recorder.
     *
     * @param node name of the node
     */
    public NodeWarnings(String node, WorldPort world, Clock clock) {
        this.node = node;
        this.world = world;
        this.clock = clock;
    }

    /**
     * Warns once per subject.
     *
     * @param subject key of the warning
     * @param message for the Event
     * @param details for the log
     */
    void warn(String subject, String reason, String message, String details) {
        if (!details.equals(logged.put(subject, details))) {
            LOG.atWarn()
                    .addKeyValue("node", node)
                    .addKeyValue("subject", subject)
                    .addKeyValue("reason", reason)
                    .log(details);
        }
        // The kubelet uses the Node's name as its UID in Events, and kubectl describe searches for that.
        KubeEvent event = KubeEvent.warning(
                new InvolvedObject("v1", "Node", "", node, node, ""), reason, message, "node/" + node);
        EventProposals.recordEventOnce(world.world(), event, Cause.none(), clock.instant())
                .ifPresent(world::propose);
    }

    /** Clears a warning; a recurrence is reported again. */
    void forget(String subject) {
        logged.remove(subject);
    }
}
