package dev.mooring.volume.path;

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

class DirectoryTest {
    @TempDir
    Path temp;

    private Path root;

    @BeforeEach
    void realPath() throws IOException {
        root = temp.toRealPath();
    }

    /** With openat2, on a kernel that lacks it, and behind a filter that forbids it. */
    static List<SystemCalls> kernels() {
        return List.of(SystemCalls.real(), CallsWithout.openat2(Errno.ENOSYS), CallsWithout.openat2(Errno.EPERM));
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void followsNoLinkOnTheWay(SystemCalls calls) throws IOException {
        Files.createDirectories(root.resolve("real/inner"));
        Files.createSymbolicLink(root.resolve("link"), root.resolve("real"));
        try (Directory inner = Directory.open(calls, root.resolve("real/inner"))) {
            assertThat(inner.status().isDirectory()).isTrue();
        }
        assertDiverted(() -> Directory.open(calls, root.resolve("link/inner")));
        try (Directory base = Directory.open(calls, root)) {
            assertDiverted(() -> base.open("link"));
            assertDiverted(() -> base.open(List.of("link", "inner")));
            assertDiverted(() -> base.openFileToRead("link"));
            assertThat(base.status("link").orElseThrow().type()).isEqualTo(FileStatus.Type.LINK);
        }
    }

    private interface Opening {
        Descriptor open() throws PathException;
    }

    private static void assertDiverted(Opening opening) {
        PathException e =
                catchThrowableOfType(PathException.class, () -> opening.open().close());
        assertThat(e).isNotNull();
        assertThat(e.isDiverted()).as(e.getMessage()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void entersNoOtherMount(SystemCalls calls) throws Exception {
        Machine.assumeRoot();
        Path other = Files.createDirectories(root.resolve("a/other"));
        Path same = Files.createDirectories(root.resolve("a/same"));
        Machine.run("mount", "-t", "tmpfs", "tmpfs", other.toString());
        Machine.run("mount", "--bind", root.toString(), same.toString());
        try (Directory a = Directory.open(calls, root.resolve("a"))) {
            for (String name : List.of("other", "same")) {
                PathException e = catchThrowableOfType(
                        PathException.class, () -> a.open(name).close());
                assertThat(e).as(name).isNotNull();
                assertThat(e.isElsewhere()).as(e.getMessage()).isTrue();
            }
        } finally {
            Machine.run("umount", other.toString(), same.toString());
        }
    }

    @Test
    void setsPermissionsWhateverTheUmask() throws IOException {
        int before = Machine.umask(0077);
        try (Directory base = Directory.open(SystemCalls.real(), root)) {
            base.makeDirectory("made");
            try (Directory made = base.open("made")) {
                made.setPermissions(0777);
            }
        } finally {
            Machine.umask(before);
        }
        assertThat(Machine.permissions(root.resolve("made"))).isEqualTo("777");
    }

    @Test
    void movesOnlyToWhereNothingIs() throws IOException {
        Files.writeString(root.resolve("a"), "a");
        Files.writeString(root.resolve("b"), "b");
        try (Directory base = Directory.open(SystemCalls.real(), root)) {
            PathException e = catchThrowableOfType(PathException.class, () -> base.move("a", base, "b"));
            assertThat(e.isTaken()).isTrue();
            base.move("a", base, "c");
        }
        assertThat(Files.readString(root.resolve("b"))).isEqualTo("b");
        assertThat(Files.readString(root.resolve("c"))).isEqualTo("a");
    }

    @Test
    void writesReadsAndExtendsFilesButNeverShortensThem() throws IOException {
        try (Directory base = Directory.open(SystemCalls.real(), root)) {
            try (OpenFile file = base.createFile("file")) {
                file.write("some words".getBytes(StandardCharsets.UTF_8));
                file.extendTo(1 << 20);
                assertThatThrownBy(() -> file.extendTo(5)).hasMessageContaining("to grow");
                file.sync();
                assertThat(file.status().size()).isEqualTo(1 << 20);
            }
            try (OpenFile file = base.openFileToRead("file")) {
                assertThat(file.read(10)).asString(StandardCharsets.UTF_8).isEqualTo("some words");
                assertThat(file.status().allocated()).isLessThan(1 << 20);
            }
            PathException e = catchThrowableOfType(
                    PathException.class, () -> base.createFile("file").close());
            assertThat(e.isTaken()).isTrue();
        }
    }

    @Test
    void keepsAttributes() throws IOException {
        try (Directory base = Directory.open(SystemCalls.real(), root)) {
            assertThat(base.attribute("user.mooring.test")).isEmpty();
            base.setAttribute("user.mooring.test", "value");
            assertThat(base.attribute("user.mooring.test")).contains("value");
        }
    }

    @Test
    void opensANamedPipeWithoutWaitingForAWriter() throws Exception {
        Machine.run("mkfifo", root.resolve("pipe").toString());
        try (Directory base = Directory.open(SystemCalls.real(), root);
                OpenFile pipe = base.openFileToRead("pipe")) {
            assertThat(pipe.status().type()).isEqualTo(FileStatus.Type.OTHER);
        }
    }

    @Test
    void refusesPathsThatAreNotAbsoluteAndPlain() {
        assertThatThrownBy(() -> Directory.open(SystemCalls.real(), Path.of("a")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Directory.open(SystemCalls.real(), Path.of("/a/../b")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
