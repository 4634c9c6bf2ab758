package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.LogDamagedException;
import dev.mooring.server.CommandFailure;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import dev.mooring.server.ServerFixture;
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
    void version_command_printsOneLineToStdout() {
        assertThat(run("version")).isZero();

        assertThat(text(out))
                .startsWith("mooring ")
                .contains("kubernetes v1.32.")
                .hasLineCount(1);
        assertThat(text(err)).isEmpty();
    }

    @Test
    void version_option_printsTheSameAsTheCommand() {
        run("version");
        String version = text(out);
        out.reset();

        assertThat(run("--version")).isZero();
        assertThat(text(out)).isEqualTo(version);
    }

    @Test
    void usage_misspelledCommandOrOption_suggestsTheNearest() {
        assertThat(run("serv")).isEqualTo(2);
        assertThat(text(err)).contains("Unmatched argument at index 0: 'serv'", "Did you mean", "server");
        err.reset();

        assertThat(run("log", "verfy")).isEqualTo(2);
        assertThat(text(err)).contains("Did you mean", "verify");
        err.reset();

        assertThat(run("server", "--lisen", "127.0.0.1:0")).isEqualTo(2);
        assertThat(text(err)).contains("--lisen", "--listen");
        err.reset();

        assertThat(run("server", "--dta=x")).isEqualTo(2);
        assertThat(text(err)).contains("Did you mean: --data?");
    }

    @Test
    void help_commandAndOption_printToStdout() {
        assertThat(run("help")).isZero();
        assertThat(text(out)).contains("server", "version", "completion", "Exit codes:");
        out.reset();
        assertThat(run("help", "log", "stat")).isZero();
        assertThat(text(out)).contains("mooring log stat");
        assertThat(run("help", "serve")).isEqualTo(2);
        assertThat(run("help", "server")).isZero();
        assertThat(text(out)).contains("--listen", "--kubeconfig");
        out.reset();
        assertThat(run("--help")).isZero();
        assertThat(text(out)).contains("server", "version", "completion", "Exit codes:");
        assertThat(run("server", "--help")).isZero();
        assertThat(text(out)).contains("--listen", "--kubeconfig", "--node", "--config", "--data", "--log");
    }

    @Test
    void completion_printsScriptsForBashZshAndFish() {
        assertThat(run("completion", "bash")).isZero();
        assertThat(text(out)).contains("complete -F _complete_mooring").contains("--kubeconfig");
        assertThat(run("completion", "zsh")).isZero();
        assertThat(run("completion", "fish")).isZero();
        assertThat(text(out))
                .contains("complete -c mooring -n 'not __fish_seen_subcommand_from help server log ")
                .contains("-f -a 'server' -d 'Run the control plane")
                .contains("complete -c mooring -n '__fish_seen_subcommand_from server' -l listen -r -d 'Listen address")
                .contains("complete -c mooring -n '__fish_seen_subcommand_from log; and "
                        + "__fish_seen_subcommand_from cat' -l object -r");
        assertThat(run("completion", "tcsh")).isEqualTo(2);
    }

    @Test
    void usage_invalidArguments_exitsWithTwoAndNamesHelp() {
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
    void server_invalidSettings_exitsWithTwo() {
        assertThat(run("server", "--data", directory.toString(), "--listen", "nowhere"))
                .isEqualTo(2);
        assertThat(text(err)).contains("listen must be HOST:PORT").contains("got \"nowhere\" from --listen;");

        assertThat(run("server", "--log", "etcd://127.0.0.1:2379")).isEqualTo(2);
        assertThat(text(err)).contains("not available in this version").doesNotContain("\tat ");
    }

    @Test
    void server_startFailure_exitsWithOneAndPrintsStackTraceOnlyIfVerbose() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");

        assertThat(run("server", "--data", file.toString())).isEqualTo(1);
        assertThat(text(err))
                .contains("mooring: " + file + " exists and is not a directory")
                .doesNotContain("\tat ");

        assertThat(run("server", "--verbose", "--data", file.toString())).isEqualTo(1);
        assertThat(text(err)).contains("\tat ");
    }

    @Test
    void server_portInUse_exitsWithOne() throws IOException {
        try (ServerSocket occupied = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + occupied.getLocalPort();

            assertThat(run("server", "--data", directory.toString(), "--listen", address))
                    .isEqualTo(1);

            assertThat(text(err)).contains("Cannot listen on " + address).doesNotContain("\tat ");
            assertThat(text(out)).isEmpty();
        }
    }

    @Test
    void exitCodes_matchTheDocumentedContract() {
        assertThat(ExitCode.values()).extracting(ExitCode::number).containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(CommandFailure.of(new MooringException(ExitCode.CONFLICT, "m")))
                .isEqualTo(new CommandFailure(ExitCode.CONFLICT, "m"));
        assertThat(CommandFailure.of(new CompletionException(new TimeoutException("t")))
                        .exitCode())
                .isEqualTo(ExitCode.TIMEOUT);
        assertThat(CommandFailure.of(new UncheckedIOException(new NoSuchFileException("/f")))
                        .message())
                .isEqualTo("/f does not exist; next: check the path");
        assertThat(CommandFailure.of(new LogDamagedException("segment", 812, 7, "a flipped bit"))
                        .exitCode())
                .isEqualTo(ExitCode.LOG_DAMAGED);
        assertThat(CommandFailure.of(new IllegalStateException("bug")).message())
                .contains("bug")
                .contains("--verbose");
    }

    private int run(String... args) {
        return new Cli(ServerFixture.ambient(Map.of("NO_COLOR", "1"), out, err)).run(args);
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }
}
