package dev.mooring.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mooring chaos pause}: a verticle is stopped for a while. */
@Command(name = "pause", description = "Stop a verticle for a while.")
final class ChaosPauseCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Mixin
    private ChaosCall call;

    @Parameters(
            paramLabel = "VERTICLE",
            defaultValue = "all",
            description = "As mooring chaos list shows it; all of them if none is named, the API included.")
    private String verticle;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "For how long (${DEFAULT-VALUE}), at most 10m.")
    private String length;

    ChaosPauseCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        return call.perform(
                ambient,
                "pause",
                ChaosCall.body().put("verticle", verticle).put("forSeconds", call.seconds("--for", length)));
    }
}
