package dev.mooring.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code mooring chaos kill}: a verticle dies, and the supervisor starts it again. */
@Command(name = "kill", description = "Kill a verticle; it is started again, a little later each time.")
final class ChaosKillCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Mixin
    private ChaosCall call;

    @Parameters(paramLabel = "VERTICLE", description = "As mooring chaos list shows it.")
    private String verticle;

    ChaosKillCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        return call.perform(ambient, "kill", ChaosCall.body().put("verticle", verticle));
    }
}
