package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.HostMachine;
import dev.mooring.model.view.MountPoint;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.runtime.ContainerSpec.BindMount;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.ContainerSpec.Propagation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TerminationLogTest {
    private static final Pod POD = ContainerSpecFixture.pod("{}");
    private static final JsonNode CONTAINER = ContainerSpecFixture.named("{}");

    @TempDir
    Path directory;

    private ContainerSpecFixture fixture;
    private Path files;

    @BeforeEach
    void prepare() {
        fixture = new ContainerSpecFixture(directory);
        files = fixture.layout.pod("u1").resolve("containers/c");
    }

    private List<BindMount> binds(String container, int attempt) throws ConfigException, InterruptedException {
        return fixture.specs()
                .container(
                        POD,
                        ContainerSpecFixture.named(container),
                        ContainerSpecFixture.labels("c", attempt),
                        ContainerSpecFixture.JOINED,
                        ContainerSpecFixture.IMAGE,
                        List.of(new PodVolume(
                                "v", "v", "any", Path.of("/v"), VolumeMode.FILESYSTEM, MountPoint.NONE, false)),
                        ContainerSpecFixture.ADDRESSES)
                .spec()
                .binds();
    }

    private String message(int attempt) {
        return fixture.specs().terminationMessage(POD, CONTAINER, attempt);
    }

    @Test
    void terminationLog_strictUmask_isWorldWritable() throws Exception {
        int mask = HostMachine.umask(0077);
        try {
            assertThat(binds("{}", 4))
                    .containsExactly(new BindMount(
                            files.resolve("4"), "/dev/termination-log", MountAccess.READ_WRITE, Propagation.PRIVATE));
        } finally {
            HostMachine.umask(mask);
        }
        assertThat(HostMachine.permissions(files.resolve("4"))).isEqualTo("666");
        assertThat(files.resolve("4")).isEmptyFile();
    }

    @Test
    void terminationLog_isMountedAtTerminationMessagePath() throws Exception {
        assertThat(binds("{terminationMessagePath: '/tmp/end'}", 0))
                .extracting(BindMount::target)
                .containsExactly("/tmp/end");
    }

    @Test
    void terminationLog_pathInsideVolume_isMountedAfterVolume() throws Exception {
        assertThat(binds("{terminationMessagePath: '/a/end', volumeMounts: [{name: 'v', mountPath: '/a'}]}", 0))
                .extracting(BindMount::target)
                .containsExactly("/a", "/a/end");
    }

    @Test
    void terminationLog_volumeAtSamePath_isNotMounted() throws Exception {
        assertThat(binds("{terminationMessagePath: '/a/', volumeMounts: [{name: 'v', mountPath: '/a'}]}", 0))
                .extracting(BindMount::target)
                .containsExactly("/a");
    }

    @Test
    void terminationLog_specBuiltAgain_keepsContent() throws Exception {
        binds("{}", 0);
        Files.writeString(files.resolve("0"), "bye");

        binds("{}", 0);

        assertThat(message(0)).isEqualTo("bye");
    }

    @Test
    void terminationLog_manyAttempts_keepsFilesOfLastThree() throws Exception {
        for (int attempt = 0; attempt < 6; attempt++) {
            binds("{}", attempt);
            Files.writeString(files.resolve(Integer.toString(attempt)), "end of " + attempt);
        }

        assertThat(message(5)).isEqualTo("end of 5");
        assertThat(message(4)).isEqualTo("end of 4");
        assertThat(HostMachine.below(files)).containsExactly("3", "4", "5");
    }

    @Test
    void terminationMessage_noFile_isEmpty() {
        assertThat(message(0)).isEmpty();
    }

    @Test
    void terminationMessage_longFile_isItsLast4096Bytes() throws Exception {
        binds("{}", 0);
        Files.writeString(files.resolve("0"), "x" + "y".repeat(4095) + "z");

        assertThat(message(0)).isEqualTo("y".repeat(4095) + "z");
    }

    @Test
    void terminationMessage_hugeFile_readsItsEndOnly() throws Exception {
        binds("{}", 0);
        try (RandomAccessFile file = new RandomAccessFile(files.resolve("0").toFile(), "rw")) {
            file.setLength(1L << 36);
            file.seek((1L << 36) - 3);
            file.writeBytes("end");
        }

        assertThat(message(0)).hasSize(4096).endsWith("end");
    }

    @Test
    void terminationLog_symbolicLink_isRejectedAndNotRead() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "hidden");
        Files.createDirectories(files);
        Files.createSymbolicLink(files.resolve("0"), secret);
        String before = HostMachine.permissions(secret);

        assertThatThrownBy(() -> binds("{}", 0))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("termination message");
        assertThat(message(0)).isEmpty();
        assertThat(HostMachine.permissions(secret)).isEqualTo(before);
    }

    @Test
    void terminationMessage_parentIsSymbolicLink_isEmpty() throws Exception {
        Path elsewhere = Files.createDirectories(directory.resolve("elsewhere/c"));
        Files.writeString(elsewhere.resolve("0"), "hidden");
        Files.createDirectories(files.getParent().getParent());
        Files.createSymbolicLink(files.getParent(), elsewhere.getParent());

        assertThat(message(0)).isEmpty();
    }

    @Test
    void terminationMessage_hardLink_isEmpty() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "hidden");
        Files.createDirectories(files);
        Files.createLink(files.resolve("0"), secret);

        assertThat(message(0)).isEmpty();
    }

    @Test
    void terminationLog_namedPipe_isRejectedWithoutBlocking() throws Exception {
        Files.createDirectories(files);
        HostMachine.run("mkfifo", files.resolve("0").toString());

        assertThatThrownBy(() -> binds("{}", 0)).isInstanceOf(ConfigException.class);
        assertThat(message(0)).isEmpty();
    }

    @Test
    void terminationLog_parentIsSymbolicLink_isRejected() throws IOException {
        Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
        Files.createDirectories(files.getParent().getParent());
        Files.createSymbolicLink(files.getParent(), elsewhere);

        assertThatThrownBy(() -> binds("{}", 0)).isInstanceOf(ConfigException.class);
        assertThat(elsewhere.resolve("c/0")).doesNotExist();
    }
}
