package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.Encryption;
import dev.mooring.log.RealDisk;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.SecretLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of {@code mooring log purge} and {@code reencrypt}, and of the other log commands on an encrypted log. */
class LogPurgeCommandTest {
    private static final Encryption.NamedKey FIRST = SecretLog.key(1, 5);
    private static final Encryption.NamedKey SECOND = SecretLog.key(2, 6);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    private Path data;

    @BeforeEach
    void nameDataDirectory() {
        data = directory.resolve("data");
    }

    private void write(Encryption encryption) throws IOException {
        try (SecretLog log = SecretLog.open(new RealDisk(), data.resolve("log"), encryption)) {
            log.put(SecretLog.secret("db"), "uid-1", "first-password");
            log.put(SecretLog.secret("db"), "uid-1", "second-password");
            log.put(SecretLog.secret("live"), "uid-2", "live-password-old");
            log.snapshot();
            log.put(SecretLog.secret("live"), "uid-2", "live-password-new");
            log.remove(SecretLog.secret("db"));
        }
    }

    private List<String> filesWith(String text) throws IOException {
        return SecretLog.filesWith(new RealDisk(), data.resolve("log"), text);
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--data", data.toString()));
        return new Cli(ServerFixture.ambient(Map.of(), out, err)).run(all.toArray(new String[0]));
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private Path keyFile(Encryption.NamedKey... keys) throws IOException {
        StringBuilder text = new StringBuilder("# keys of a test\n\n");
        for (Encryption.NamedKey key : keys) {
            text.append(key.id())
                    .append(' ')
                    .append(Base64.getEncoder().encodeToString(key.secret().getEncoded()))
                    .append('\n');
        }
        return keyFile(text.toString(), "rw-------");
    }

    private Path keyFile(String text, String mode) throws IOException {
        Path file = Files.writeString(directory.resolve("keys"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void purge_dryRun_printsThePlanThatTheRealRunCarriesOut() throws IOException {
        write(Encryption.NONE);
        assertThat(run("log", "purge", "secret/db", "secrets/live", "--dry-run"))
                .isZero();
        assertThat(out())
                .contains("would remove the contents of 4 versions of 2 objects; rewritten: 1 segments, 1 snapshots")
                .contains("secrets/default/db  revisions 1, 2, 5, ")
                .contains("secrets/default/live  revisions 3, ")
                .contains("keeps its newest version (revision 4): delete it and purge again");
        assertThat(filesWith("first-password")).isNotEmpty();

        assertThat(run("log", "purge", "secret/db", "secrets/live")).as(err()).isZero();

        assertThat(out())
                .contains("removed the contents of 4 versions of 2 objects")
                .contains("the log was verified");
        assertThat(err()).isEmpty();
        for (String purged : List.of("first-password", "second-password", "live-password-old")) {
            assertThat(filesWith(purged)).isEmpty();
        }
        assertThat(filesWith("live-password-new")).isNotEmpty();
        assertThat(run("log", "verify")).isZero();
        assertThat(run("log", "cat", "--type", "LogPurged", "-o", "json")).isZero();
        assertThat(out()).contains("\"actor\":\"os-user:").contains("secrets/default/db, secrets/default/live");
        assertThat(run("log", "purge", "secret/db")).isEqualTo(3);
        assertThat(err()).contains("The log has no matching past versions with contents");
    }

    @Test
    void purge_valueAlsoInOtherObjects_namesThem() throws IOException {
        try (SecretLog log = SecretLog.open(new RealDisk(), data.resolve("log"), Encryption.NONE)) {
            log.put(SecretLog.secret("db"), "uid-1", "shared-password");
            log.put(SecretLog.secret("copy"), "uid-2", "shared-password");
            log.remove(SecretLog.secret("db"));
        }
        assertThat(run("log", "purge", "--all-deleted-secrets")).isZero();
        assertThat(err()).contains("also occur in other objects").contains("secrets/default/copy  revisions [2]");
    }

    @Test
    void purge_runningServer_isRejected() throws IOException {
        Server server = ServerFixture.start(data, Map.of("without", "control,node"));
        try {
            assertThat(run("log", "purge", "secrets/db")).isEqualTo(4);
            assertThat(err()).contains("A server is running on " + data).contains("next: stop it");
            assertThat(run("log", "purge", "secrets/db", "--dry-run")).isEqualTo(3);
        } finally {
            server.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "log purge, Missing TYPE/NAME or --all-deleted-secrets",
        "log purge db, Objects must be named TYPE/NAME as in kubectl",
        "log purge nosuch/db, objects are named TYPE/NAME as in kubectl",
        "log purge secrets/, Missing or invalid name after the type",
        "log purge secrets/db --before yesterday, --before must be a revision",
        "log reencrypt, Missing --key-file"
    })
    void logCommands_invalidArguments_exitWithTwo(String command, String message) throws IOException {
        write(Encryption.NONE);
        assertThat(run(command.split(" "))).isEqualTo(2);
        assertThat(err()).contains(message);
    }

    @Test
    void encryptedLog_isReadableWithItsKeyAndShownEncryptedWithout() throws IOException {
        write(SecretLog.with(FIRST));
        String keys = keyFile(FIRST).toString();
        assertThat(run("log", "verify", "--key-file", keys)).isZero();
        assertThat(out()).startsWith("ok: ").doesNotContain("checksums only");
        assertThat(run("log", "verify")).isZero();
        assertThat(out()).startsWith("ok: ").contains("checksums only: replaying it needs key 1");
        assertThat(run("log", "stat")).isZero();
        assertThat(out()).containsPattern("secrets +encrypted with key 1 in 1 segments");
        assertThat(run("log", "cat", "-o", "json")).isZero();
        assertThat(out()).contains("\"encrypted\":{\"keyId\":1").doesNotContain(SecretLog.base64("first-password"));
        assertThat(err()).contains("encrypted with key 1 are not shown");
        assertThat(run("log", "cat", "-o", "json", "--key-file", keys)).isZero();
        assertThat(out()).contains(SecretLog.base64("first-password"));
        Path target = directory.resolve("target");
        assertThat(run("log", "export", "--to-data", target.toString())).isEqualTo(2);
        assertThat(err()).contains("encrypted with key 1");
        assertThat(run("log", "export", "--to-data", target.toString(), "--key-file", keys))
                .isZero();
        assertThat(SecretLog.filesWith(new RealDisk(), target.resolve("log"), "first-password"))
                .isEmpty();
        assertThat(run("log", "purge", "secrets/db")).isEqualTo(2);
        assertThat(run("log", "purge", "secrets/db", "--key-file", keys))
                .as(err())
                .isZero();
        assertThat(run("log", "verify", "--key-file", keys)).isZero();
    }

    @Test
    void reencrypt_rotatesTheKeyAndWithDecryptRemovesEncryption() throws IOException {
        write(Encryption.NONE);
        assertThat(run("log", "reencrypt", "--key-file", keyFile(FIRST).toString()))
                .as(err())
                .isZero();
        assertThat(out()).contains("encrypted with key 1 only");
        assertThat(filesWith("live-password-new")).isEmpty();
        assertThat(run("log", "reencrypt", "--key-file", keyFile(SECOND, FIRST).toString()))
                .isZero();
        assertThat(out()).contains("encrypted with key 2 only");
        String second = keyFile(SECOND).toString();
        assertThat(run("log", "verify", "--key-file", second)).isZero();
        assertThat(out()).doesNotContain("checksums only");
        assertThat(run("log", "reencrypt", "--decrypt", "--key-file", second)).isZero();
        assertThat(run("log", "verify")).isZero();
        assertThat(out()).doesNotContain("checksums only");
        assertThat(filesWith("live-password-new")).isNotEmpty();
    }

    @Test
    void keyFile_notPrivateOrMalformed_isRejected() throws IOException {
        write(Encryption.NONE);
        String good = "1 " + Base64.getEncoder().encodeToString(FIRST.secret().getEncoded());
        assertRejected(keyFile(good, "rw-r-----"), "can be read or written by others");
        assertRejected(keyFile("# nothing\n", "rw-------"), "has no key");
        assertRejected(keyFile(good + "\n1 AAAA\n", "rw-------"), "line 2");
        assertRejected(keyFile(good + "\n" + good + "\n", "rw-------"), "has key 1 twice");
        assertRejected(keyFile("0 " + good.substring(2), "rw-------"), "line 1");
        assertRejected(directory, "is not a file");
        assertRejected(directory.resolve("absent"), "is not a file");
    }

    private void assertRejected(Path file, String message) {
        assertThat(run("log", "verify", "--key-file", file.toString())).isEqualTo(2);
        assertThat(err()).contains(message).contains("next: ").doesNotContain("AAAA");
    }
}
