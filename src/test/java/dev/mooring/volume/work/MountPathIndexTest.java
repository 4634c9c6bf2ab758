package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.MountTable;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountPathIndexTest {
    private static final MountTable TABLE = MountTable.parse("""
        1 0 8:1 / / rw - ext4 /dev/root rw
        2 1 8:2 / /disk rw - xfs /dev/sdb rw
        3 1 0:9 / /net rw - nfs4 nas:/x rw
        4 3 8:3 / /net/disk rw - ext4 /dev/sdc rw
        5 1 8:1 /srv/data /bound rw - ext4 /dev/root rw
        6 1 0:10 / /stack rw - nfs4 nas:/y rw
        7 6 0:11 / /stack rw - tmpfs tmpfs rw
        8 1 0:12 / /fuse rw - fuse.sshfs x rw
        """);

    @ParameterizedTest
    @CsvSource({
        "/, true, true",
        "/a/b, true, false",
        "/disk, true, true",
        "/disk/a, true, false",
        "/diskette, true, false",
        "/net, false, true",
        "/net/disk, false, true",
        "/bound, true, false",
        "/stack, false, true",
        "/fuse/a, false, false"
    })
    void index_path_agreesWithMountTable(Path path, boolean local, boolean whole) {
        MountPathIndex index = new MountPathIndex(TABLE);
        assertThat(index.isLocalPath(path)).isEqualTo(local).isEqualTo(TABLE.isLocalPath(path));
        assertThat(index.isWholeFileSystem(path)).isEqualTo(whole);
    }
}
