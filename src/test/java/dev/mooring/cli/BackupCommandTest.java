package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code mooring backup} and {@code mooring restore} with logs of real servers. */
class BackupCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    private int run(String... args) {
        return new Cli(ServerFixture.ambient(Map.of(), out, err)).run(args);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private Path data() {
        return directory.resolve("data");
    }

    private Path file() {
        return directory.resolve("saved.backup");
    }

    private Path target() {
        return directory.resolve("restored");
    }

    private int backup() {
        return run("backup", file().toString(), "--data", data().toString());
    }

    private int restore() {
        return run("restore", file().toString(), "--data", target().toString());
    }

    @Test
    void backupOfARunningServer_restored_hasItsWorldAndItsToken() throws Exception {
        Server server = ServerFixture.start(data());
        String kubeconfig;
        try {
            kubeconfig = Files.readString(server.kubeconfig());
            assertThat(backup()).as(errors()).isZero();
        } finally {
            server.close();
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");

        assertThat(restore()).as(errors()).isZero();
        assertThat(Files.readString(target().resolve("kubeconfig"))).isEqualTo(kubeconfig);
        Server restored = ServerFixture.start(target());
        try {
            assertThat(restored.stateStore().ledger().world().get(dev.mooring.model.view.Node.key("testhost")))
                    .isPresent();
            assertThat(Files.readAllBytes(target().resolve("pki/ca.pem")))
                    .isEqualTo(Files.readAllBytes(data().resolve("pki/ca.pem")));
        } finally {
            restored.close();
        }
    }

    @Test
    void restore_directoryNotEmpty_isRefusedAndUnchanged() throws Exception {
        make();
        Files.createDirectory(target());
        Files.writeString(target().resolve("mine"), "x");

        assertThat(restore()).isEqualTo(4);
        assertThat(errors()).contains(target() + " is not empty: it contains mine; next: ");
        try (Stream<Path> left = Files.list(target())) {
            assertThat(left).hasSize(1);
        }
    }

    @Test
    void backup_existingFileOrNoLog_isRefused() throws Exception {
        assertThat(backup()).isEqualTo(3);
        make();
        assertThat(backup()).isEqualTo(4);
        assertThat(errors()).contains("exists already");
    }

    @Test
    void restore_damagedBackup_leavesNothing() throws Exception {
        make();
        try (FileSystem zip = FileSystems.newFileSystem(file())) {
            Path log = zip.getPath("log/events-0000000000000000001.log");
            Files.write(log, new byte[] {0}, StandardOpenOption.APPEND);
        }
        assertThat(restore()).isEqualTo(6);
        assertThat(errors()).contains("the digest of log/events-0000000000000000001.log does not match");
        assertEmpty();
    }

    @Test
    void restore_truncatedFileOrForeignName_isRefused() throws Exception {
        make();
        byte[] whole = Files.readAllBytes(file());
        Files.write(file(), java.util.Arrays.copyOf(whole, whole.length / 2));
        assertThat(restore()).isEqualTo(6);
        assertEmpty();

        Files.write(file(), whole);
        try (FileSystem zip = FileSystems.newFileSystem(file())) {
            Files.writeString(zip.getPath("foreign"), "x");
        }
        assertThat(restore()).isEqualTo(6);
        assertThat(errors()).contains("unexpected file foreign");
        assertEmpty();
    }

    /** Makes a backup of a stopped server. */
    private void make() {
        ServerFixture.start(data()).close();
        assertThat(backup()).as(errors()).isZero();
    }

    private void assertEmpty() throws IOException {
        try (Stream<Path> left = Files.list(target())) {
            assertThat(left).isEmpty();
        }
    }
}
