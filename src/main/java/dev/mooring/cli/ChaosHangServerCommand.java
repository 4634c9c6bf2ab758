package dev.mooring.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mooring chaos hang-server}: an NFS server is treated as if it hung. */
@Command(
        name = "hang-server",
        description = "Have everything that asks an NFS server wait, as for one that hangs. The server itself notices"
                + " nothing.")
final class ChaosHangServerCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Mixin
    private ChaosCall call;

    @Parameters(paramLabel = "SERVER", description = "As volumes name it.")
    private String name;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "For how long (${DEFAULT-VALUE}), at most 10m.")
    private String length;

    ChaosHangServerCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        return call.perform(
                ambient,
                "hang-server",
                ChaosCall.body().put("server", name).put("forSeconds", call.seconds("--for", length)));
    }
}
