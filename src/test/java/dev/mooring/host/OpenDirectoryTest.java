package dev.mooring.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OpenDirectoryTest {
    @TempDir
    Path temp;

    private Path root;

    @BeforeEach
    void realPath() throws IOException {
        root = temp.toRealPath();
    }

    /** Returns calls with openat2, of a kernel without it, and behind a filter that forbids it. */
    static List<SystemCalls> kernels() {
        return List.of(
                SystemCalls.real(), FaultySystemCalls.openat2(Errno.ENOSYS), FaultySystemCalls.openat2(Errno.EPERM));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void open_linkInPath_fails(SystemCalls calls) throws IOException {
        Files.createDirectories(root.resolve("real/inner"));
        Files.createSymbolicLink(root.resolve("link"), root.resolve("real"));
        try (OpenDirectory inner = OpenDirectory.open(calls, root.resolve("real/inner"))) {
            assertThat(inner.status().isDirectory()).isTrue();
        }
        assertFailsAtLink(() -> OpenDirectory.open(calls, root.resolve("link/inner")));
        try (OpenDirectory base = OpenDirectory.open(calls, root)) {
            assertFailsAtLink(() -> base.open("link"));
            assertFailsAtLink(() -> base.open(List.of("link", "inner")));
            assertFailsAtLink(() -> base.openFileToRead("link"));
            assertThat(base.status("link").orElseThrow().type()).isEqualTo(FileStatus.FileType.LINK);
        }
    }

    private interface Opening {
        Descriptor open() throws PathException;
    }

    private static void assertFailsAtLink(Opening opening) {
        PathException e =
                catchThrowableOfType(PathException.class, () -> opening.open().close());
        assertThat(e).isNotNull();
        assertThat(e.isThroughSymlink()).as(e.getMessage()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void open_otherMount_fails(SystemCalls calls) throws Exception {
        HostMachine.assumeRoot();
        Path other = Files.createDirectories(root.resolve("a/other"));
        Path same = Files.createDirectories(root.resolve("a/same"));
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", other.toString());
        HostMachine.run("mount", "--bind", root.toString(), same.toString());
        try (OpenDirectory a = OpenDirectory.open(calls, root.resolve("a"))) {
            for (String name : List.of("other", "same")) {
                PathException e = catchThrowableOfType(
                        PathException.class, () -> a.open(name).close());
                assertThat(e).as(name).isNotNull();
                assertThat(e.isOtherMount()).as(e.getMessage()).isTrue();
            }
        } finally {
            HostMachine.run("umount", other.toString(), same.toString());
        }
    }

    @Test
    void setPermissions_restrictiveUmask_setsRequestedMode() throws IOException {
        int before = HostMachine.umask(0077);
        try (OpenDirectory base = OpenDirectory.open(SystemCalls.real(), root)) {
            base.makeDirectory("made");
            try (OpenDirectory made = base.open("made")) {
                made.setPermissions(0777);
            }
        } finally {
            HostMachine.umask(before);
        }
        assertThat(HostMachine.permissions(root.resolve("made"))).isEqualTo("777");
    }

    @Test
    void move_targetExists_fails() throws IOException {
        Files.writeString(root.resolve("a"), "a");
        Files.writeString(root.resolve("b"), "b");
        try (OpenDirectory base = OpenDirectory.open(SystemCalls.real(), root)) {
            PathException e = catchThrowableOfType(PathException.class, () -> base.move("a", base, "b"));
            assertThat(e.isExisting()).isTrue();
            base.move("a", base, "c");
        }
        assertThat(Files.readString(root.resolve("b"))).isEqualTo("b");
        assertThat(Files.readString(root.resolve("c"))).isEqualTo("a");
    }

    @Test
    void file_writeReadAndExtend_succeedsButShrinkingFails() throws IOException {
        try (OpenDirectory base = OpenDirectory.open(SystemCalls.real(), root)) {
            try (OpenFile file = base.createFile("file")) {
                file.write("plain text".getBytes(StandardCharsets.UTF_8));
                file.extendTo(1 << 20);
                assertThatThrownBy(() -> file.extendTo(5)).hasMessageContaining("must not shrink");
                file.sync();
                assertThat(file.status().size()).isEqualTo(1 << 20);
            }
            try (OpenFile file = base.openFileToRead("file")) {
                assertThat(file.read(10)).asString(StandardCharsets.UTF_8).isEqualTo("plain text");
                assertThat(file.status().allocated()).isLessThan(1 << 20);
            }
            PathException e = catchThrowableOfType(
                    PathException.class, () -> base.createFile("file").close());
            assertThat(e.isExisting()).isTrue();
        }
    }

    @Test
    void attribute_set_isReturned() throws IOException {
        try (OpenDirectory base = OpenDirectory.open(SystemCalls.real(), root)) {
            assertThat(base.attribute("user.mooring.test")).isEmpty();
            base.setAttribute("user.mooring.test", "value");
            assertThat(base.attribute("user.mooring.test")).contains("value");
        }
    }

    @Test
    void openFileToRead_namedPipe_doesNotBlock() throws Exception {
        HostMachine.run("mkfifo", root.resolve("pipe").toString());
        try (OpenDirectory base = OpenDirectory.open(SystemCalls.real(), root);
                OpenFile pipe = base.openFileToRead("pipe")) {
            assertThat(pipe.status().type()).isEqualTo(FileStatus.FileType.OTHER);
        }
    }

    @Test
    void open_relativeOrUnnormalizedPath_throwsIllegalArgument() {
        assertThatThrownBy(() -> OpenDirectory.open(SystemCalls.real(), Path.of("a")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OpenDirectory.open(SystemCalls.real(), Path.of("/a/../b")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
