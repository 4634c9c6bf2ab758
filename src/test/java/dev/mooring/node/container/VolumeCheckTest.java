package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.node.container.PodVolume.MountPoint;
import dev.mooring.volume.Access;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.MemorySize;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.MountTable;
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

    private SpecBench bench;
    private Path local;
    private Path remote;

    @BeforeEach
    void prepare() {
        bench = new SpecBench(directory);
        local = bench.layout.volume("u1", "kubernetes.io/csi", "disk");
        remote = bench.layout.volume("u1", "kubernetes.io/nfs", "share");
    }

    private static PodVolume volume(String name, Path path, MountPoint mountPoint) {
        return new PodVolume(name, "pv-" + name, "any", path, VolumeMode.FILESYSTEM, mountPoint, false);
    }

    private List<PodVolume> both() {
        return List.of(volume("disk", local, MountPoint.LOCAL), volume("share", remote, MountPoint.REMOTE));
    }

    private String verify(List<PodVolume> volumes) throws InterruptedException {
        return SpecBench.wordsOf(() -> {
            bench.specs().verify(volumes);
            return "fine";
        });
    }

    @Test
    void isContentIfEverythingIsMounted() throws InterruptedException {
        bench.fake.alreadyMounted(local, "ext4", "/dev/loop1");
        bench.fake.alreadyMounted(remote, "nfs4", "nas:/x");

        assertThat(verify(both())).isEqualTo("fine");
    }

    @Test
    void needsNoMountForADirectory() throws InterruptedException {
        assertThat(verify(List.of(volume("d", Path.of("/srv"), MountPoint.NONE))))
                .isEqualTo("fine");
    }

    @Test
    void tellsWhichOneIsGone() throws InterruptedException {
        bench.fake.alreadyMounted(local, "ext4", "/dev/loop1");
        bench.fake.alreadyMounted(remote, "nfs4", "nas:/x");
        bench.fake.vanish(remote);

        assertThat(verify(both()))
                .startsWith("CreateContainerError: Expected volume \"share\" to be mounted at " + remote
                        + ", but nothing is mounted there");

        bench.fake.vanish(local);

        assertThat(verify(both())).startsWith("CreateContainerError: Expected volume \"disk\" to be mounted");
    }

    @Test
    void wantsPartsOfVolumesAtTheirOwnPlacesToo() throws InterruptedException {
        JsonNode container = SpecBench.named(
                "{volumeMounts: [{name: 'd', mountPath: '/x'}, {name: 'd', mountPath: '/y', subPath: 's'},"
                        + " {name: 'd', mountPath: '/z', subPathExpr: '$(A)'}]}");
        List<PodVolume> volumes = List.of(volume("d", Path.of("/srv"), MountPoint.NONE));
        Path second = bench.layout.subPath("u1", "pv-d", "c", 1);
        Path third = bench.layout.subPath("u1", "pv-d", "c", 2);
        SpecBench.Doing verify = () -> {
            bench.specs().verify(SpecBench.pod("{}"), container, volumes);
            return "fine";
        };

        bench.fake.alreadyMounted(third, "ext4", "/dev/vda");
        assertThat(SpecBench.wordsOf(verify))
                .startsWith(
                        "CreateContainerError: Expected a part of volume \"d\" to be mounted at " + second + ", but");

        bench.fake.alreadyMounted(second, "ext4", "/dev/vda");
        assertThat(SpecBench.wordsOf(verify)).isEqualTo("fine");

        bench.fake.vanish(third);
        assertThat(SpecBench.wordsOf(verify)).contains(third.toString());
    }

    @Test
    void touchesNothingThatMayBeRemoteAndReadsTheTableOnce() throws InterruptedException {
        Counting counting = new Counting(bench.fake);
        bench.mounter = counting;
        bench.fake.alreadyMounted(local, "ext4", "/dev/loop1");
        bench.fake.alreadyMounted(remote, "nfs4", "nas:/x");
        Path other = bench.layout.volume("u1", "kubernetes.io/nfs", "other");
        bench.fake.alreadyMounted(other, "nfs4", "nas:/y");
        List<PodVolume> volumes = new ArrayList<>(both());
        volumes.add(volume("other", other, MountPoint.REMOTE));

        assertThat(verify(volumes)).isEqualTo("fine");
        assertThat(counting.asked).containsExactly(local.toString(), "table");

        counting.asked.clear();

        assertThat(verify(volumes.subList(0, 1))).isEqualTo("fine");
        assertThat(counting.asked).containsExactly(local.toString());
    }

    @Test
    void aContainerThatHasTheBareDirectoryIsFoundFromTheInside() throws Exception {
        bench.fake.alreadyMounted(remote, "nfs4", "nas:/x");
        String device = bench.fake.table().at(remote).orElseThrow().device();
        JsonNode container = SpecBench.json("{volumeMounts: [{name: 'share', mountPath: '/v'}]}");
        Path seen = directory.resolve("mountinfo");
        List<PodVolume> volumes = List.of(volume("share", remote, MountPoint.REMOTE));
        VolumeCheck check = new VolumeCheck(bench.layout, bench.fake);

        Files.writeString(seen, "7 1 8:1 /data/pods /v rw - ext4 /dev/sda1 rw\n");
        assertThat(SpecBench.wordsOf(() -> {
                    check.inside(container, volumes, seen);
                    return "fine";
                }))
                .contains("volume \"share\"", "was not mounted in the moment");
        Files.writeString(seen, "7 1 " + device + " / /run/v rw - nfs4 nas:/x rw\n");
        check.inside(container, volumes, seen);
        Files.writeString(seen, "7 1 " + device + " / /v rw - nfs4 nas:/x rw\n");
        check.inside(container, volumes, seen);
        check.inside(container, volumes, directory.resolve("gone"));
    }

    @Test
    void doesNotTrustWhatItCannotFindOut() throws InterruptedException {
        Counting counting = new Counting(bench.fake);
        counting.broken = true;
        bench.mounter = counting;
        bench.fake.alreadyMounted(remote, "nfs4", "nas:/x");

        assertThat(verify(List.of(volume("share", remote, MountPoint.REMOTE))))
                .isEqualTo("CreateContainerError: Expected volume \"share\" to be mounted at " + remote
                        + ", but that cannot be found out: no /proc");
    }

    /** Writes down what is asked; nothing is ever done. */
    private static final class Counting implements Mounter {
        private final Mounter mounter;
        private final List<String> asked = new ArrayList<>();
        private boolean broken;

        private Counting(Mounter mounter) {
            this.mounter = mounter;
        }

        @Override
        public MountTable table() throws VolumeException {
            asked.add("table");
            if (broken) {
                throw VolumeException.clean("Broken", "no /proc");
            }
            return mounter.table();
        }

        @Override
        public boolean isMountPoint(Path target) throws VolumeException {
            asked.add(target.toString());
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
        public void bind(Descriptor source, Path target, Access access) {
            throw new UnsupportedOperationException(target.toString());
        }

        @Override
        public void memory(Path target, MemorySize size) {
            throw new UnsupportedOperationException(target.toString());
        }

        @Override
        public void mount(MountCommand command) {
            throw new UnsupportedOperationException(command.toString());
        }

        @Override
        public void unmount(Path target, UnmountLimits limits, Progress progress) {
            throw new UnsupportedOperationException(target.toString());
        }
    }
}
