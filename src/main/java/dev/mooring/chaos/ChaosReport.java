package dev.mooring.chaos;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Builds the JSON report. Stateless. */
final class ChaosReport {
    private static final double MILLIS = 1000;

    private ChaosReport() {}

    static ObjectNode of(String node, List<ChaosTarget> verticles) {
        ObjectNode report = JsonNodeFactory.instance.objectNode();
        report.put("kind", "Chaos").put("apiVersion", "mooring.dev/v1").put("node", node);
        ArrayNode all = report.putArray("verticles");
        for (ChaosTarget each : verticles) {
            ObjectNode verticle = all.addObject()
                    .put("name", each.name())
                    .put("state", each.state())
                    .put("restarts", each.restarts())
                    .put("deathsInARow", each.deathsInARow());
            each.lastCause().ifPresent(cause -> verticle.put("lastCause", cause));
            each.until().ifPresent(until -> verticle.put("until", until.toString()));
        }
        return report;
    }

    static void add(ArrayNode faults, Faults.ArmedMountFailures mounts) {
        faults.addObject()
                .put("fault", "fail-next-mounts")
                .put("left", mounts.left())
                .put("reason", mounts.reason())
                .put("until", mounts.until().toString());
    }

    static void add(ArrayNode faults, Faults.HungServer hung) {
        faults.addObject()
                .put("fault", "hang-server")
                .put("server", hung.server())
                .put("until", hung.until().toString());
    }

    static void addPaused(ArrayNode faults, ChaosTarget paused) {
        ObjectNode fault = faults.addObject().put("fault", "pause").put("verticle", paused.name());
        paused.until().ifPresent(until -> fault.put("until", until.toString()));
    }

    static void add(ArrayNode faults, ChaosRun run) {
        ObjectNode fault = faults.addObject()
                .put("fault", "monkey")
                .put("everySeconds", run.every().toMillis() / MILLIS)
                .put("until", run.until().toString())
                .put("seed", run.seed())
                .put("killed", run.killed());
        ArrayNode among = fault.putArray("among");
        run.targets().stream().sorted().forEach(among::add);
    }
}
