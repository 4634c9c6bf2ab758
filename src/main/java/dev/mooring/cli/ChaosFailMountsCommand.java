package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mooring chaos fail-next-mounts}: volumes cannot be set up. */
@Command(
        name = "fail-next-mounts",
        description = "Have the next N volumes that Pods need fail to be set up. They are tried again, as ever.")
final class ChaosFailMountsCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Mixin
    private ChaosCall call;

    @Parameters(paramLabel = "N", description = "How many.")
    private int count;

    @Option(names = "--node", paramLabel = "NAME", description = "On which node (the one of the server).")
    private String node;

    @Option(names = "--reason", paramLabel = "TEXT", description = "What the Events of the Pods say.")
    private String reason;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "10m",
            description = "When to forget those that are left (${DEFAULT-VALUE}).")
    private String length;

    ChaosFailMountsCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        ObjectNode body = ChaosCall.body().put("count", count).put("forSeconds", call.seconds("--for", length));
        if (node != null) {
            body.put("node", node);
        }
        if (reason != null) {
            body.put("reason", reason);
        }
        return call.perform(ambient, "fail-next-mounts", body);
    }
}
