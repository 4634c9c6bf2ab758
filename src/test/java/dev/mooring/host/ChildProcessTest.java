package dev.mooring.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.CommandException.CommandFailureKind;
import dev.mooring.testing.ChildProcesses;
import dev.mooring.testing.ConditionPoller;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChildProcessTest {
    private static final Duration LONG = Duration.ofSeconds(100);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final ChildProcess children = new ChildProcess();

    /** Children that earlier tests have not waited for. */
    private final Set<ProcessHandle> before = Set.copyOf(ChildProcesses.running());

    private static Command shell(Duration deadline, String script) {
        return Command.of(deadline, "sh", "-c", script);
    }

    private List<ProcessHandle> running() {
        return ChildProcesses.running().stream()
                .filter(each -> !before.contains(each))
                .toList();
    }

    @Test
    void run_programExits_returnsCodeAndOutput() throws Exception {
        CommandResult result = children.run(shell(LONG, "echo out; echo err >&2; exit 7"));
        assertThat(result).isEqualTo(new CommandResult(7, "out\n", "err\n"));
        assertThat(result.succeeded()).isFalse();
        assertThat(result.errorOrOutput()).isEqualTo("err");
    }

    @Test
    void run_passesInputButNotEnvironment() throws Exception {
        Command cat = new Command("cat", List.of(), "some input", LONG);
        assertThat(children.run(cat).output()).isEqualTo("some input");
        assertThat(children.run(Command.of(LONG, "env")).output().lines())
                .containsExactlyInAnyOrder("PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C");
        assertThat(children.run(Command.of(LONG, "pwd")).output()).isEqualTo("/\n");
    }

    @Test
    void run_argumentsWithSpecialCharacters_arePassedUnchanged() throws Exception {
        Command command = Command.of(LONG, "printf", "%s|", "$HOME; `id`", "two words", "");
        assertThat(children.run(command).output()).isEqualTo("$HOME; `id`|two words||");
        assertThat(command).hasToString("printf %s| '$HOME; `id`' 'two words' ''");
    }

    @Test
    void run_timeout_killsProgram() {
        CommandException e =
                catchThrowableOfType(CommandException.class, () -> children.run(Command.of(SHORT, "sleep", "600")));
        assertThat(e.kind()).isEqualTo(CommandFailureKind.TIMED_OUT);
        assertThat(e).hasMessage("`sleep 600` timed out after 300 ms and was killed");
        assertThat(running()).isEmpty();
    }

    @Test
    void run_timeout_killsDescendants() {
        // Long enough for a busy machine to start the programs.
        Command command =
                shell(Duration.ofSeconds(3), "trap '' TERM INT; echo waiting >&2; sleep 600 & sleep 601; true");
        CommandException e = catchThrowableOfType(CommandException.class, () -> children.run(command));
        assertThat(e).hasMessageEndingWith("stderr: waiting");
        assertThat(running())
                .noneMatch(each -> each.info().commandLine().orElse("").contains("sleep 60"));
    }

    @Test
    void run_largeOutput_isTruncated() throws Exception {
        CommandResult result = children.run(shell(LONG, "yes | head -c 5000000; yes | head -c 5000000 >&2"));
        assertThat(result.succeeded()).isTrue();
        assertThat(result.output()).hasSize(ChildProcess.MAX_OUTPUT);
        assertThat(result.stderr()).hasSize(ChildProcess.MAX_OUTPUT);
    }

    @ParameterizedTest
    @CsvSource({"xfs_growfs, xfsprogs", "mount.nfs, nfs-common"})
    void find_programMissing_namesPackage(String program, String debianPackage) {
        CommandException e = catchThrowableOfType(
                CommandException.class, () -> ChildProcess.SystemPrograms.find(program, List.of()));
        assertThat(e.kind()).isEqualTo(CommandFailureKind.MISSING);
        assertThat(e).hasMessageEndingWith("install the package " + debianPackage);
    }

    @Test
    void run_unknownProgram_failsAsMissing() {
        CommandException e = catchThrowableOfType(
                CommandException.class, () -> children.run(Command.of(LONG, "no-such-program-1947")));
        assertThat(e.kind()).isEqualTo(CommandFailureKind.MISSING);
    }

    @Test
    void run_interrupted_killsProgram() throws Exception {
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                children.run(Command.of(LONG, "sleep", "602"));
            } catch (CommandException | InterruptedException e) {
                end.set(e);
            }
        });
        thread.start();
        ConditionPoller.until(() -> !running().isEmpty());
        thread.interrupt();
        thread.join();
        assertThat(end.get()).isInstanceOf(InterruptedException.class);
        assertThat(running()).isEmpty();
    }
}
