package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.RealDisk;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.HostInspector;
import dev.mooring.testing.SecretLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests purge and encryption with the program itself on the data of a real server. */
@Timeout(900)
class LogPurgeProcessTest {
    private static final String SECRETS = "/api/v1/namespaces/default/secrets";

    @TempDir
    private Path directory;

    private static String secret(String name, String value) {
        String annotation = "{\\\"data\\\":{\\\"p\\\":\\\"" + SecretLog.base64(value) + "\\\"}}";
        return "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"" + name
                + "\",\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"" + annotation
                + "\"}},\"data\":{\"p\":\"" + SecretLog.base64(value) + "\"}}";
    }

    /**
     * Returns the files below the data directory that contain a text, plain or in base64. A running server may rename
     * and remove files meanwhile.
     */
    private static List<Path> filesWith(Path data, String text) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String name : new HostInspector(data).names("")) {
            Path file = data.resolve(name);
            try {
                String content = Files.isRegularFile(file)
                        ? new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                        : "";
                if (content.contains(text) || content.contains(SecretLog.base64(text))) {
                    found.add(file);
                }
            } catch (NoSuchFileException e) {
                // Removed since it was listed.
            }
        }
        return found;
    }

    /** Returns the lines of a watch up to the first that contains a text. */
    private static String watchUntil(ServerApi api, String path, String text) throws IOException {
        StringBuilder watched = new StringBuilder();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(api.open(path).body(), StandardCharsets.UTF_8))) {
            String line = "";
            while (line != null && !line.contains(text)) {
                line = lines.readLine();
                watched.append(line).append('\n');
            }
        }
        return watched.toString();
    }

    @Test
    void logPurge_serverStopped_removesContentAndLeavesStubs() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup setup = ServerProcess.Setup.of(data, Map.of("log.snapshot.every", "1s"));
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            ServerApi api = server.start();
            ServerApi.ApiReply created = api.post(SECRETS, secret("db", "tenant-one-password"));
            assertThat(created.code()).as(created.text()).isEqualTo(201);
            assertThat(api.put(SECRETS + "/db", secret("db", "tenant-one-second"))
                            .code())
                    .isEqualTo(200);
            assertThat(api.delete(SECRETS + "/db", "").code()).isEqualTo(200);
            ServerApi.ApiReply next = api.post(SECRETS, secret("db", "tenant-two-password"));

            String refused = ServerProcess.mooring(4, "log", "purge", "secrets/db", "--data", data.toString());
            assertThat(refused).contains("next: stop it");
            assertThat(ServerProcess.mooring(0, "log", "purge", "secrets/db", "--dry-run", "--data", data.toString()))
                    .contains("would remove the contents of 3 versions of 1 objects");
            assertThat(server.stop()).isZero();

            assertThat(filesWith(data, "tenant-one-password")).isNotEmpty();
            assertThat(ServerProcess.mooring(0, "log", "purge", "secrets/db", "--data", data.toString()))
                    .contains("removed the contents of 3 versions of 1 objects")
                    .contains("): delete it and purge again");
            assertThat(filesWith(data, "tenant-one-password")).isEmpty();
            assertThat(filesWith(data, "tenant-one-second")).isEmpty();
            assertThat(ServerProcess.mooring(0, "log", "verify", "--data", data.toString()))
                    .contains("ok: ");

            api = server.start();
            assertThat(api.get(SECRETS + "/db").text()).contains(SecretLog.base64("tenant-two-password"));
            ServerApi.ApiReply past = api.get(SECRETS + "/db?at=" + created.revision());
            assertThat(past.code()).isEqualTo(200);
            assertThat(past.uid()).isEqualTo(created.uid());
            assertThat(past.body()
                            .at("/metadata/annotations")
                            .path("mooring.dev/purged")
                            .asText())
                    .isEqualTo("true");
            assertThat(past.body().path("data").isMissingNode()).isTrue();
            String watched = watchUntil(
                    api,
                    SECRETS + "?watch=true&resourceVersion=" + (created.revision() - 1),
                    SecretLog.base64("tenant-two-password"));
            assertThat(watched)
                    .contains("mooring.dev/purged")
                    .contains("\"DELETED\"")
                    .contains(SecretLog.base64("tenant-two-password"))
                    .doesNotContain(SecretLog.base64("tenant-one-second"));
            assertThat(next.uid()).isNotEqualTo(created.uid());
            assertThat(api.get("/api/v1/namespaces/kube-system/events").text())
                    .contains("LogPurged")
                    .contains("secrets/default/db");
            assertThat(server.stop()).isZero();
        }
    }

    @Test
    void encryption_secretsWritten_leavesNoPlainTextAndKeysCanBeRotated() throws Exception {
        Path data = directory.resolve("data");
        Path keys = directory.resolve("keys");
        String first = "1 "
                + Base64.getEncoder()
                        .encodeToString(SecretLog.key(1, 1).secret().getEncoded()) + "\n";
        String second = "2 "
                + Base64.getEncoder()
                        .encodeToString(SecretLog.key(2, 2).secret().getEncoded()) + "\n";
        Files.writeString(keys, first);
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> settings = Map.of("log.encryption.keyFile", keys.toString(), "log.snapshot.every", "1s");
        try (ServerProcess server = new ServerProcess(ServerProcess.Setup.of(data, settings), directory)) {
            ServerApi api = server.start();
            assertThat(api.post(SECRETS, secret("db", "a-password-at-rest")).code())
                    .isEqualTo(201);
            ConditionPoller.until(() -> hasSnapshot(data));
            assertThat(filesWith(data, "a-password-at-rest")).isEmpty();
            server.kill();
            assertThat(filesWith(data, "a-password-at-rest")).isEmpty();

            Files.writeString(keys, second);
            server.launch();
            assertThat(server.awaitReadyOrEnd()).isEmpty();
            assertThat(server.exitCode()).isEqualTo(2);
            assertThat(server.errors()).contains("encrypted with key 1").contains("log.encryption.keyFile");

            Files.writeString(keys, second + first);
            api = server.start();
            assertThat(api.get(SECRETS + "/db").text()).contains(SecretLog.base64("a-password-at-rest"));
            assertThat(server.stop()).isZero();
            assertThat(ServerProcess.mooring(
                            0, "log", "reencrypt", "--data", data.toString(), "--key-file", keys.toString()))
                    .contains("encrypted with key 2 only");
            Files.writeString(keys, second);
            api = server.start();
            assertThat(api.get(SECRETS + "/db").text()).contains(SecretLog.base64("a-password-at-rest"));
            assertThat(server.stop()).isZero();
            assertThat(filesWith(data, "a-password-at-rest")).isEmpty();
        }
    }

    private static boolean hasSnapshot(Path data) throws IOException {
        return new RealDisk().list(data.resolve("log")).stream().anyMatch(name -> name.endsWith(".snapshot"));
    }
}
