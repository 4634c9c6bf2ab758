package dev.mooring.volume.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.testing.LivingChildren;
import dev.mooring.testing.Patience;
import dev.mooring.volume.process.CommandException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChildProcessTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final ChildProcess children = new ChildProcess();

    private static Command shell(Duration deadline, String script) {
        return Command.of(deadline, "sh", "-c", script);
    }

    private static List<ProcessHandle> living() {
        return LivingChildren.now();
    }

    @Test
    void tellsHowAProgramEndedAndWhatItSaid() throws Exception {
        CommandResult result = children.run(shell(LONG, "echo out; echo err >&2; exit 7"));
        assertThat(result).isEqualTo(new CommandResult(7, "out\n", "err\n"));
        assertThat(result.succeeded()).isFalse();
        assertThat(result.words()).isEqualTo("err");
    }

    @Test
    void givesItsInputAndNothingOfOurEnvironment() throws Exception {
        Command cat = new Command("cat", List.of(), "some words", LONG);
        assertThat(children.run(cat).output()).isEqualTo("some words");
        assertThat(children.run(Command.of(LONG, "env")).output().lines())
                .containsExactlyInAnyOrder("PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C");
        assertThat(children.run(Command.of(LONG, "pwd")).output()).isEqualTo("/\n");
    }

    @Test
    void handsArgumentsOverAsTheyAre() throws Exception {
        Command command = Command.of(LONG, "printf", "%s|", "$HOME; `id`", "two words", "");
        assertThat(children.run(command).output()).isEqualTo("$HOME; `id`|two words||");
        assertThat(command).hasToString("printf %s| '$HOME; `id`' 'two words' ''");
    }

    @Test
    void killsWhatDoesNotEndInTime() {
        CommandException e =
                catchThrowableOfType(CommandException.class, () -> children.run(Command.of(SHORT, "sleep", "600")));
        assertThat(e.kind()).isEqualTo(Kind.TOO_SLOW);
        assertThat(e).hasMessage("Expected `sleep 600` to end within 300 ms, but it did not and was killed");
        assertThat(living()).isEmpty();
    }

    @Test
    void killsTheChildrenOfAChildToo() {
        Command command = shell(SHORT, "trap '' TERM INT; echo waiting >&2; sleep 600 & sleep 601; true");
        CommandException e = catchThrowableOfType(CommandException.class, () -> children.run(command));
        assertThat(e).hasMessageEndingWith("it said: waiting");
        assertThat(living())
                .noneMatch(each -> each.info().commandLine().orElse("").contains("sleep 60"));
    }

    @Test
    void keepsTheBeginningOfWhatATalkativeProgramSays() throws Exception {
        CommandResult result = children.run(shell(LONG, "yes | head -c 5000000; yes | head -c 5000000 >&2"));
        assertThat(result.succeeded()).isTrue();
        assertThat(result.output()).hasSize(ChildProcess.MAX_OUTPUT);
        assertThat(result.errors()).hasSize(ChildProcess.MAX_OUTPUT);
    }

    @ParameterizedTest
    @CsvSource({"xfs_growfs, xfsprogs", "mount.nfs, nfs-common"})
    void namesThePackageOfAProgramThatIsMissing(String program, String debianPackage) {
        CommandException e = catchThrowableOfType(CommandException.class, () -> Programs.find(program, List.of()));
        assertThat(e.kind()).isEqualTo(Kind.MISSING);
        assertThat(e).hasMessageEndingWith("install the package " + debianPackage);
    }

    @Test
    void saysThatAnUnknownProgramIsMissing() {
        CommandException e = catchThrowableOfType(
                CommandException.class, () -> children.run(Command.of(LONG, "no-such-program-1947")));
        assertThat(e.kind()).isEqualTo(Kind.MISSING);
    }

    @Test
    void killsTheProgramWhenItsThreadIsInterrupted() throws Exception {
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                children.run(Command.of(LONG, "sleep", "602"));
            } catch (CommandException | InterruptedException e) {
                end.set(e);
            }
        });
        thread.start();
        Patience.until(() -> !living().isEmpty());
        thread.interrupt();
        thread.join();
        assertThat(end.get()).isInstanceOf(InterruptedException.class);
        assertThat(living()).isEmpty();
    }
}
