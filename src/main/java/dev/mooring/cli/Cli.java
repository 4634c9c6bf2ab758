package dev.mooring.cli;

import dev.mooring.model.NearestMatch;
import dev.mooring.server.CommandFailure;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Server;
import dev.mooring.server.Terminal;
import dev.mooring.server.Warmup;
import io.vertx.core.Vertx;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Runs the command line and returns an exit code. Data goes to stdout, everything else to stderr. Errors are one
 * message with a next step; stack traces are printed only with {@code --verbose}.
 */
public final class Cli {
    private final ProcessEnvironment environment;

    public Cli(ProcessEnvironment environment) {
        this.environment = environment;
    }

    public int run(String... args) {
        if (args.length == 0 || !args[0].equals(ServerCommand.NAME)) {
            return commandLine(Server::newVertx).execute(args);
        }
        try (Warmup headStart = new Warmup()) {
            return commandLine(headStart::takeVertx).execute(args);
        }
    }

    private CommandLine commandLine(Supplier<Vertx> vertx) {
        CommandLine line = new CommandLine(new MooringCommand())
                .addSubcommand(new ServerCommand(environment, vertx))
                .addSubcommand(logCommand())
                .addSubcommand(new ReplayCommand(environment))
                .addSubcommand(DebugCommand.line(environment))
                .addSubcommand(TokenCommand.line(environment))
                .addSubcommand(new GetCommand(environment))
                .addSubcommand(new DescribeCommand(environment))
                .addSubcommand(new ExplainCommand(environment))
                .addSubcommand(new DiffCommand(environment))
                .addSubcommand(new HistoryCommand(environment))
                .addSubcommand(new ReleaseCommand(environment))
                .addSubcommand(new BackupCommand(environment))
                .addSubcommand(new BackupCommand.RestoreCommand(environment))
                .addSubcommand(new CheckCommand(environment))
                .addSubcommand(new AdoptCommand(environment))
                .addSubcommand(ChaosCommand.line(environment))
                .addSubcommand(new VersionCommand())
                .addSubcommand(new CompletionCommand())
                .addSubcommand(new ManPagesCommand());
        return line.setOut(writer(environment.out()))
                .setErr(writer(environment.err()))
                .setColorScheme(CommandLine.Help.defaultColorScheme(ansi()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Cli::usageError)
                .setExecutionExceptionHandler(Cli::failed);
    }

    private CommandLine logCommand() {
        return new CommandLine(new LogCommand())
                .addSubcommand(new LogStatCommand(environment))
                .addSubcommand(new LogVerifyCommand(environment))
                .addSubcommand(new LogCatCommand(environment))
                .addSubcommand(new LogExportCommand(environment))
                .addSubcommand(new LogPurgeCommand(environment))
                .addSubcommand(new LogReencryptCommand(environment));
    }

    private Ansi ansi() {
        return Terminal.environmentAllowsColor(environment.environment()) ? Ansi.AUTO : Ansi.OFF;
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, StandardCharsets.UTF_8);
    }

    private static int usageError(CommandLine.ParameterException thrown, String[] args) {
        CommandLine line = thrown.getCommandLine();
        line.getErr().println("mooring: " + thrown.getMessage());
        if (thrown instanceof CommandLine.UnmatchedArgumentException unmatched && unmatched.isUnknownOption()) {
            String option = unmatched.getUnmatched().get(0).replaceFirst("=.*", "");
            NearestMatch.ignoringCase(option, line.getCommandSpec().optionsMap().keySet())
                    .filter(nearest -> nearest.startsWith("--"))
                    .ifPresent(nearest -> line.getErr().println("Did you mean: " + nearest + "?"));
        } else {
            CommandLine.UnmatchedArgumentException.printSuggestions(thrown, line.getErr());
        }
        line.getErr().println("next: " + line.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE.number();
    }

    private static int failed(Exception thrown, CommandLine line, CommandLine.ParseResult parsed) {
        CommandFailure failure = CommandFailure.of(thrown);
        if (MooringCommand.isVerbose(line)) {
            thrown.printStackTrace(line.getErr());
        }
        line.getErr().println("mooring: " + failure.message());
        return failure.exitCode().number();
    }
}
