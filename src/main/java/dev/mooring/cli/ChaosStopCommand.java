package dev.mooring.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mooring chaos stop}: everything that is armed ends. */
@Command(name = "stop", description = "End everything that has not ended by itself yet.")
final class ChaosStopCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Mixin
    private ChaosCall call;

    ChaosStopCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        return call.perform(ambient, "stop", ChaosCall.body());
    }
}
