package dev.mooring.cli;

import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mooring chaos pause}: stops a verticle for a while. */
@Command(name = "pause", description = "Stop a verticle for a while.")
final class ChaosPauseCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private ChaosClient call;

    @Parameters(
            paramLabel = "VERTICLE",
            defaultValue = "all",
            description = "Verticle name, as in mooring chaos list; default: all, including the API.")
    private String verticle;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "Duration (${DEFAULT-VALUE}), at most 10m.")
    private String length;

    ChaosPauseCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        return call.perform(
                environment,
                "pause",
                ChaosClient.body().put("verticle", verticle).put("forSeconds", call.seconds("--for", length)));
    }
}
