package dev.mooring.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mooring chaos}: faults on demand, in a running server that was configured to have them. */
@Command(
        name = "chaos",
        description = {
            "Do harm to a running server, to see what comes of it.",
            "",
            "Only if it was started with chaos.enabled: true (MOORING_CHAOS_ENABLED=true), and only for admins."
                    + " Everything is written into the history, and ends by itself within ten minutes."
        },
        synopsisSubcommandLabel = "COMMAND")
final class ChaosCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    static CommandLine line(Ambient ambient) {
        return new CommandLine(new ChaosCommand())
                .addSubcommand(new ChaosListCommand(ambient))
                .addSubcommand(new ChaosKillCommand(ambient))
                .addSubcommand(new ChaosPauseCommand(ambient))
                .addSubcommand(new ChaosFailMountsCommand(ambient))
                .addSubcommand(new ChaosHangServerCommand(ambient))
                .addSubcommand(new ChaosMonkeyCommand(ambient))
                .addSubcommand(new ChaosStopCommand(ambient));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Expected one of list, kill, pause, fail-next-mounts, hang-server, monkey, stop, but got none");
    }
}
