package dev.mooring.cli;

import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mooring chaos hang-server}: treats an NFS server as hanging. */
@Command(
        name = "hang-server",
        description = "Make all operations on an NFS server wait, as if it hung. The server itself is not affected.")
final class ChaosHangServerCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private ChaosClient call;

    @Parameters(paramLabel = "SERVER", description = "Server name as in volumes.")
    private String name;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "Duration (${DEFAULT-VALUE}), at most 10m.")
    private String length;

    ChaosHangServerCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        return call.perform(
                environment,
                "hang-server",
                ChaosClient.body().put("server", name).put("forSeconds", call.seconds("--for", length)));
    }
}
