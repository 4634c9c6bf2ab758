package dev.mooring.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FileReferenceTest {
    @TempDir
    Path temp;

    private Path root;

    @BeforeEach
    void realPath() throws Exception {
        root = temp.toRealPath();
    }

    static List<SystemCalls> kernels() {
        return List.of(SystemCalls.real(), FaultySystemCalls.openat2(Errno.ENOSYS));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void child_link_isNotFollowed(SystemCalls calls) throws Exception {
        Files.createSymbolicLink(root.resolve("link"), Path.of("/etc/passwd"));
        try (FileReference directory = FileReference.open(calls, root);
                FileReference link = directory.child("link", MountScope.SAME_MOUNT)) {
            assertThat(link.status().type()).isEqualTo(FileStatus.FileType.LINK);
            assertThat(link.linkText()).isEqualTo("/etc/passwd");
        }
        PathException e = catchThrowableOfType(
                PathException.class,
                () -> FileReference.open(calls, root.resolve("link")).close());
        assertThat(e.isThroughSymlink()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void reference_fileMoved_changesOwnerAndModeOfMovedFile(SystemCalls calls) throws Exception {
        HostMachine.assumeRoot();
        HostMachine.run("mkfifo", root.resolve("fifo").toString());
        try (FileReference directory = FileReference.open(calls, root);
                FileReference fifo = directory.child("fifo", MountScope.SAME_MOUNT)) {
            Files.move(root.resolve("fifo"), root.resolve("moved"));
            Files.createFile(root.resolve("fifo"));
            fifo.setOwner(-1, 77);
            fifo.setPermissions(0321);
        }
        assertThat(Files.getAttribute(root.resolve("moved"), "unix:gid")).isEqualTo(77);
        assertThat(HostMachine.permissions(root.resolve("moved"))).isEqualTo("321");
        assertThat(Files.getAttribute(root.resolve("fifo"), "unix:gid", LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(0);
    }

    @Test
    void isReadOnly_readOnlyMount_returnsTrue() throws Exception {
        HostMachine.assumeRoot();
        Path mounted = Files.createDirectory(root.resolve("ro"));
        HostMachine.run("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", mounted.toString());
        try (FileReference writable = FileReference.open(SystemCalls.real(), root);
                FileReference readOnly = FileReference.open(SystemCalls.real(), mounted)) {
            assertThat(writable.isReadOnly()).isFalse();
            assertThat(readOnly.isReadOnly()).isTrue();
        } finally {
            HostMachine.run("umount", mounted.toString());
        }
    }
}
