package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerAccessTest {
    @TempDir
    private Path directory;

    private Path file(String content) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), content);
    }

    @Test
    void read_severalContexts_usesTheCurrentOne() throws IOException {
        ServerAccess access =
                ServerAccess.read(file(FakeApiServer.kubeconfig("https://127.0.0.1:7443", "PEM", "s3cret")));
        assertThat(access.server()).hasToString("https://127.0.0.1:7443");
        assertThat(access.authorityPem()).isEqualTo("PEM");
        assertThat(access.token()).isEqualTo("s3cret");
        assertThat(access.toString()).doesNotContain("s3cret");
    }

    @Test
    void read_certificateAndTokenFiles_areRead() throws IOException {
        Files.writeString(directory.resolve("ca.crt"), "PEM");
        Files.writeString(directory.resolve("token"), "s3cret\n");
        ServerAccess access = ServerAccess.read(file("""
            current-context: a
            contexts: [{name: a, context: {cluster: a, user: a}}]
            clusters: [{name: a, cluster: {server: "https://h:1", certificate-authority: ca.crt}}]
            users: [{name: a, user: {tokenFile: token}}]
            """));
        assertThat(access.authorityPem()).isEqualTo("PEM");
        assertThat(access.token()).isEqualTo("s3cret");
    }

    @Test
    void read_missingFile_namesHowToGetAKubeconfig() {
        assertThatThrownBy(() -> ServerAccess.read(directory.resolve("none")))
                .isInstanceOfSatisfying(
                        MooringException.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.NOT_FOUND))
                .hasMessageContaining("next: start a server (make run), or specify its kubeconfig with --kubeconfig");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "token: [s3cret | it is not YAML",
                "s3cret | it is not a kubeconfig",
                "{} | its contexts have no \"\"",
                "{current-context: a, contexts: [{name: a, context: {cluster: b}}]} | its clusters have no \"b\""
            })
    void read_notAKubeconfig_namesTheProblemWithoutQuotingTheFile(String content, String finding) throws IOException {
        Path file = file(content);
        assertThatThrownBy(() -> ServerAccess.read(file))
                .isInstanceOf(MooringException.class)
                .hasMessageContaining(" as the kubeconfig of a server: " + finding + "; next:")
                .hasNoCause()
                .message()
                .doesNotContain("s3cret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server: 'https://h:1' | token: t | it has no certificate authority",
                "server: 'https://h:1', certificate-authority-data: '!' | token: t | its certificate-authority-data is"
                        + " not base64",
                "server: 'https://h:1', certificate-authority-data: UEVN | username: u | its user has no token",
                "server: 'http://h:1', certificate-authority-data: UEVN | token: t | its server \"http://h:1\" is not"
                        + " an https:// address",
                "server: 'h 1', certificate-authority-data: UEVN | token: t | its server \"h 1\" is not an address"
            })
    void read_missingAuthorityTokenOrHttps_isRejected(String cluster, String user, String finding) throws IOException {
        Path file =
                file("current-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nclusters: [{name: a,"
                        + " cluster: {" + cluster.replace("'", "\"") + "}}]\nusers: [{name: a, user: {" + user
                        + "}}]\n");
        assertThatThrownBy(() -> ServerAccess.read(file))
                .hasMessageContaining(" as the kubeconfig of a server: " + finding + "; next:");
    }
}
