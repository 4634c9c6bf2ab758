package dev.mooring.volume.content;

import static dev.mooring.volume.content.PayloadFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.content.AtomicWriter.WriteResult;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicWriterTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2016-02-01T15:04:05.123456789Z"), ZoneOffset.UTC);
    private static final int ENOSPC = 28;

    @TempDir
    Path temp;

    private Path volume;

    @BeforeEach
    void makeVolume() throws Exception {
        volume = Files.createDirectory(temp.toRealPath().resolve("volume"));
    }

    private WriteResult write(String... files) throws Exception {
        return write(SystemCalls.real(), FsGroupPermissions.UNCHANGED, files);
    }

    private WriteResult write(SystemCalls calls, FsGroupPermissions access, String... files) throws Exception {
        try (OpenDirectory directory = OpenDirectory.open(calls, volume)) {
            return new AtomicWriter(directory, CLOCK).write(payload(files), access);
        }
    }

    @Test
    void write_newVolume_createsFilesAndLinks() throws Exception {
        assertThat(write("foo=1", ".dot=2", "bar/zip/zap=3", "bar/x=4", "empty="))
                .isEqualTo(WriteResult.WRITTEN);

        assertThat(VolumeContents.files(volume))
                .containsExactly(".dot=2", "bar/x=4", "bar/zip/zap=3", "empty=", "foo=1");
        assertThat(VolumeContents.names(volume))
                .containsExactly("..2016_02_01_15_04_05.123456789", "..data", ".dot", "bar", "empty", "foo");
        assertThat(VolumeContents.version(volume)).isEqualTo("..2016_02_01_15_04_05.123456789");
        assertThat(Files.readSymbolicLink(volume.resolve("bar")).toString()).isEqualTo("..data/bar");
        assertThat(Files.readSymbolicLink(volume.resolve(".dot")).toString()).isEqualTo("..data/.dot");
    }

    @Test
    void write_restrictiveUmask_setsRequestedModes() throws Exception {
        int before = HostMachine.umask(0077);
        try {
            write("a:644=", "b:400=", "c:777=", "d:0=", "sub/e:444=");
        } finally {
            HostMachine.umask(before);
        }
        Path data = volume.resolve(VolumeContents.version(volume));
        assertThat(HostMachine.permissions(data)).isEqualTo("755");
        assertThat(HostMachine.permissions(data.resolve("sub"))).isEqualTo("755");
        assertThat(List.of("a", "b", "c", "d", "sub/e"))
                .extracting(each -> HostMachine.permissions(data.resolve(each)))
                .containsExactly("644", "400", "777", "0", "444");
    }

    @Test
    void write_largeFile_detectsChangeOfOneByte() throws Exception {
        String large = "0123456789".repeat(100_000);
        write("large=" + large);
        assertThat(write("large=" + large)).isEqualTo(WriteResult.UNCHANGED);
        assertThat(write("large=" + large.substring(1) + "x")).isEqualTo(WriteResult.WRITTEN);
        assertThat(Files.readString(volume.resolve("large"))).isEqualTo(large.substring(1) + "x");
    }

    @Test
    void write_unchangedFiles_keepsVersion() throws Exception {
        write("foo=1", "bar/zip=2");
        String version = VolumeContents.version(volume);
        assertThat(write("bar/zip=2", "foo=1")).isEqualTo(WriteResult.UNCHANGED);
        assertThat(VolumeContents.version(volume)).isEqualTo(version);
    }

    @Test
    void write_anyChange_createsNewVersion() throws Exception {
        List<String> versions = new ArrayList<>();
        for (String files : new String[] {
            "foo=1 bar=2", // first version
            "foo=1 bar=3", // different content of the same length
            "foo=1 bar=33", // longer content
            "foo=1 bar:600=33", // another mode
            "foo=1 bar:600=33 new/one=4", // an added file
            "foo=1 new/one=4", // a removed file
            "foo=1 new=4", // a directory becomes a file
            "foo/x=1 new=4", // a file becomes a directory
            "only=5",
        }) {
            assertThat(write(files.split(" "))).as(files).isEqualTo(WriteResult.WRITTEN);
            versions.add(VolumeContents.version(volume));
            assertThat(VolumeContents.files(volume))
                    .as(files)
                    .containsExactlyInAnyOrder(files.replace(":600", "").split(" "));
            assertThat(VolumeContents.raw(volume))
                    .as(files)
                    .filteredOn("..version"::equals)
                    .hasSize(1);
        }
        for (int i = 1; i < versions.size(); i++) {
            assertThat(versions.get(i)).isNotEqualTo(versions.get(i - 1));
        }
    }

    @Test
    void write_noFiles_removesAllFiles() throws Exception {
        write("foo=1", "bar/zip=2");
        write();
        assertThat(VolumeContents.raw(volume)).containsExactly("..data", "..version");
        assertThat(write()).isEqualTo(WriteResult.UNCHANGED);
    }

    @Test
    void write_linksMissingAfterCrash_restoresThem() throws Exception {
        write("foo=1", "bar/zip=2");
        Files.delete(volume.resolve("foo"));
        Files.delete(volume.resolve("bar"));

        assertThat(write("foo=1", "bar/zip=2")).isEqualTo(WriteResult.UNCHANGED);

        assertThat(VolumeContents.files(volume)).containsExactly("bar/zip=2", "foo=1");
    }

    @Test
    void write_leftoversOfCrash_removesThem() throws Exception {
        write("foo=1");
        Files.createSymbolicLink(volume.resolve("..data_tmp"), Path.of("..2015_01_01_00_00_00.1"));
        Files.createDirectories(volume.resolve("..2015_01_01_00_00_00.1/old"));
        Files.createSymbolicLink(volume.resolve("gone"), Path.of("..data/gone"));

        assertThat(write("foo=1")).isEqualTo(WriteResult.UNCHANGED);

        assertThat(VolumeContents.raw(volume)).containsExactly("..data", "..version", "foo");
    }

    @Test
    void write_foreignEntries_leavesThemUnchanged() throws Exception {
        Files.createDirectory(volume.resolve("nested"));
        Files.createDirectory(volume.resolve("..nested"));
        Files.createSymbolicLink(volume.resolve("other"), Path.of("elsewhere"));
        write("foo=1", "nested=2");
        write("foo=2");
        assertThat(VolumeContents.raw(volume))
                .containsExactly("..data", "..nested", "..version", "foo", "nested", "other");
        assertThat(volume.resolve("nested")).isDirectory();
    }

    @Test
    void write_plantedLinks_doesNotFollowThem() throws Exception {
        Path outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "1");
        Path outsideVersion = Files.createDirectory(temp.resolve("..2016_01_01_00_00_00.5"));
        Files.writeString(outsideVersion.resolve("foo"), "1");
        for (String target : new String[] {
            outside.toString(), "../outside", "../..2016_01_01_00_00_00.5", "..2016_01_01_00_00_00.5", "foo", ".."
        }) {
            Files.deleteIfExists(volume.resolve("..data"));
            Files.createSymbolicLink(volume.resolve("..data"), Path.of(target));
            Files.createSymbolicLink(volume.resolve("..2016_01_01_00_00_00.5"), outsideVersion);
            Files.deleteIfExists(volume.resolve("foo"));
            Files.createSymbolicLink(volume.resolve("foo"), outside.resolve("precious"));

            assertThat(write("foo=2")).as(target).isEqualTo(WriteResult.WRITTEN);

            assertThat(VolumeContents.files(volume)).as(target).containsExactly("foo=2");
            assertThat(VolumeContents.raw(volume)).as(target).containsExactly("..data", "..version", "foo");
        }
        assertThat(outside.resolve("precious")).hasContent("1");
        assertThat(outsideVersion.resolve("foo")).hasContent("1");
    }

    @Test
    void write_linkPlantedInVersion_doesNotReadThroughIt() throws Exception {
        write("foo=1", "sub/bar=2");
        Path outside = Files.createDirectory(temp.resolve("outside"));
        Files.writeString(outside.resolve("bar"), "2");
        Path data = volume.resolve(VolumeContents.version(volume));
        Files.delete(data.resolve("sub/bar"));
        Files.delete(data.resolve("sub"));
        Files.createSymbolicLink(data.resolve("sub"), outside);

        assertThat(write("foo=1", "sub/bar=2")).isEqualTo(WriteResult.WRITTEN);

        assertThat(volume.resolve("..data/sub").toRealPath()).startsWith(volume);
        assertThat(outside.resolve("bar")).hasContent("2");
    }

    @Test
    void write_directoryInPlaceOfDataLink_replacesIt() throws Exception {
        Files.createDirectories(volume.resolve("..data/foo"));
        write("foo=1");
        assertThat(VolumeContents.files(volume)).containsExactly("foo=1");
    }

    @Test
    void write_fsGroup_setsGroupBeforePublishing() throws Exception {
        HostMachine.assumeRoot();
        FsGroupPermissions group = new FsGroupPermissions(OptionalLong.of(2000));
        List<String> early = new ArrayList<>();
        SystemCalls watched = FaultySystemCalls.disturbedBy(() -> {
            try {
                if (Files.exists(volume.resolve("..data"))) {
                    early.add(VolumeContents.access(
                            volume.resolve("..data/sub/foo").toRealPath()));
                }
            } catch (IOException e) {
                early.add(e.toString());
            }
        });

        write(watched, group, "sub/foo:400=1", "bar:644=2");

        Path data = volume.resolve(VolumeContents.version(volume));
        assertThat(early).isNotEmpty().containsOnly("440:2000");
        assertThat(VolumeContents.access(data)).isEqualTo("2755:2000");
        assertThat(VolumeContents.access(data.resolve("sub"))).isEqualTo("2755:2000");
        assertThat(VolumeContents.access(data.resolve("bar"))).isEqualTo("644:2000");
        assertThat(write(SystemCalls.real(), group, "sub/foo:400=1", "bar:644=2"))
                .isEqualTo(WriteResult.UNCHANGED);
        assertThat(write(SystemCalls.real(), FsGroupPermissions.UNCHANGED, "sub/foo:400=1", "bar:644=2"))
                .isEqualTo(WriteResult.WRITTEN);
    }

    @Test
    void write_noSpace_keepsOldVersionOnly() throws Exception {
        write("foo=1", "bar=2");
        String version = VolumeContents.version(volume);

        assertThatThrownBy(() -> write(failing("write"), FsGroupPermissions.UNCHANGED, "foo=3", "new=4"))
                .isInstanceOf(PathException.class)
                .hasMessageContaining("ENOSPC");
        assertThatThrownBy(() -> write(failing("renameat2"), FsGroupPermissions.UNCHANGED, "foo=3", "new=4"))
                .isInstanceOf(PathException.class);

        assertThat(VolumeContents.version(volume)).isEqualTo(version);
        assertThat(VolumeContents.files(volume)).containsExactly("bar=2", "foo=1");
        assertThat(VolumeContents.raw(volume)).containsExactly("..data", "..version", "bar", "foo");
    }

    @Test
    void write_deepPath_succeeds() throws Exception {
        String deep = "d/".repeat(400) + "f";
        write(deep + "=1");
        assertThat(write(deep + "=1")).isEqualTo(WriteResult.UNCHANGED);
        assertThat(Files.readString(volume.resolve(deep))).isEqualTo("1");
    }

    private static SystemCalls failing(String call) {
        return (SystemCalls) Proxy.newProxyInstance(
                SystemCalls.class.getClassLoader(), new Class<?>[] {SystemCalls.class}, (self, method, arguments) -> {
                    if (method.getName().equals(call)) {
                        Native.setLastError(ENOSPC);
                        Integer failed = -1;
                        return method.getReturnType() == int.class ? failed : new NativeLong(failed);
                    }
                    try {
                        return method.invoke(SystemCalls.real(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
