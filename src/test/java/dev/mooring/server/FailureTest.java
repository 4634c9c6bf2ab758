package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.HostMachine;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailureTest {
    private static final String USER = System.getProperty("user.name");

    @TempDir
    private Path directory;

    @Test
    void deniedAccess_ownFile_namesModeAndChmod() throws IOException {
        Path file = directory.resolve("kubeconfig");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------")));

        assertThat(CommandFailure.of(new AccessDeniedException(file.toString())).message())
                .isEqualTo("Permission denied: user " + USER + " may not access " + file + ", which is owned by user "
                        + USER + " and has mode ---------; next: chmod u+rwX " + file);
    }

    @Test
    void deniedAccess_fileOfAnotherUser_namesOwner() throws IOException {
        HostMachine.assumeRoot();
        Path file = Files.createFile(
                directory.resolve("f"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.setOwner(
                file, file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));

        assertThat(CommandFailure.of(new AccessDeniedException(file.toString())).message())
                .endsWith(", which is owned by user nobody and has mode rw-------; next: run mooring as user nobody, or"
                        + " name a path that user " + USER + " may access");
    }

    @Test
    void deniedAccess_missingFile_namesItsDirectory() {
        assertThat(CommandFailure.of(new AccessDeniedException(
                                directory.resolve("new").toString()))
                        .message())
                .contains("may not access " + directory.resolve("new") + ", because " + directory + " is owned by user "
                        + USER);
    }

    @Test
    void requireAccess_deniedFile_isDistinguishedFromMissingFile() throws IOException {
        Path file = Files.createFile(
                directory.resolve("f"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));

        // Even root cannot execute a file without an execute permission.
        assertThatThrownBy(() -> CommandFailure.requireAccess(file, AccessMode.EXECUTE))
                .isInstanceOf(AccessDeniedException.class);
        assertThatCode(() -> CommandFailure.requireAccess(directory.resolve("missing"), AccessMode.READ))
                .doesNotThrowAnyException();
    }

    @Test
    void listenFailure_namesTheRemedyOfEachReason() {
        ListenAddress listen = new ListenAddress("127.0.0.1", 443);

        assertThat(listen.explain(new BindException("Permission denied")))
                .hasMessageContaining("choose a port from 1024 up", "run mooring as root");
        assertThat(listen.explain(new BindException("Address already in use")))
                .hasMessageContaining("ss -ltnp 'sport = :443'");
        assertThat(listen.explain(new BindException("Cannot assign requested address")))
                .hasMessageContaining("`ip -br address` lists them");
    }
}
