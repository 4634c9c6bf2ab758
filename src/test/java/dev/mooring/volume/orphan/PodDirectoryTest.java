package dev.mooring.volume.orphan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.FakeMounter;
import dev.mooring.volume.mount.MemorySize;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.CallsWithout.Crash;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
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

/** The kubelet's scenarios of orphaned Pods' directories, and more, on a real disk with real mounts. */
final class PodDirectoryTest extends PodBench {
    /** What is left is named without the Pod's directory. What is not left at the end must be gone. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
        # scenario                  | there is                                     | told to be left
        O1 nothing at all           | -                                            | -
        O2 no volumes               | d:.                                          | -
        O2 no volumes in volumes    | d:volumes d:volumeDevices d:plugins          | -
        O4 empty volume             | d:volumes/kubernetes.io~nfs/v                | -
        O4 empty volumes            | d:volumes/p/v d:volumes/p/w d:volumes/q/v    | -
        O4 empty device             | d:volumeDevices/p/v                          | -
        O5 directory in a volume    | d:volumes/p/v/sub                            | volume volumes/p/v: directory not empty
        O5 beside an empty one      | d:volumes/p/v/sub d:volumes/p/w              | volume volumes/p/v: directory not empty
        O6 empty part               | d:volume-subpaths/v/c/0                      | -
        O6 no part                  | d:volume-subpaths                            | -
        O6 no part of a volume      | d:volume-subpaths/v                          | -
        O6 no part for a container  | d:volume-subpaths/v/c                        | -
        O7 part is a file           | e:volume-subpaths/v/c/0 d:volume-subpaths/v/c/1 | -
        O8 file in a volume         | f:volumes/p/v/file                           | volume volumes/p/v: directory not empty
        O8 empty file in a volume   | e:volumes/p/v/file                           | volume volumes/p/v: directory not empty
        O8 volume is a file         | f:volumes/p/v                                | volume volumes/p/v: not a directory
        O8 volume is an empty file  | e:volumes/p/v                                | volume volumes/p/v: not a directory
        O8 plugin is a file         | e:volumes/p                                  | volume volumes/p: not a directory
        O8 volumes is a file        | e:volumes                                    | volume volumes: not a directory
        O8 file beside a volume     | f:volumes/p/v/file d:volumes/p/w             | volume volumes/p/v: directory not empty
        O9 part with content        | f:volume-subpaths/v/c/0/file                 | subpath volume-subpaths/v/c/0: directory not empty
        O9 part is a full file      | f:volume-subpaths/v/c/0                      | subpath volume-subpaths/v/c/0: not a directory
        O9 files where none belong  | e:volume-subpaths/v/c                        | subpath volume-subpaths/v/c: not a directory
        link as a volume            | l:volumes/p/v                                | volume volumes/p/v: not a directory
        link as a plugin            | l:volumes/p                                  | volume volumes/p: not a directory
        link as volumes             | l:volumes                                    | volume volumes: not a directory
        link as a part              | l:volume-subpaths/v/c/0                      | subpath volume-subpaths/v/c/0: not a directory
        link as a container         | l:volume-subpaths/v/c                        | subpath volume-subpaths/v/c: not a directory
        link as the Pod             | l:.                                          | other .: not a directory
        file as the Pod             | f:.                                          | other .: not a directory
        what plugins remember       | e:plugins/kubernetes.io~empty-dir/v/ready    | -
        link in what they remember  | l:plugins/p/v                                | -
        remembered of one left      | f:volumes/p/v/file e:plugins/p/v/ready       | volume volumes/p/v: directory not empty
        containers' last words      | f:containers/c/0 e:containers/c/1 e:containers/d/0 d:volumes/p/v | -
        link among last words       | l:containers/c/0                             | -
        link as containers          | l:containers                                 | -
        last words, one left        | f:volumes/p/v/file f:containers/c/0          | volume volumes/p/v: directory not empty
        somebody else's             | f:notes.txt d:volumes/p/v                    | other notes.txt: it is not known who made it
        several                     | f:volumes/p/v/file f:volumes/p/w/file        | volume volumes/p/v: directory not empty, volume volumes/p/w: directory not empty
        """)
    void removesWhatIsEmptyAndTellsWhatIsNot(String scenario, String made, String left)
            throws IOException, InterruptedException {
        for (String each : made == null ? new String[0] : made.split(" +", -1)) {
            make(each);
        }
        List<String> dataBefore = Machine.below(data);

        Removal removal = directory.remove("u");

        assertThat(words(removal)).as(scenario).isEqualTo(left == null ? "removed" : left);
        assertThat(Files.exists(pod, LinkOption.NOFOLLOW_LINKS)).isEqualTo(left != null);
        assertThat(filesBelow(pod)).isEqualTo(filesIn(left == null ? "" : made));
        assertThat(Machine.below(data)).isEqualTo(dataBefore);
        assertThat(words(directory.remove("u"))).as("once more").isEqualTo(words(removal));
    }

    /** Without the Pod's directory, in the order of names. */
    private String words(Removal removal) {
        if (removal instanceof Removal.Leftovers left) {
            return left.all().stream()
                    .map(each -> each.what().toString().toLowerCase(Locale.ROOT) + ' '
                            + pod.relativize(Path.of(each.path())).toString().replaceFirst("^$", ".") + ": "
                            + each.reason())
                    .sorted()
                    .collect(Collectors.joining(", "));
        }
        return removal instanceof Removal.Kept kept ? "kept: " + kept.reason() : "removed";
    }

