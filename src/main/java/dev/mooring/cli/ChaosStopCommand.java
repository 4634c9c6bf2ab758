package dev.mooring.cli;

import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mooring chaos stop}: disarms all faults. */
@Command(name = "stop", description = "Disarm all faults.")
final class ChaosStopCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private ChaosClient call;

    ChaosStopCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        return call.perform(environment, "stop", ChaosClient.body());
    }
}
