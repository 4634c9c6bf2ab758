package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.LogDamagedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CliTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    @Test
    void shouldPrintItsVersionToStdout() {
        assertThat(run("version")).isZero();

        assertThat(text(out))
                .startsWith("mooring ")
                .contains("kubernetes v1.32.")
                .hasLineCount(1);
        assertThat(text(err)).isEmpty();
    }

    @Test
    void shouldPrintHelpToStdout() {
        assertThat(run("--help")).isZero();
        assertThat(text(out)).contains("server", "version", "completion", "Exit codes:");
        assertThat(run("server", "--help")).isZero();
        assertThat(text(out)).contains("--listen", "--kubeconfig", "--node", "--config", "--data", "--log");
    }

    @Test
    void shouldPrintCompletionForBashAndZsh() {
        assertThat(run("completion", "bash")).isZero();
        assertThat(text(out)).contains("complete -F _complete_mooring").contains("--kubeconfig");
        assertThat(run("completion", "zsh")).isZero();
        assertThat(run("completion", "fish")).isEqualTo(2);
    }

    @Test
    void shouldAnswerWrongUsageWithTwoAndTheWayToHelp() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("serve")).isEqualTo(2);
        assertThat(run("server", "--bogus")).isEqualTo(2);

        assertThat(text(err))
                .contains("--bogus")
                .contains("next: mooring server --help")
                .doesNotContain("\tat ");
        assertThat(text(out)).isEmpty();
    }

    @Test
    void shouldAnswerWrongSettingsWithTwo() {
        assertThat(run("server", "--data", directory.toString(), "--listen", "nowhere"))
                .isEqualTo(2);
        assertThat(text(err)).contains("Expected listen to be HOST:PORT").contains("--listen says \"nowhere\"");

        assertThat(run("server", "--log", "etcd://127.0.0.1:2379")).isEqualTo(2);
        assertThat(text(err)).contains("not available in this version").doesNotContain("\tat ");
    }

    @Test
    void shouldAnswerAnOrdinaryFailureWithOneAndNoStackTraceUnlessVerbose() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");

        assertThat(run("server", "--data", file.toString())).isEqualTo(1);
        assertThat(text(err)).contains("mooring: Expected " + file).doesNotContain("\tat ");

        assertThat(run("server", "--verbose", "--data", file.toString())).isEqualTo(1);
        assertThat(text(err)).contains("\tat ");
    }

    @Test
    void shouldAnswerATakenPortWithOne() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();

            assertThat(run("server", "--data", directory.toString(), "--listen", address))
                    .isEqualTo(1);

            assertThat(text(err)).contains("Expected to listen on " + address).doesNotContain("\tat ");
            assertThat(text(out)).isEmpty();
        }
    }

    @Test
    void shouldHaveTheCodesThatWerePromised() {
        assertThat(ExitCode.values()).extracting(ExitCode::number).containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(Failure.of(new MooringException(ExitCode.CONFLICT, "m")))
                .isEqualTo(new Failure(ExitCode.CONFLICT, "m"));
        assertThat(Failure.of(new CompletionException(new TimeoutException("t")))
                        .exitCode())
                .isEqualTo(ExitCode.TIMEOUT);
        assertThat(Failure.of(new UncheckedIOException(new NoSuchFileException("/f")))
                        .message())
                .isEqualTo("Expected /f to exist, but it does not; next: check the path");
        assertThat(Failure.of(new LogDamagedException("segment", 812, 7, "a flipped bit"))
                        .exitCode())
                .isEqualTo(ExitCode.LOG_DAMAGED);
        assertThat(Failure.of(new IllegalStateException("bug")).message())
                .contains("bug")
                .contains("--verbose");
    }

    private int run(String... args) {
        return new Cli(TestServers.ambient(Map.of("NO_COLOR", "1"), out, err)).run(args);
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }
}