    private Set<String> filesBelow(Path directory) throws IOException {
        Set<String> found = new TreeSet<>();
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            for (String each : Machine.below(directory)) {
                if (!Files.isDirectory(directory.resolve(each), LinkOption.NOFOLLOW_LINKS)) {
                    found.add(each);
                }
            }
        }
        return found;
    }

    private static Set<String> filesIn(String made) {
        Set<String> files = new TreeSet<>();
        for (String each : made.split(" +", -1)) {
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
    void keepsEverythingAsLongAsSomethingIsMountedBelow(String where)
            throws IOException, InterruptedException, VolumeException {
        Machine.assumeRoot();
        make("d:volumes/p/empty");
        make("e:plugins/p/v/ready");
        bind(data, where);
        List<String> before = Machine.below(dir);

        Removal removal = directory.remove("u");

        assertThat(words(removal)).startsWith("kept: ").endsWith("is still mounted at " + pod.resolve(where));
        assertThat(Machine.below(dir)).isEqualTo(before);
    }

    @Test
    void keepsAPodsDirectoryOnWhichSomethingIsMounted() throws Exception {
        Machine.assumeRoot();
        mounter.makeDirectory(pod);
        mounter.memory(pod, new MemorySize(0, 0755));

        assertThat(words(directory.remove("u"))).isEqualTo("kept: tmpfs (tmpfs) is still mounted at " + pod);
        assertThat(pod).exists();
    }

    @Test
    void keepsAPartOnWhichAFileIsMounted() throws Exception {
        Machine.assumeRoot();
        bind(data.resolve("0"), "volume-subpaths/v/c/0");

        assertThat(words(directory.remove("u"))).startsWith("kept: ");
        assertThat(pod.resolve("volume-subpaths/v/c/0")).exists();
    }

    /** What is mounted after the table was read. */
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
    void touchesNothingThatIsMountedAlthoughTheTableDoesNotShowIt(String where) throws Exception {
        Machine.assumeRoot();
        bind(data, where);
        List<String> before = Machine.below(data);

        Removal removal = new PodDirectory(layout, FakeMounter.inMemory(layout), SystemCalls.real()).remove("u");

        assertThat(removal).isInstanceOf(Removal.Leftovers.class);
        assertThat(words(removal)).contains(where.replace("/mount", ""));
        assertThat(Machine.below(data)).isEqualTo(before);
        assertThat(mounter.table().isMountPoint(pod.resolve(where))).isTrue();
    }

    @Test
    void doesNotUnlinkAnEmptyFileThatIsMounted() throws Exception {
        Machine.assumeRoot();
        bind(data.resolve("0"), "volume-subpaths/v/c/0");

        Removal removal = new PodDirectory(layout, FakeMounter.inMemory(layout), SystemCalls.real()).remove("u");

        assertThat(words(removal)).startsWith("subpath volume-subpaths/v/c/0: ");
        assertThat(data.resolve("0")).exists();
    }

    @ParameterizedTest
    @ValueSource(ints = {38, 1})
    void worksWhereTheKernelDoesNotKnowTheNewerCalls(int errno) throws Exception {
        Machine.assumeRoot();
        bind(data, "volumes/p/v");
        make("d:volumes/p/w");
        List<String> before = Machine.below(data);
        SystemCalls older = CallsWithout.openat2(errno);

        Removal removal = new PodDirectory(layout, FakeMounter.inMemory(layout), older).remove("u");

        assertThat(removal).isInstanceOf(Removal.Leftovers.class);
        assertThat(Machine.below(data)).isEqualTo(before);
    }

    @Test
    void canBeCutOffAnywhereAndGoesOn() throws Exception {
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
                new PodDirectory(layout, mounter, CallsWithout.after(n)).remove("u");
                done = true;
            } catch (Crash expected) {
                assertThat(words(directory.remove("u"))).as("after call %s", n).isEqualTo("removed");
            }
            assertThat(pod).doesNotExist();
        }
        assertThat(n).isGreaterThan(30);
    }

    @Test
    void doesNotReadTheMountTableForADirectoryThatIsEmpty() throws Exception {
        make("d:.");
        FakeMounter unreadable = FakeMounter.inMemory(layout);
        unreadable.alreadyMounted(pod, "nfs4", "nas:/x");

        assertThat(words(new PodDirectory(layout, unreadable, SystemCalls.real()).remove("u")))
                .isEqualTo("removed");
    }

    @Test
    void listsWhatCanBeAPod() throws IOException {
        assertThat(directory.podUids()).isEmpty();
        for (String each : List.of("0b6f3f0c-1f5e-4a6b-9f0a-2d3c4b5a6978", "lost+found", ".hidden", "my notes", "a")) {
            Files.createDirectories(layout.pods().resolve(each));
        }

        assertThat(directory.podUids()).containsExactlyInAnyOrder("0b6f3f0c-1f5e-4a6b-9f0a-2d3c4b5a6978", "a");
    }

    @Test
    void speaksAsTheKubelet() {
        assertThat(new Leftover(Leftover.What.VOLUME, "/x/volumes/p/v", "directory not empty"))
                .hasToString("failed to rmdir() volume at path /x/volumes/p/v: directory not empty");
    }
}
