package dev.mooring.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TreeRemoverTest {
    @TempDir
    Path temp;

    private Path root;

    @BeforeEach
    void realPath() throws IOException {
        root = temp.toRealPath();
    }

    static List<SystemCalls> kernels() {
        return OpenDirectoryTest.kernels();
    }

    private void remove(SystemCalls calls, String name) throws PathException, InterruptedException {
        try (OpenDirectory base = OpenDirectory.open(calls, root)) {
            TreeRemover.remove(base, name);
        }
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void remove_tree_doesNotFollowLinks(SystemCalls calls) throws Exception {
        Path outside = Files.createDirectories(root.resolve("outside"));
        Files.writeString(outside.resolve("sentinel"), "still here");
        Path inner = Files.createDirectories(root.resolve("volume/a/b"));
        for (int i = 0; i < 2000; i++) {
            Files.createFile(inner.resolve("a-file-with-a-longer-name-" + i));
        }
        Files.createSymbolicLink(root.resolve("volume/a/link"), outside);
        Files.createSymbolicLink(root.resolve("volume/up"), Path.of("../outside"));
        HostMachine.run("mkfifo", inner.resolve("pipe").toString());
        remove(calls, "volume");
        assertThat(HostMachine.below(root)).containsExactly("outside", "outside/sentinel");
    }

    @Test
    void remove_nonUtf8Names_succeeds() throws Exception {
        HostMachine.run(
                "sh",
                "-c",
                "mkdir " + root + "/volume && cd " + root
                        + "/volume && mkdir \"$(printf 'a\\377\\001')\" && touch -- \"$(printf 'a\\377\\001/\\303\\n"
                        + "')x\" 'with space' '-rf'");
        remove(SystemCalls.real(), "volume");
        assertThat(HostMachine.below(root)).isEmpty();
    }

    @Test
    void remove_treeDeeperThanDescriptorLimit_succeeds() throws Exception {
        OpenDirectory at = OpenDirectory.open(SystemCalls.real(), root);
        for (int depth = 0; depth < 1500; depth++) {
            String name = depth == 0 ? "volume" : "deep";
            try (OpenDirectory above = at) {
                above.makeDirectory(name);
                at = above.open(name);
            }
        }
        at.createFile("end").close();
        at.close();
        remove(SystemCalls.real(), "volume");
        assertThat(HostMachine.below(root)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void remove_mountInside_fails(SystemCalls calls) throws Exception {
        HostMachine.assumeRoot();
        Path outside = Files.createDirectories(root.resolve("outside"));
        Files.writeString(outside.resolve("sentinel"), "still here");
        Path point = Files.createDirectories(root.resolve("volume/a/point"));
        for (List<String> mount : List.of(
                List.of("mount", "--bind", outside.toString(), point.toString()),
                List.of("mount", "-t", "tmpfs", "tmpfs", point.toString()))) {
            HostMachine.run(mount.toArray(String[]::new));
            Files.writeString(point.resolve("inside"), "still here");
            try {
                PathException e = catchThrowableOfType(PathException.class, () -> remove(calls, "volume"));
                assertThat(e.isOtherMount()).as(e.getMessage()).isTrue();
                assertThat(point.resolve("inside")).exists();
            } finally {
                HostMachine.run("umount", point.toString());
            }
        }
        assertThat(outside.resolve("sentinel")).exists();
        remove(calls, "volume");
        assertThat(root.resolve("volume")).doesNotExist();
    }

    @Test
    void empty_directory_keepsItAndExcludedNames() throws Exception {
        Files.createDirectories(root.resolve("volume/lost+found"));
        Files.createDirectories(root.resolve("volume/a/lost+found"));
        try (OpenDirectory volume = OpenDirectory.open(SystemCalls.real(), root.resolve("volume"))) {
            TreeRemover.empty(volume, Set.of("lost+found"));
        }
        assertThat(HostMachine.below(root)).containsExactly("volume", "volume/lost+found");
    }

    @Test
    void remove_interrupted_stops() throws IOException {
        Files.createDirectories(root.resolve("volume/a"));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> remove(SystemCalls.real(), "volume")).isInstanceOf(InterruptedException.class);
        assertThat(root.resolve("volume/a")).exists();
    }

    @Test
    void remove_missing_succeeds() throws Exception {
        remove(SystemCalls.real(), "nothing");
        assertThat(HostMachine.below(root)).isEmpty();
    }
}
