package dev.mooring.cli;

import dev.mooring.log.LogInspector;
import dev.mooring.replay.LogVerifier;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mooring log verify}. */
@Command(
        name = "verify",
        description = "Check every byte: checksums, order, and that replay gives the World that was live.",
        footer = {"", "Exit code 6 if anything is damaged."})
final class LogVerifyCommand implements Callable<Integer> {
    private final Ambient ambient;

    @Mixin
    private LogCommand.Source source;

    LogVerifyCommand(Ambient ambient) {
        this.ambient = ambient;
    }

    @Override
    public Integer call() throws IOException {
        LogInspector inspector = source.inspector();
        LogVerifier.Report report;
        try (Progress progress = new Progress(ambient, "verify", LogCommand.Source.bytes(inspector))) {
            report = new LogVerifier(inspector, progress::at).verify();
        }
        report.problems().forEach(problem -> ambient.err().println("mooring: " + problem));
        String last = report.end().map(end -> "last revision " + end.revision()).orElse("no revision readable");
        ambient.out()
                .println((report.isWell() ? "well" : "DAMAGED") + ": " + report.events() + " events, " + last + ", "
                        + report.snapshots() + " good snapshots, "
                        + report.problems().size() + " problems"
                        + (report.tornTail() ? "; behind the end is an incomplete batch, never acknowledged" : ""));
        return (report.isWell() ? ExitCode.OK : ExitCode.LOG_DAMAGED).number();
    }
}
