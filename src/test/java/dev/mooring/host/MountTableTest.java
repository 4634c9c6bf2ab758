package dev.mooring.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MountTableTest {
    private static final MountTable TABLE = MountTable.parse("""
        27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
        30 27 0:40 / /srv/nfs rw shared:7 master:2 - nfs4 server:/export rw,vers=4.2
        31 30 0:41 / /srv/nfs/fast rw - tmpfs tmpfs rw
        32 27 254:0 /data/with\\040space /mnt/with\\040space rw - ext4 /dev/vda rw
        33 27 0:42 / /fuse rw - fuse.sshfs user@host:/ rw
        34 33 8:1 / /fuse rw - xfs /dev/sda1 rw
        an invalid line
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
    void of_path_returnsItsMountAndWhetherPathIsLocal(Path path, String type, boolean local) {
        assertThat(TABLE.of(path).type()).isEqualTo(type);
        assertThat(TABLE.isLocalPath(path)).isEqualTo(local);
    }

    @Test
    void parse_escapedSpacesAndBindRoot_areDecoded() {
        MountTable.Mount mount = TABLE.of(Path.of("/mnt/with space/x"));
        assertThat(mount.root()).isEqualTo("/data/with space");
        assertThat(mount.device()).isEqualTo("254:0");
        assertThat(TABLE.isMountPoint(Path.of("/mnt/with space"))).isTrue();
        assertThat(TABLE.isMountPoint(Path.of("/mnt"))).isFalse();
    }

    @Test
    void below_returnsMountsBelowButNotAtPath() {
        assertThat(TABLE.below(Path.of("/srv")))
                .extracting(MountTable.Mount::point)
                .containsExactly("/srv/nfs", "/srv/nfs/fast");
        assertThat(TABLE.below(Path.of("/srv/nfs")))
                .extracting(MountTable.Mount::point)
                .containsExactly("/srv/nfs/fast");
        assertThat(TABLE.below(Path.of("/srv/nf"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        rw,relatime        | rw,size=64k      | rw,relatime,size=64k     | false
        ro,nosuid,relatime | rw,size=64k      | ro,nosuid,relatime,size=64k | true
        rw,relatime        | ro,errors=panic  | relatime,ro,errors=panic | true
        rw                 | rw               | rw                       | false
        """)
    void parse_optionsOfMountAndFileSystem_areMerged(String mount, String fileSystem, String all, boolean readOnly) {
        MountTable.Mount parsed = only("41 27 0:50 / /x " + mount + " shared:1 - tmpfs tmpfs " + fileSystem);
        assertThat(String.join(",", parsed.options())).isEqualTo(all);
        assertThat(parsed.isReadOnly()).isEqualTo(readOnly);
    }

    private static MountTable.Mount only(String line) {
        List<MountTable.Mount> mounts = MountTable.parse(line).mounts();
        assertThat(mounts).hasSize(1);
        return mounts.get(0);
    }

    @Test
    void parse_readsAllFields() {
        assertThat(only("30 27 0:40 /a /srv/nfs rw,noatime shared:7 master:2 - nfs4 server:/export rw,vers=4.2"))
                .isEqualTo(new MountTable.Mount(
                        30,
                        27,
                        "0:40",
                        "/a",
                        "/srv/nfs",
                        List.of("rw", "noatime", "vers=4.2"),
                        "nfs4",
                        "server:/export"));
        assertThat(only("30 27 0:40 / /x rw - tmpfs  rw").source()).isEmpty();
        assertThat(only("30 27 0:40 / /x rw - tmpfs none").options()).containsExactly("rw");
        assertThat(only("30 27 0:40 / /b\\303\\244r\\134\\0129 rw - tmpfs a\\040b rw")
                        .point())
                .isEqualTo("/b\u00e4r\\\n9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "30 27 0:40 / /x rw",
                "30 27 0:40 / /x rw - ",
                "x 27 0:40 / /x rw - tmpfs tmpfs rw",
                "30",
                "30 27",
            })
    void parse_invalidLine_isSkipped(String line) {
        assertThat(MountTable.parse(line + "\n1 0 8:1 / / rw - ext4 /dev/sda rw\n" + line)
                        .mounts())
                .hasSize(1);
    }

    @Test
    void parse_removedDirectory_suffixIsStripped() {
        MountTable table = MountTable.parse("""
            30 27 0:40 / /pods/a//deleted rw - nfs4 nas:/x rw
            31 27 0:41 /dir//deleted /pods/b rw - ext4 /dev/loop0\\040(deleted) rw
            """);
        assertThat(table.isMountPoint(Path.of("/pods/a"))).isTrue();
        assertThat(table.at(Path.of("/pods/b")).orElseThrow().root()).isEqualTo("/dir");
        assertThat(table.at(Path.of("/pods/b")).orElseThrow().source()).isEqualTo("/dev/loop0");
    }

    @Test
    void at_stackedMounts_returnsTop() {
        MountTable table = MountTable.parse("""
            27 1 254:0 / / rw - ext4 /dev/vda rw
            50 44 0:52 / /x rw - tmpfs top rw
            40 27 0:50 / /x rw - tmpfs bottom rw
            44 40 0:51 / /x rw - tmpfs middle rw
            """);
        assertThat(table.allAt(Path.of("/x")))
                .extracting(MountTable.Mount::source)
                .containsExactly("bottom", "middle", "top");
        assertThat(table.at(Path.of("/x")).orElseThrow().source()).isEqualTo("top");
        assertThat(table.at(Path.of("/y"))).isEmpty();
        assertThat(TABLE.at(Path.of("/fuse")).orElseThrow().type()).isEqualTo("xfs");
    }

    @ParameterizedTest
    @CsvSource({
        "nfs4,       false, true",
        "cifs,       false, true",
        "fuse,       false, true",
        "fuse.sshfs, false, true",
        "proc,       false, false",
        "ext4,       true,  false",
        "tmpfs,      true,  false",
    })
    void mount_type_isLocalOrRemote(String type, boolean local, boolean remote) {
        MountTable.Mount mount = only("30 27 0:40 / /x rw - " + type + " s rw");
        assertThat(mount.isLocal()).isEqualTo(local);
        assertThat(mount.isRemote()).isEqualTo(remote);
    }

    @Test
    void parse_tenThousandMounts_succeeds() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            text.append(i + 100)
                    .append(" 27 0:40 /volumes/pvc-")
                    .append(i)
                    .append(" /var/lib/mooring/pods/0b3f0a52-5d7e-4f39-8b6e-")
                    .append(i)
                    .append("/volumes/kubernetes.io~nfs/pvc rw,relatime shared:1 - nfs4 nas:/x rw,vers=4.2,hard\n");
        }
        MountTable table = MountTable.parse(text.toString());
        assertThat(table.mounts()).hasSize(10_000);
        Path last = Path.of("/var/lib/mooring/pods/0b3f0a52-5d7e-4f39-8b6e-9999/volumes/kubernetes.io~nfs/pvc");
        assertThat(table.at(last).orElseThrow().id()).isEqualTo(10_099);
    }

    @Test
    void read_returnsTableOfThisMachine() throws IOException {
        assertThat(MountTable.read().of(Path.of("/proc/self")).type()).isEqualTo("proc");
    }
}
