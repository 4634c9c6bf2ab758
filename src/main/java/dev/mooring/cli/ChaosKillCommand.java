package dev.mooring.cli;

import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code mooring chaos kill}: kills a verticle, which the supervisor restarts. */
@Command(name = "kill", description = "Kill a verticle; the supervisor restarts it with back-off.")
final class ChaosKillCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private ChaosClient call;

    @Parameters(paramLabel = "VERTICLE", description = "Verticle name, as in mooring chaos list.")
    private String verticle;

    ChaosKillCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        return call.perform(environment, "kill", ChaosClient.body().put("verticle", verticle));
    }
}
