package dev.mooring.volume.path;

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

class TreeTest {
    @TempDir
    Path temp;

    private Path root;

    @BeforeEach
    void realPath() throws IOException {
        root = temp.toRealPath();
    }

    static List<SystemCalls> kernels() {
        return DirectoryTest.kernels();
    }

    private void remove(SystemCalls calls, String name) throws PathException, InterruptedException {
        try (Directory base = Directory.open(calls, root)) {
            Tree.remove(base, name);
        }
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void removesFilesDirectoriesAndLinksButNotWhatLinksPointTo(SystemCalls calls) throws Exception {
        Path outside = Files.createDirectories(root.resolve("outside"));
        Files.writeString(outside.resolve("sentinel"), "still here");
        Path inner = Files.createDirectories(root.resolve("volume/a/b"));
        for (int i = 0; i < 2000; i++) {
            Files.createFile(inner.resolve("a-file-with-a-longer-name-" + i));
        }
        Files.createSymbolicLink(root.resolve("volume/a/link"), outside);
        Files.createSymbolicLink(root.resolve("volume/up"), Path.of("../outside"));
        Machine.run("mkfifo", inner.resolve("pipe").toString());
        remove(calls, "volume");
        assertThat(Machine.below(root)).containsExactly("outside", "outside/sentinel");
    }

    @Test
    void removesNamesThatAreNoText() throws Exception {
        Machine.run(
                "sh",
                "-c",
                "mkdir " + root + "/volume && cd " + root
                        + "/volume && mkdir \"$(printf 'a\\377\\001')\" && touch -- \"$(printf 'a\\377\\001/\\303\\n"
                        + "')x\" 'with space' '-rf'");
        remove(SystemCalls.real(), "volume");
        assertThat(Machine.below(root)).isEmpty();
    }

    @Test
    void removesWhatIsNestedDeeperThanThereAreDescriptors() throws Exception {
        Directory at = Directory.open(SystemCalls.real(), root);
        for (int depth = 0; depth < 1500; depth++) {
            String name = depth == 0 ? "volume" : "deep";
            try (Directory above = at) {
                above.makeDirectory(name);
                at = above.open(name);
            }
        }
        at.createFile("end").close();
        at.close();
        remove(SystemCalls.real(), "volume");
        assertThat(Machine.below(root)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void stopsBeforeAnotherMountWhetherOfAnotherDeviceOrTheSame(SystemCalls calls) throws Exception {
        Machine.assumeRoot();
        Path outside = Files.createDirectories(root.resolve("outside"));
        Files.writeString(outside.resolve("sentinel"), "still here");
        Path point = Files.createDirectories(root.resolve("volume/a/point"));
        for (List<String> mount : List.of(
                List.of("mount", "--bind", outside.toString(), point.toString()),
                List.of("mount", "-t", "tmpfs", "tmpfs", point.toString()))) {
            Machine.run(mount.toArray(String[]::new));
            Files.writeString(point.resolve("inside"), "still here");
            try {
                PathException e = catchThrowableOfType(PathException.class, () -> remove(calls, "volume"));
                assertThat(e.isElsewhere()).as(e.getMessage()).isTrue();
                assertThat(point.resolve("inside")).exists();
            } finally {
                Machine.run("umount", point.toString());
            }
        }
        assertThat(outside.resolve("sentinel")).exists();
        remove(calls, "volume");
        assertThat(root.resolve("volume")).doesNotExist();
    }

    @Test
    void emptiesADirectoryButKeepsItAndWhatIsNamedAtItsTop() throws Exception {
        Files.createDirectories(root.resolve("volume/lost+found"));
        Files.createDirectories(root.resolve("volume/a/lost+found"));
        try (Directory volume = Directory.open(SystemCalls.real(), root.resolve("volume"))) {
            Tree.empty(volume, Set.of("lost+found"));
        }
        assertThat(Machine.below(root)).containsExactly("volume", "volume/lost+found");
    }

    @Test
    void stopsWhenItsThreadIsInterrupted() throws IOException {
        Files.createDirectories(root.resolve("volume/a"));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> remove(SystemCalls.real(), "volume")).isInstanceOf(InterruptedException.class);
        assertThat(root.resolve("volume/a")).exists();
    }

    @Test
    void findsNothingToRemoveFine() throws Exception {
        remove(SystemCalls.real(), "nothing");
        assertThat(Machine.below(root)).isEmpty();
    }
}
