package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.FaultySystemCalls.Crash;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the kubelet's scenarios of directories of orphaned Pods, and others, on a real disk with real mounts. */
final class PodDirectoryTest extends PodDirectoryFixture {
    /** Reported paths are relative to the Pod's directory. Everything that is not reported must be removed. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
        # scenario                  | entries                                      | reported leftovers
        O1 nothing at all           | -                                            | -
        O2 no volumes               | d:.                                          | -
        O2 empty volumes directory  | d:volumes d:volumeDevices d:plugins          | -
        O4 empty volume             | d:volumes/kubernetes.io~nfs/v                | -
        O4 empty volumes            | d:volumes/p/v d:volumes/p/w d:volumes/q/v    | -
        O4 empty device             | d:volumeDevices/p/v                          | -
        O5 directory in a volume    | d:volumes/p/v/sub                            | volume volumes/p/v: directory not empty
        O5 beside an empty one      | d:volumes/p/v/sub d:volumes/p/w              | volume volumes/p/v: directory not empty
        O6 empty subpath            | d:volume-subpaths/v/c/0                      | -
        O6 no subpath               | d:volume-subpaths                            | -
        O6 no subpath of a volume   | d:volume-subpaths/v                          | -
        O6 none for a container     | d:volume-subpaths/v/c                        | -
        O7 subpath is a file        | e:volume-subpaths/v/c/0 d:volume-subpaths/v/c/1 | -
        O8 file in a volume         | f:volumes/p/v/file                           | volume volumes/p/v: directory not empty
        O8 empty file in a volume   | e:volumes/p/v/file                           | volume volumes/p/v: directory not empty
        O8 volume is a file         | f:volumes/p/v                                | volume volumes/p/v: not a directory
        O8 volume is an empty file  | e:volumes/p/v                                | volume volumes/p/v: not a directory
        O8 plugin is a file         | e:volumes/p                                  | volume volumes/p: not a directory
        O8 volumes is a file        | e:volumes                                    | volume volumes: not a directory
        O8 file beside a volume     | f:volumes/p/v/file d:volumes/p/w             | volume volumes/p/v: directory not empty
        O9 subpath with content     | f:volume-subpaths/v/c/0/file                 | subpath volume-subpaths/v/c/0: directory not empty
        O9 subpath is a full file   | f:volume-subpaths/v/c/0                      | subpath volume-subpaths/v/c/0: not a directory
        O9 file as container        | e:volume-subpaths/v/c                        | subpath volume-subpaths/v/c: not a directory
        link as a volume            | l:volumes/p/v                                | volume volumes/p/v: not a directory
        link as a plugin            | l:volumes/p                                  | volume volumes/p: not a directory
        link as volumes             | l:volumes                                    | volume volumes: not a directory
        link as a subpath           | l:volume-subpaths/v/c/0                      | subpath volume-subpaths/v/c/0: not a directory
        link as a container         | l:volume-subpaths/v/c                        | subpath volume-subpaths/v/c: not a directory
        link as the Pod             | l:.                                          | other .: not a directory
        file as the Pod             | f:.                                          | other .: not a directory
        marker of a plugin          | e:plugins/kubernetes.io~empty-dir/v/ready    | -
        link as a marker            | l:plugins/p/v                                | -
        marker of a leftover volume | f:volumes/p/v/file e:plugins/p/v/ready       | volume volumes/p/v: directory not empty
        termination logs            | f:containers/c/0 e:containers/c/1 e:containers/d/0 d:volumes/p/v | -
        link as a termination log   | l:containers/c/0                             | -
        link as containers          | l:containers                                 | -
        log and leftover volume     | f:volumes/p/v/file f:containers/c/0          | volume volumes/p/v: directory not empty
        unknown file                | f:notes.txt d:volumes/p/v                    | other notes.txt: its origin is unknown
        several                     | f:volumes/p/v/file f:volumes/p/w/file        | volume volumes/p/v: directory not empty, volume volumes/p/w: directory not empty
        """)
    void remove_entries_removesEmptyOnesAndReportsOthers(String scenario, String created, String left)
            throws IOException, InterruptedException {
        for (String each : created == null ? new String[0] : created.split(" +", -1)) {
            make(each);
        }
        List<String> dataBefore = HostMachine.below(data);

        PodDirectoryRemoval removal = directory.remove("u");

        assertThat(describe(removal)).as(scenario).isEqualTo(left == null ? "removed" : left);
        assertThat(Files.exists(pod, LinkOption.NOFOLLOW_LINKS)).isEqualTo(left != null);
        assertThat(filesBelow(pod)).isEqualTo(filesIn(left == null ? "" : created));
        assertThat(HostMachine.below(data)).isEqualTo(dataBefore);
        assertThat(describe(directory.remove("u"))).as("second removal").isEqualTo(describe(removal));
    }

    /** Returns the result with paths relative to the Pod's directory, sorted. */
    private String describe(PodDirectoryRemoval removal) {
        if (removal instanceof PodDirectoryRemoval.HasLeftovers left) {
            return left.leftovers().stream()
                    .map(each -> each.kind().toString().toLowerCase(Locale.ROOT) + ' '
                            + pod.relativize(Path.of(each.path())).toString().replaceFirst("^$", ".") + ": "
                            + each.reason())
                    .sorted()
                    .collect(Collectors.joining(", "));
        }
        return removal instanceof PodDirectoryRemoval.Kept kept ? "kept: " + kept.reason() : "removed";
    }

