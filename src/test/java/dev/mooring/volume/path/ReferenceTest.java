package dev.mooring.volume.path;

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

class ReferenceTest {
    @TempDir
    Path temp;

    private Path root;

    @BeforeEach
    void realPath() throws Exception {
        root = temp.toRealPath();
    }

    static List<SystemCalls> kernels() {
        return List.of(SystemCalls.real(), CallsWithout.openat2(Errno.ENOSYS));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void holdsALinkItself(SystemCalls calls) throws Exception {
        Files.createSymbolicLink(root.resolve("link"), Path.of("/etc/passwd"));
        try (Reference directory = Reference.open(calls, root);
                Reference link = directory.child("link", Reach.SAME_MOUNT)) {
            assertThat(link.status().type()).isEqualTo(FileStatus.Type.LINK);
            assertThat(link.linkText()).isEqualTo("/etc/passwd");
        }
        PathException e = catchThrowableOfType(
                PathException.class,
                () -> Reference.open(calls, root.resolve("link")).close());
        assertThat(e.isDiverted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void changesOwnerAndPermissionsOfWhatItHoldsAfterItWasMovedAway(SystemCalls calls) throws Exception {
        Machine.assumeRoot();
        Machine.run("mkfifo", root.resolve("fifo").toString());
        try (Reference directory = Reference.open(calls, root);
                Reference fifo = directory.child("fifo", Reach.SAME_MOUNT)) {
            Files.move(root.resolve("fifo"), root.resolve("moved"));
            Files.createFile(root.resolve("fifo"));
            fifo.setOwner(-1, 77);
            fifo.setPermissions(0321);
        }
        assertThat(Files.getAttribute(root.resolve("moved"), "unix:gid")).isEqualTo(77);
        assertThat(Machine.permissions(root.resolve("moved"))).isEqualTo("321");
        assertThat(Files.getAttribute(root.resolve("fifo"), "unix:gid", LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(0);
    }

    @Test
    void knowsThatAMountIsReadOnly() throws Exception {
        Machine.assumeRoot();
        Path mounted = Files.createDirectory(root.resolve("ro"));
        Machine.run("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", mounted.toString());
        try (Reference here = Reference.open(SystemCalls.real(), root);
                Reference there = Reference.open(SystemCalls.real(), mounted)) {
            assertThat(here.isReadOnly()).isFalse();
            assertThat(there.isReadOnly()).isTrue();
        } finally {
            Machine.run("umount", mounted.toString());
        }
    }
}
