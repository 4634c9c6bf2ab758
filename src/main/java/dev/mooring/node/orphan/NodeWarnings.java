package dev.mooring.node.orphan;

import dev.mooring.control.Notices;
import dev.mooring.model.Cause;
import dev.mooring.model.Notice;
import dev.mooring.model.Notice.Involved;
import dev.mooring.node.WorldPort;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of what is left on the node and needs a person: once in the log, and as an Event of the Node that is not repeated while it can
 * still be read. Any thread.
 */
public final class NodeWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(NodeWarnings.class);

    private final String node;
    private final WorldPort world;
    private final Clock clock;
    private final Map<String, String> logged = new ConcurrentHashMap<>();

    /** @param node its name */
    public NodeWarnings(String node, WorldPort world, Clock clock) {
        this.node = node;
        this.world = world;
        this.clock = clock;
    }

    /**
     * Warns unless that has been done.
     *
     * @param subject what it is about
     * @param message short enough for an Event
     * @param details for the log, all of it
     */
    void warn(String subject, String reason, String message, String details) {
        if (!details.equals(logged.put(subject, details))) {
            LOG.atWarn()
                    .addKeyValue("node", node)
                    .addKeyValue("subject", subject)
                    .addKeyValue("reason", reason)
                    .log(details);
        }
        // The kubelet takes the name of the Node for its uid, and kubectl describe looks for that.
        Notice notice = Notice.warning(new Involved("v1", "Node", "", node, node, ""), reason, message, "node/" + node);
        Notices.tellOnce(world.world(), notice, Cause.none(), clock.instant()).ifPresent(world::propose);
    }

    /** It is all right now; if it happens again that is new. */
    void forget(String subject) {
        logged.remove(subject);
    }
}
