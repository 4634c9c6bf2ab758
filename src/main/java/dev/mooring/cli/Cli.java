package dev.mooring.cli;

import dev.mooring.cli.logging.Terminal;
import io.vertx.core.Vertx;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * The command line as a function from arguments to an exit code. Data goes to stdout, everything else to stderr. Errors are one
 * message and a way on; stack traces only with {@code --verbose}.
 */
public final class Cli {
    private final Ambient ambient;

    public Cli(Ambient ambient) {
        this.ambient = ambient;
    }

    public int run(String... args) {
        if (args.length == 0 || !args[0].equals(ServerCommand.NAME)) {
            return commandLine(Server::newVertx).execute(args);
        }
        try (HeadStart headStart = new HeadStart()) {
            return commandLine(headStart::takeVertx).execute(args);
        }
    }

    private CommandLine commandLine(Supplier<Vertx> vertx) {
        CommandLine line = new CommandLine(new MooringCommand())
                .addSubcommand(new ServerCommand(ambient, vertx))
                .addSubcommand(logCommand())
                .addSubcommand(TokenCommand.line(ambient))
                .addSubcommand(new ReleaseCommand(ambient))
                .addSubcommand(ChaosCommand.line(ambient))
                .addSubcommand(new VersionCommand())
                .addSubcommand(new CompletionCommand());
        return line.setOut(writer(ambient.out()))
                .setErr(writer(ambient.err()))
                .setColorScheme(CommandLine.Help.defaultColorScheme(ansi()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Cli::usageError)
                .setExecutionExceptionHandler(Cli::failed);
    }

    private CommandLine logCommand() {
        return new CommandLine(new LogCommand())
                .addSubcommand(new LogStatCommand(ambient))
                .addSubcommand(new LogVerifyCommand(ambient))
                .addSubcommand(new LogCatCommand(ambient))
                .addSubcommand(new LogExportCommand(ambient));
    }

    private Ansi ansi() {
        return Terminal.environmentAllowsColor(ambient.environment()) ? Ansi.AUTO : Ansi.OFF;
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, StandardCharsets.UTF_8);
    }

    private static int usageError(CommandLine.ParameterException thrown, String[] args) {
        CommandLine line = thrown.getCommandLine();
        line.getErr().println("mooring: " + thrown.getMessage());
        line.getErr().println("next: " + line.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE.number();
    }

    private static int failed(Exception thrown, CommandLine line, CommandLine.ParseResult parsed) {
        Failure failure = Failure.of(thrown);
        if (MooringCommand.isVerbose(line)) {
            thrown.printStackTrace(line.getErr());
        }
        line.getErr().println("mooring: " + failure.message());
        return failure.exitCode().number();
    }
}
