package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.container.PodVolume.MountPoint;
import dev.mooring.runtime.ContainerSpec.Access;
import dev.mooring.runtime.ContainerSpec.Bind;
import dev.mooring.runtime.ContainerSpec.Propagation;
import dev.mooring.volume.path.Machine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TerminationLogTest {
    private static final Pod POD = SpecBench.pod("{}");
    private static final JsonNode CONTAINER = SpecBench.named("{}");

    @TempDir
    Path directory;

    private SpecBench bench;
    private Path files;

    @BeforeEach
    void prepare() {
        bench = new SpecBench(directory);
        files = bench.layout.pod("u1").resolve("containers/c");
    }

    private List<Bind> binds(String container, int attempt) throws ConfigException, InterruptedException {
        return bench.specs()
                .container(
                        POD,
                        SpecBench.named(container),
                        SpecBench.labels("c", attempt),
                        "s",
                        SpecBench.IMAGE,
                        List.of(new PodVolume(
                                "v", "v", "any", Path.of("/v"), VolumeMode.FILESYSTEM, MountPoint.NONE, false)),
                        SpecBench.ADDRESSES)
                .spec()
                .binds();
    }

    private String message(int attempt) {
        return bench.specs().terminationMessage(POD, CONTAINER, attempt);
    }

    @Test
    void isAFileThatEverybodyCanWriteTo() throws Exception {
        int mask = Machine.umask(0077);
        try {
            assertThat(binds("{}", 4))
                    .containsExactly(new Bind(
                            files.resolve("4"), "/dev/termination-log", Access.READ_WRITE, Propagation.PRIVATE));
        } finally {
            Machine.umask(mask);
        }
        assertThat(Machine.permissions(files.resolve("4"))).isEqualTo("666");
        assertThat(files.resolve("4")).isEmptyFile();
    }

    @Test
    void isWhereTheContainerWantsIt() throws Exception {
        assertThat(binds("{terminationMessagePath: '/tmp/end'}", 0))
                .extracting(Bind::target)
                .containsExactly("/tmp/end");
    }

    @Test
    void comesAfterTheVolumeItIsIn() throws Exception {
        assertThat(binds("{terminationMessagePath: '/a/end', volumeMounts: [{name: 'v', mountPath: '/a'}]}", 0))
                .extracting(Bind::target)
                .containsExactly("/a", "/a/end");
    }

    @Test
    void givesWayToAVolumeAtTheSamePlace() throws Exception {
        assertThat(binds("{terminationMessagePath: '/a/', volumeMounts: [{name: 'v', mountPath: '/a'}]}", 0))
                .extracting(Bind::target)
                .containsExactly("/a");
    }

    @Test
    void keepsWhatWasWrittenWhenTheSpecIsMadeAgain() throws Exception {
        binds("{}", 0);
        Files.writeString(files.resolve("0"), "bye");

        binds("{}", 0);

        assertThat(message(0)).isEqualTo("bye");
    }

    @Test
    void isAnotherForEachAttemptAndOldOnesGo() throws Exception {
        for (int attempt = 0; attempt < 6; attempt++) {
            binds("{}", attempt);
            Files.writeString(files.resolve(Integer.toString(attempt)), "end of " + attempt);
        }

        assertThat(message(5)).isEqualTo("end of 5");
        assertThat(message(4)).isEqualTo("end of 4");
        assertThat(Machine.below(files)).containsExactly("3", "4", "5");
    }

    @Test
    void saysNothingIfThereIsNone() {
        assertThat(message(0)).isEmpty();
    }

    @Test
    void isReadFromItsEnd() throws Exception {
        binds("{}", 0);
        Files.writeString(files.resolve("0"), "x" + "y".repeat(4095) + "z");

        assertThat(message(0)).isEqualTo("y".repeat(4095) + "z");
    }

    @Test
    void isNotReadAsAWholeHoweverLarge() throws Exception {
        binds("{}", 0);
        try (RandomAccessFile file = new RandomAccessFile(files.resolve("0").toFile(), "rw")) {
            file.setLength(1L << 36);
            file.seek((1L << 36) - 3);
            file.writeBytes("end");
        }

        assertThat(message(0)).hasSize(4096).endsWith("end");
    }

    @Test
    void isNoLinkAndNothingElse() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "hidden");
        Files.createDirectories(files);
        Files.createSymbolicLink(files.resolve("0"), secret);
        String before = Machine.permissions(secret);

        assertThatThrownBy(() -> binds("{}", 0))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("termination message");
        assertThat(message(0)).isEmpty();
        assertThat(Machine.permissions(secret)).isEqualTo(before);
    }

    @Test
    void isNotReadThroughALinkInAParent() throws Exception {
        Path elsewhere = Files.createDirectories(directory.resolve("elsewhere/c"));
        Files.writeString(elsewhere.resolve("0"), "hidden");
        Files.createDirectories(files.getParent().getParent());
        Files.createSymbolicLink(files.getParent(), elsewhere.getParent());

        assertThat(message(0)).isEmpty();
    }

    @Test
    void isNotReadIfItHasAnotherName() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "hidden");
        Files.createDirectories(files);
        Files.createLink(files.resolve("0"), secret);

        assertThat(message(0)).isEmpty();
    }

    @Test
    void doesNotWaitForAPipe() throws Exception {
        Files.createDirectories(files);
        Machine.run("mkfifo", files.resolve("0").toString());

        assertThatThrownBy(() -> binds("{}", 0)).isInstanceOf(ConfigException.class);
        assertThat(message(0)).isEmpty();
    }

    @Test
    void isNotMadeThroughALink() throws IOException {
        Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
        Files.createDirectories(files.getParent().getParent());
        Files.createSymbolicLink(files.getParent(), elsewhere);

        assertThatThrownBy(() -> binds("{}", 0)).isInstanceOf(ConfigException.class);
        assertThat(elsewhere.resolve("c/0")).doesNotExist();
    }
}