    private Set<String> filesBelow(Path directory) throws IOException {
        Set<String> found = new TreeSet<>();
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            for (String each : HostMachine.below(directory)) {
                if (!Files.isDirectory(directory.resolve(each), LinkOption.NOFOLLOW_LINKS)) {
                    found.add(each);
                }
            }
        }
        return found;
    }

    private static Set<String> filesIn(String created) {
        Set<String> files = new TreeSet<>();
        for (String each : created.split(" +", -1)) {
            if (!each.isEmpty() && !each.startsWith("d:") && !each.endsWith(":.")) {
                files.add(each.substring(2));
            }
        }
        return files;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "volumes/kubernetes.io~nfs/v",
                "volumes/kubernetes.io~csi/v/mount",
                "volumeDevices/kubernetes.io~csi/v",
                "volume-subpaths/v/c/0",
                "volumes/kubernetes.io~empty-dir/v/deep/below",
                "plugins/kubernetes.io~empty-dir/v",
                "containers/c/0",
                "elsewhere"
            })
    void remove_mountBelow_keepsEverything(String target) throws IOException, InterruptedException, VolumeException {
        HostMachine.assumeRoot();
        make("d:volumes/p/empty");
        make("e:plugins/p/v/ready");
        bind(data, target);
        List<String> before = HostMachine.below(dir);

        PodDirectoryRemoval removal = directory.remove("u");

        assertThat(describe(removal)).startsWith("kept: ").endsWith("is still mounted at " + pod.resolve(target));
        assertThat(HostMachine.below(dir)).isEqualTo(before);
    }

    @Test
    void remove_mountAtPodDirectory_keepsIt() throws Exception {
        HostMachine.assumeRoot();
        mounter.makeDirectory(pod);
        mounter.mountTmpfs(pod, new TmpfsOptions(0, 0755));

        assertThat(describe(directory.remove("u"))).isEqualTo("kept: tmpfs (tmpfs) is still mounted at " + pod);
        assertThat(pod).exists();
    }

    @Test
    void remove_fileMountedAtSubPath_keepsIt() throws Exception {
        HostMachine.assumeRoot();
        bind(data.resolve("0"), "volume-subpaths/v/c/0");

        assertThat(describe(directory.remove("u"))).startsWith("kept: ");
        assertThat(pod.resolve("volume-subpaths/v/c/0")).exists();
    }

    /** The mount appears after the table was read. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "volumes",
                "volumes/p",
                "volumes/p/v",
                "volumes/p/v/mount",
                "volumeDevices/p/v",
                "volume-subpaths",
                "volume-subpaths/v",
                "volume-subpaths/v/c",
                "volume-subpaths/v/c/0",
                "plugins",
                "plugins/p/v",
                "containers",
                "containers/c/0"
            })
    void remove_mountMissingInTable_keepsItsContent(String target) throws Exception {
        HostMachine.assumeRoot();
        bind(data, target);
        List<String> before = HostMachine.below(data);

        PodDirectoryRemoval removal =
                new PodDirectory(layout, FakeMounter.inMemory(layout), SystemCalls.real()).remove("u");

        assertThat(removal).isInstanceOf(PodDirectoryRemoval.HasLeftovers.class);
        assertThat(describe(removal)).contains(target.replace("/mount", ""));
        assertThat(HostMachine.below(data)).isEqualTo(before);
        assertThat(mounter.table().isMountPoint(pod.resolve(target))).isTrue();
    }

    @Test
    void remove_emptyFileMountedButMissingInTable_keepsIt() throws Exception {
        HostMachine.assumeRoot();
        bind(data.resolve("0"), "volume-subpaths/v/c/0");

        PodDirectoryRemoval removal =
                new PodDirectory(layout, FakeMounter.inMemory(layout), SystemCalls.real()).remove("u");

        assertThat(describe(removal)).startsWith("subpath volume-subpaths/v/c/0: ");
        assertThat(data.resolve("0")).exists();
    }

    @ParameterizedTest
    @ValueSource(ints = {38, 1})
    void remove_kernelWithoutOpenat2_keepsContentOfMounts(int errno) throws Exception {
        HostMachine.assumeRoot();
        bind(data, "volumes/p/v");
        make("d:volumes/p/w");
        List<String> before = HostMachine.below(data);
        SystemCalls older = FaultySystemCalls.openat2(errno);

        PodDirectoryRemoval removal = new PodDirectory(layout, FakeMounter.inMemory(layout), older).remove("u");

        assertThat(removal).isInstanceOf(PodDirectoryRemoval.HasLeftovers.class);
        assertThat(HostMachine.below(data)).isEqualTo(before);
    }

    @Test
    void remove_crashAtAnySystemCall_continues() throws Exception {
        int n = 0;
        for (boolean done = false; !done; n++) {
            make("d:volumes/p/v");
            make("d:volumes/q/v");
            make("d:volume-subpaths/v/c/1");
            make("e:plugins/p/v/ready");
            make("f:containers/c/0");
            if (!Files.exists(pod.resolve("volume-subpaths/v/c/0"))) {
                make("e:volume-subpaths/v/c/0");
            }
            try {
                new PodDirectory(layout, mounter, FaultySystemCalls.after(n)).remove("u");
                done = true;
            } catch (Crash expected) {
                assertThat(describe(directory.remove("u")))
                        .as("after call %s", n)
                        .isEqualTo("removed");
            }
            assertThat(pod).doesNotExist();
        }
        assertThat(n).isGreaterThan(30);
    }

    @Test
    void remove_emptyDirectory_doesNotReadMountTable() throws Exception {
        make("d:.");
        FakeMounter unreadable = FakeMounter.inMemory(layout);
        unreadable.alreadyMounted(pod, "nfs4", "nas:/x");

        assertThat(describe(new PodDirectory(layout, unreadable, SystemCalls.real()).remove("u")))
                .isEqualTo("removed");
    }

    @Test
    void podUids_otherNames_areSkipped() throws IOException {
        assertThat(directory.podUids()).isEmpty();
        for (String each : List.of("0b6f3f0c-1f5e-4a6b-9f0a-2d3c4b5a6978", "lost+found", ".hidden", "my notes", "a")) {
            Files.createDirectories(layout.pods().resolve(each));
        }

        assertThat(directory.podUids()).containsExactlyInAnyOrder("0b6f3f0c-1f5e-4a6b-9f0a-2d3c4b5a6978", "a");
    }

    @Test
    void leftover_toString_hasWordingOfKubelet() {
        assertThat(new Leftover(Leftover.LeftoverKind.VOLUME, "/x/volumes/p/v", "directory not empty"))
                .hasToString("failed to rmdir() volume at path /x/volumes/p/v: directory not empty");
    }
}
