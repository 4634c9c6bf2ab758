package dev.mooring.volume.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountTableTest {
    private static final MountTable TABLE = MountTable.parse("""
        27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
        30 27 0:40 / /srv/nfs rw shared:7 master:2 - nfs4 server:/export rw,vers=4.2
        31 30 0:41 / /srv/nfs/fast rw - tmpfs tmpfs rw
        32 27 254:0 /data/with\\040space /mnt/with\\040space rw - ext4 /dev/vda rw
        33 27 0:42 / /fuse rw - fuse.sshfs me@there:/ rw
        34 33 8:1 / /fuse rw - xfs /dev/sda1 rw
        a line that is none
        """);

    @ParameterizedTest
    @CsvSource({
        "/,               ext4,  true",
        "/srv,            ext4,  true",
        "/srv/nfs,        nfs4,  false",
        "/srv/nfs/a/b,    nfs4,  false",
        "/srv/nfsx,       ext4,  true",
        "/srv/nfs/fast/a, tmpfs, false",
        "/fuse/a,         xfs,   false",
    })
    void tellsInWhichFileSystemAPathLiesAndWhetherItMayHangOnTheWay(Path path, String type, boolean local) {
        assertThat(TABLE.of(path).type()).isEqualTo(type);
        assertThat(TABLE.isLocalAllTheWay(path)).isEqualTo(local);
    }

    @Test
    void readsNamesWithSpacesAndTheRootOfABindMount() {
        MountTable.Mount mount = TABLE.of(Path.of("/mnt/with space/x"));
        assertThat(mount.root()).isEqualTo("/data/with space");
        assertThat(mount.device()).isEqualTo("254:0");
        assertThat(TABLE.isMountPoint(Path.of("/mnt/with space"))).isTrue();
        assertThat(TABLE.isMountPoint(Path.of("/mnt"))).isFalse();
    }

    @Test
    void tellsWhatIsMountedBelowAPathButNotAtIt() {
        assertThat(TABLE.below(Path.of("/srv")))
                .extracting(MountTable.Mount::point)
                .containsExactly("/srv/nfs", "/srv/nfs/fast");
        assertThat(TABLE.below(Path.of("/srv/nfs")))
                .extracting(MountTable.Mount::point)
                .containsExactly("/srv/nfs/fast");
        assertThat(TABLE.below(Path.of("/srv/nf"))).isEmpty();
    }

    @Test
    void readsTheTableOfThisMachine() throws IOException {
        assertThat(MountTable.read().of(Path.of("/proc/self")).type()).isEqualTo("proc");
    }
}
