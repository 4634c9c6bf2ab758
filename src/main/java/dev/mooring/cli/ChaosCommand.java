package dev.mooring.cli;

import dev.mooring.server.ProcessEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mooring chaos}: injects faults into a running server that has chaos enabled. */
@Command(
        name = "chaos",
        description = {
            "Inject faults into a running server, for testing.",
            "",
            "Only if it was started with chaos.enabled: true (MOORING_CHAOS_ENABLED=true), and only for admins."
                    + " Each fault is recorded in the history and ends by itself within ten minutes."
        },
        synopsisSubcommandLabel = "COMMAND")
final class ChaosCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    static CommandLine line(ProcessEnvironment environment) {
        return new CommandLine(new ChaosCommand())
                .addSubcommand(new ChaosListCommand(environment))
                .addSubcommand(new ChaosKillCommand(environment))
                .addSubcommand(new ChaosPauseCommand(environment))
                .addSubcommand(new ChaosFailMountsCommand(environment))
                .addSubcommand(new ChaosHangServerCommand(environment))
                .addSubcommand(new ChaosMonkeyCommand(environment))
                .addSubcommand(new ChaosStopCommand(environment));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Missing command; expected one of list, kill, pause, fail-next-mounts, hang-server, monkey, stop");
    }
}
