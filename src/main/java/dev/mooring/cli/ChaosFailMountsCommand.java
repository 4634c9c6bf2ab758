package dev.mooring.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mooring chaos fail-next-mounts}: makes volume set-ups fail. */
@Command(
        name = "fail-next-mounts",
        description = "Make the next N volume set-ups for Pods fail. They are retried as usual.")
final class ChaosFailMountsCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private ChaosClient call;

    @Parameters(paramLabel = "N", description = "Number of set-ups.")
    private int count;

    @Option(names = "--node", paramLabel = "NAME", description = "Node (default: the server's node).")
    private String node;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Reason in the Events of the Pods.")
    private String reason;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "10m",
            description = "Time after which the remaining failures are disarmed (${DEFAULT-VALUE}).")
    private String length;

    ChaosFailMountsCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        ObjectNode body = ChaosClient.body().put("count", count).put("forSeconds", call.seconds("--for", length));
        if (node != null) {
            body.put("node", node);
        }
        if (reason != null) {
            body.put("reason", reason);
        }
        return call.perform(environment, "fail-next-mounts", body);
    }
}
