package dev.mooring.cli;

import dev.mooring.api.StatusException;
import dev.mooring.model.TimeSpan;
import dev.mooring.replay.Bundle;
import dev.mooring.replay.Recording;
import dev.mooring.server.CommandFailure;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Terminal;
import dev.mooring.server.WhatIf;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jline.reader.Candidate;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.TerminalBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mooring replay}: steps through a recording, verifies it, or simulates what would follow a change. */
@Command(
        name = "replay",
        description = "Step through the events of a log or a bundle, offline. Takes no lock and writes nothing.",
        footer = {
            "",
            "Reads commands from stdin; \"help\" lists them. If stdin is not a terminal, the first command that fails"
                    + " ends",
            "the program with its exit code. Exit code 6 if the log is damaged.",
            "",
            "  mooring replay --data /var/lib/mooring",
            "  mooring replay --bundle mooring-bundle-n1-20260102T030405Z.zip --until 10m",
            "  mooring replay --data /var/lib/mooring --until 812 --then-apply claim.yaml --for 1h",
            "  printf 'break pvc/data phase=Bound\\nrun\\nwhy pvc/data\\n' | mooring replay --data copy"
        })
final class ReplayCommand implements Callable<Integer> {
    private static final Duration MAX_SPAN = Duration.ofDays(1);
    private static final String MOUNT = "mount=";

    private final ProcessEnvironment environment;

    @Mixin
    private LogCommand.LogSource source;

    @Option(names = "--bundle", paramLabel = "FILE", description = "A bundle (mooring debug bundle) instead of a log.")
    private Path bundle;

    @Option(
            names = "--until",
            paramLabel = "REVISION|TIME|AGE",
            description = "Start here (the first revision): a revision, a time, or an age before the end such as 10m.")
    private String until;

    @Option(names = "--verify", description = "Replay everything, compare it with the recorded digests, and end.")
    private boolean verify;

    @Option(
            names = "--then-apply",
            paramLabel = "FILE",
            description = "Print the events that would follow if the manifest were applied at --until (the last"
                    + " revision), and end. Simulated in memory; \"-\" reads stdin.")
    private List<String> manifests = List.of();

    @Option(
            names = "--for",
            paramLabel = "SPAN",
            defaultValue = "10m",
            description = "Virtual time to simulate after --then-apply, up to 1d (${DEFAULT-VALUE}).")
    private String span;

    @Option(
            names = "--fail",
            paramLabel = "mount=NAME",
            description = "In the simulation, mounts of this volume fail: a PersistentVolume, or an inline volume of a"
                    + " Pod. May be repeated.")
    private List<String> failures = List.of();

    ReplayCommand(ProcessEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        if (bundle == null && Files.isRegularFile(source.data())) {
            throw new MooringException(
                    ExitCode.USAGE,
                    source.data() + " is a file, not a data directory; for a bundle: mooring replay --bundle "
                            + source.data());
        }
        if (verify && bundle == null) {
            return LogVerifyCommand.verify(source, environment).number();
        }
        Recording recording = open();
        if (verify) {
            environment
                    .out()
                    .println("ok: " + (recording.last() - recording.first()) + " events, last revision "
                            + recording.world(recording.last()).revision());
            return ExitCode.OK.number();
        }
        ReplayStepper stepper = new ReplayStepper(recording, new ObjectNames(environment.clock()), environment.out());
        if (!manifests.isEmpty()) {
            simulate(recording, until == null ? recording.last() : stepper.revision(until));
            return ExitCode.OK.number();
        }
        if (until != null) {
            stepper.execute("goto " + until);
        }
        return (Terminal.isInteractive() ? converse(stepper, recording) : runScript(stepper)).number();
    }

    private Recording open() throws IOException {
        if (bundle == null) {
            return Recording.ofLog(source.inspector());
        }
        CommandFailure.requireAccess(bundle, AccessMode.READ);
        Bundle read = Bundle.read(bundle);
        environment
                .err()
                .println(TextColumns.clean("Bundle of node " + read.node() + ", Mooring " + read.version()
                        + ", without contents of Secrets"));
        return read.recording();
    }

    private void simulate(Recording recording, long revision) throws IOException {
        Duration length = span();
        WhatIf simulation = new WhatIf(
                recording.world(revision),
                recording.time(revision).orElse(environment.clock().instant()),
                WhatIf.Assumptions.defaults(environment.secureRandom(), source.data())
                        .withFailingMounts(failingMounts()));
        boolean complete;
        try {
            for (String manifest : manifests) {
                simulation.apply(
                        manifest.equals("-")
                                ? new String(environment.in().readAllBytes(), StandardCharsets.UTF_8)
                                : Files.readString(Path.of(manifest)));
            }
            complete = simulation.run(length);
        } catch (StatusException e) {
            throw new MooringException(
                    ExitCode.FAILED,
                    "The API would refuse it (" + e.status().reason() + "): "
                            + e.status().message(),
                    e);
        }
        EventFormatter.EventTable table =
                new EventFormatter.EventTable(new ObjectNames(environment.clock()), environment.out());
        simulation.events().forEach(table::add);
        table.flush();
        simulation.explanations().forEach(each -> environment.out().println("=> " + TextColumns.clean(each.summary())));
        environment
                .err()
                .println("Simulated " + span + " after revision " + revision + ": "
                        + simulation.events().size() + " events" + (complete ? "" : ", then stopped at this limit")
                        + ". Nothing was written. In the simulation, operations of nodes succeed at once"
                        + (failures.isEmpty() ? "" : " unless --fail names them") + ", and no containers run.");
    }

    private Duration span() {
        try {
            Duration length = TimeSpan.parse(span);
            if (length.compareTo(MAX_SPAN) <= 0) {
                return length;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new MooringException(ExitCode.USAGE, "--for must be a time such as 10m, up to 1d, got \"" + span + '"');
    }

    private Set<String> failingMounts() {
        for (String each : failures) {
            if (!each.startsWith(MOUNT)) {
                throw new MooringException(ExitCode.USAGE, "--fail must be mount=NAME, got \"" + each + '"');
            }
        }
        return failures.stream().map(each -> each.substring(MOUNT.length())).collect(Collectors.toSet());
    }

    /** Executes lines until one fails. */
    private ExitCode runScript(ReplayStepper stepper) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(environment.in(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null && !stepper.hasEnded(); line = lines.readLine()) {
            stepper.execute(line);
        }
        return ExitCode.OK;
    }

    private ExitCode converse(ReplayStepper stepper, Recording recording) throws IOException {
        Instant end = recording.end();
        environment
                .err()
                .println("Revisions " + recording.first() + " to " + recording.last() + ", until " + end
                        + "; help lists the commands");
        try (org.jline.terminal.Terminal terminal =
                TerminalBuilder.builder().system(true).dumb(true).build()) {
            LineReader reader = LineReaderBuilder.builder()
                    .terminal(terminal)
                    .appName("mooring replay")
                    .completer((line, parsed, candidates) -> {
                        try {
                            stepper.candidates(parsed.words().subList(0, parsed.wordIndex()))
                                    .forEach(each -> candidates.add(new Candidate(each)));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .build();
            while (!stepper.hasEnded()) {
                try {
                    stepper.execute(reader.readLine(stepper.position() + "> "));
                } catch (UserInterruptException e) {
                    // Ctrl-C discards the line, as in a shell.
                } catch (EndOfFileException e) {
                    break;
                } catch (MooringException | IOException | UncheckedIOException e) {
                    environment.err().println(CommandFailure.of(e).message());
                }
            }
        }
        return ExitCode.OK;
    }
}
