package dev.mooring.cli;

import dev.mooring.log.LogInspector;
import dev.mooring.replay.LogVerifier;
import dev.mooring.server.ExitCode;
import dev.mooring.server.ProcessEnvironment;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mooring log verify}: checks the integrity of the log. */
@Command(
        name = "verify",
        description = "Verify the whole log: checksums, order, and that replaying it gives the recorded World.",
        footer = {"", "Exit code 6 if anything is damaged."})
final class LogVerifyCommand implements Callable<Integer> {
    private final ProcessEnvironment environment;

    @Mixin
    private LogCommand.LogSource source;

    LogVerifyCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        return verify(source, environment).number();
    }

    /** Verifies a log and prints the result. */
    static ExitCode verify(LogCommand.LogSource source, ProcessEnvironment environment) throws IOException {
        LogInspector inspector = source.inspector();
        LogVerifier.Report report;
        try (ProgressBar progress = new ProgressBar(environment, "verify", LogCommand.LogSource.bytes(inspector))) {
            report = new LogVerifier(inspector, progress::at).verify();
        }
        report.problems().forEach(problem -> environment.err().println("mooring: " + problem));
        String last = report.end().map(end -> "last revision " + end.revision()).orElse("no revision readable");
        environment
                .out()
                .println((report.isValid() ? "ok" : "DAMAGED") + ": " + report.events() + " events, " + last + ", "
                        + report.snapshots() + " valid snapshots, "
                        + report.problems().size() + " problems"
                        + (report.missingKeys().isEmpty()
                                ? ""
                                : "; checksums only: replaying it needs "
                                        + LogCommand.LogSource.keyNames(report.missingKeys())
                                        + " (--key-file FILE)")
                        + (report.tornTail() ? "; followed by an incomplete batch, never acknowledged" : ""));
        return report.isValid() ? ExitCode.OK : ExitCode.LOG_DAMAGED;
    }
}
