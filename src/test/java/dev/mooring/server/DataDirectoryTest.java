package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataDirectoryTest {
    @TempDir
    private Path directory;

    @Test
    void open_missingDirectory_createsItForItsOwnerOnly() throws IOException {
        Path data = directory.resolve("a/var");

        DataDirectory.open(data);

        assertThat(mode(data)).isEqualTo("rwx------");
    }

    @Test
    void open_emptyDirectory_keepsItsMode() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectory(directory.resolve("lost+found"));

        DataDirectory.open(directory);

        assertThat(mode(directory)).isEqualTo("rwxr-xr-x");
    }

    @Test
    void open_directoryOfAnotherProgram_isRejectedAndUnchanged() throws IOException {
        // Like /var, if the server is started in / with its relative default.
        for (String name : new String[] {"cache", "lib", "log", "tmp"}) {
            Files.createDirectory(directory.resolve(name));
        }
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));

        assertThatThrownBy(() -> DataDirectory.open(directory))
                .isInstanceOf(MooringException.class)
                .hasMessageContaining(directory + " is neither empty nor a data directory of Mooring")
                .hasMessageContaining(
                        "it contains cache, lib, log and 1 more; next: specify a separate directory with --data");
        assertThat(mode(directory)).isEqualTo("rwxr-xr-x");
        assertThat(directory.resolve("log")).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"node.json", "log/lock", "pki/ca.pem"})
    void open_existingDataDirectory_succeeds(String marker) throws IOException {
        Files.createDirectories(directory.resolve(marker).getParent());
        Files.writeString(directory.resolve(marker), "");
        Files.writeString(directory.resolve("notes.txt"), "of the operator");

        DataDirectory.open(directory);
    }

    @Test
    void claim_sameNodeAndMachine_succeeds() throws IOException {
        DataDirectory data = DataDirectory.open(directory);

        assertThat(data.claim("n1", "m1", Settings.NodeIdentity.KEEP)).isEmpty();
        assertThat(data.claim("n1", "m1", Settings.NodeIdentity.KEEP)).isEmpty();
        assertThat(mode(directory.resolve("node.json"))).isEqualTo("rw-------");
    }

    @Test
    void claim_machineWithoutId_skipsTheComparison() throws IOException {
        DataDirectory data = DataDirectory.open(directory);
        data.claim("n1", "", Settings.NodeIdentity.KEEP);

        assertThat(data.claim("n1", "m1", Settings.NodeIdentity.KEEP)).isEmpty();
        assertThat(data.claim("n1", "", Settings.NodeIdentity.KEEP)).isEmpty();
    }

    @Test
    void claim_hostRenamed_isRejectedWithBothRemedies() throws IOException {
        DataDirectory data = DataDirectory.open(directory);
        data.claim("n1", "m1", Settings.NodeIdentity.KEEP);

        assertThatThrownBy(() -> data.claim("n2", "m1", Settings.NodeIdentity.KEEP))
                .isInstanceOf(MooringException.class)
                .hasMessageContaining("belong to node n1")
                .hasMessageContaining("would run as node n2")
                .hasMessageContaining("--node n1,")
                .hasMessageContaining("--node-identity new");
        assertThat(data.claim("n1", "m1", Settings.NodeIdentity.KEEP)).isEmpty();
        assertThat(data.claim("n2", "m1", Settings.NodeIdentity.NEW)).contains("n1");
        assertThat(data.claim("n2", "m1", Settings.NodeIdentity.KEEP)).isEmpty();
    }

    @Test
    void claim_otherMachine_isRejectedUntilAdopted() throws IOException {
        DataDirectory data = DataDirectory.open(directory);
        data.claim("n1", "m1", Settings.NodeIdentity.KEEP);

        assertThatThrownBy(() -> data.claim("n1", "m2", Settings.NodeIdentity.KEEP))
                .hasMessageContaining("ran on machine m1 before")
                .hasMessageContaining("this is machine m2")
                .hasMessageContaining("--node-identity adopt");
        assertThatThrownBy(() -> data.claim("n1", "m2", Settings.NodeIdentity.NEW))
                .hasMessageContaining("--node OTHER");
        assertThat(data.claim("n1", "m2", Settings.NodeIdentity.ADOPT)).isEmpty();
        assertThat(data.claim("n1", "m2", Settings.NodeIdentity.KEEP)).isEmpty();
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
