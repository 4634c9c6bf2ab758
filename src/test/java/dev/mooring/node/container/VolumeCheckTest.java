package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import dev.mooring.model.view.MountPoint;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VolumeCheckTest {
    @TempDir
    Path directory;

    private ContainerSpecFixture fixture;
    private Path local;
    private Path remote;

    @BeforeEach
    void prepare() {
        fixture = new ContainerSpecFixture(directory);
        local = fixture.layout.volume("u1", "kubernetes.io/csi", "disk");
        remote = fixture.layout.volume("u1", "kubernetes.io/nfs", "share");
    }

    private static PodVolume volume(String name, Path path, MountPoint mountPoint) {
        return new PodVolume(name, "pv-" + name, "any", path, VolumeMode.FILESYSTEM, mountPoint, false);
    }

    private List<PodVolume> localAndRemote() {
        return List.of(volume("disk", local, MountPoint.LOCAL), volume("share", remote, MountPoint.REMOTE));
    }

    private String verify(List<PodVolume> volumes) throws InterruptedException {
        return ContainerSpecFixture.resultOf(() -> {
            fixture.specs().verify(volumes);
            return "fine";
        });
    }

    @Test
    void verify_allVolumesMounted_succeeds() throws InterruptedException {
        fixture.fake.alreadyMounted(local, "ext4", "/dev/loop1");
        fixture.fake.alreadyMounted(remote, "nfs4", "nas:/x");

        assertThat(verify(localAndRemote())).isEqualTo("fine");
    }

    @Test
    void verify_directoryVolume_needsNoMount() throws InterruptedException {
        assertThat(verify(List.of(volume("d", Path.of("/srv"), MountPoint.NONE))))
                .isEqualTo("fine");
    }

    @Test
    void verify_volumeNotMounted_namesIt() throws InterruptedException {
        fixture.fake.alreadyMounted(local, "ext4", "/dev/loop1");
        fixture.fake.alreadyMounted(remote, "nfs4", "nas:/x");
        fixture.fake.vanish(remote);

        assertThat(verify(localAndRemote()))
                .startsWith("CreateContainerError: volume \"share\" is not mounted at " + remote + ";");

        fixture.fake.vanish(local);

        assertThat(verify(localAndRemote())).startsWith("CreateContainerError: volume \"disk\" is not mounted");
    }

    @Test
    void verify_subPathNotMounted_fails() throws InterruptedException {
        JsonNode container = ContainerSpecFixture.named(
                "{volumeMounts: [{name: 'd', mountPath: '/x'}, {name: 'd', mountPath: '/y', subPath: 's'},"
                        + " {name: 'd', mountPath: '/z', subPathExpr: '$(A)'}]}");
        List<PodVolume> volumes = List.of(volume("d", Path.of("/srv"), MountPoint.NONE));
        Path second = fixture.layout.subPath("u1", "pv-d", "c", 1);
        Path third = fixture.layout.subPath("u1", "pv-d", "c", 2);
        ContainerSpecFixture.SpecCall verify = () -> {
            fixture.specs().verify(ContainerSpecFixture.pod("{}"), container, volumes);
            return "fine";
        };

        fixture.fake.alreadyMounted(third, "ext4", "/dev/vda");
        assertThat(ContainerSpecFixture.resultOf(verify))
                .startsWith("CreateContainerError: subPath of volume \"d\" is not mounted at " + second + ";");

        fixture.fake.alreadyMounted(second, "ext4", "/dev/vda");
        assertThat(ContainerSpecFixture.resultOf(verify)).isEqualTo("fine");

        fixture.fake.vanish(third);
        assertThat(ContainerSpecFixture.resultOf(verify)).contains(third.toString());
    }

    @Test
    void verify_remoteVolumes_readsMountTableOnceAndNotTheirPaths() throws InterruptedException {
        RecordingMounter recording = new RecordingMounter(fixture.fake);
        fixture.mounter = recording;
        fixture.fake.alreadyMounted(local, "ext4", "/dev/loop1");
        fixture.fake.alreadyMounted(remote, "nfs4", "nas:/x");
        Path other = fixture.layout.volume("u1", "kubernetes.io/nfs", "other");
        fixture.fake.alreadyMounted(other, "nfs4", "nas:/y");
        List<PodVolume> volumes = new ArrayList<>(localAndRemote());
        volumes.add(volume("other", other, MountPoint.REMOTE));

        assertThat(verify(volumes)).isEqualTo("fine");
        assertThat(recording.calls).containsExactly(local.toString(), "table");

        recording.calls.clear();

        assertThat(verify(volumes.subList(0, 1))).isEqualTo("fine");
        assertThat(recording.calls).containsExactly(local.toString());
    }

    @Test
    void checkInside_volumeNotMountedInContainer_fails() throws Exception {
        fixture.fake.alreadyMounted(remote, "nfs4", "nas:/x");
        String device = fixture.fake.table().at(remote).orElseThrow().device();
        JsonNode container = ContainerSpecFixture.json("{volumeMounts: [{name: 'share', mountPath: '/v'}]}");
        Path mountInfo = directory.resolve("mountinfo");
        List<PodVolume> volumes = List.of(volume("share", remote, MountPoint.REMOTE));
        VolumeCheck check = new VolumeCheck(fixture.layout, fixture.fake);

        Files.writeString(mountInfo, "7 1 8:1 /data/pods /v rw - ext4 /dev/sda1 rw\n");
        assertThat(ContainerSpecFixture.resultOf(() -> {
                    check.checkInside(container, volumes, mountInfo);
                    return "fine";
                }))
                .contains("volume \"share\"", "was not mounted at /v when the container started");
        Files.writeString(mountInfo, "7 1 " + device + " / /run/v rw - nfs4 nas:/x rw\n");
        check.checkInside(container, volumes, mountInfo);
        Files.writeString(mountInfo, "7 1 " + device + " / /v rw - nfs4 nas:/x rw\n");
        check.checkInside(container, volumes, mountInfo);
        check.checkInside(container, volumes, directory.resolve("gone"));
    }

    @Test
    void verify_unreadableMountTable_fails() throws InterruptedException {
        RecordingMounter recording = new RecordingMounter(fixture.fake);
        recording.broken = true;
        fixture.mounter = recording;
        fixture.fake.alreadyMounted(remote, "nfs4", "nas:/x");

        assertThat(verify(List.of(volume("share", remote, MountPoint.REMOTE))))
                .isEqualTo("CreateContainerError: cannot check whether volume \"share\" is mounted at " + remote
                        + ": no /proc");
    }

    /** Records reads of mounts; does not support changes. */
    private static final class RecordingMounter implements Mounter {
        private final Mounter mounter;
        private final List<String> calls = new ArrayList<>();
        private boolean broken;

        private RecordingMounter(Mounter mounter) {
            this.mounter = mounter;
        }

        @Override
        public MountTable table() throws VolumeException {
            calls.add("table");
            if (broken) {
                throw VolumeException.clean("Broken", "no /proc");
            }
            return mounter.table();
        }

        @Override
        public boolean isMountPoint(Path target) throws VolumeException {
            calls.add(target.toString());
            return mounter.isMountPoint(target);
        }

        @Override
        public void makeDirectory(Path target) {
            throw new UnsupportedOperationException(target.toString());
        }

        @Override
        public void removeDirectory(Path target) {
            throw new UnsupportedOperationException(target.toString());
        }

        @Override
        public void bind(Path source, Path target, Access access) {
            throw new UnsupportedOperationException(target.toString());
        }

        @Override
        public void bind(Descriptor source, Path target, BindSettings settings) {
            throw new UnsupportedOperationException(target.toString());
        }

        @Override
        public void mountTmpfs(Path target, TmpfsOptions size) {
            throw new UnsupportedOperationException(target.toString());
        }

        @Override
        public void mount(MountCommand command) {
            throw new UnsupportedOperationException(command.toString());
        }

        @Override
        public void unmount(Path target, UnmountTimeouts limits, OperationProgress progress) {
            throw new UnsupportedOperationException(target.toString());
        }
    }
}
