package dev.mooring.volume.content;

import static dev.mooring.volume.content.Objects.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Ownership;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.FakeMounter;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentPluginsTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);
    private static final String PODS = "pods/u-1/volumes/";

    @TempDir
    Path temp;

    private final Objects objects = new Objects()
            .put("configmaps", "conf", "{'data': {'a.txt': 'alpha\\n', 'b.txt': 'beta\\n'}}")
            .put("secrets", "sec", "{'data': {'user': 'bWU=', 'pass': 'czNjcmV0'}}");
    private final ObjectNode pod = json("""
        {'metadata': {'name': 'downward', 'namespace': 'default', 'uid': 'u-1', 'labels': {'app': 'downward'},
            'annotations': {'note': 'hello'}},
         'spec': {'containers': [{'name': 'c', 'resources': {'limits': {'memory': '64Mi'}}}]}}
        """);
    private NodeLayout layout;
    private FakeMounter mounter;

    @BeforeEach
    void makeMounter() throws IOException {
        mounter(temp.toRealPath().resolve("root"));
    }

    /** What is "mounted" lies in the directory itself, so unmounting must take it away. */
    private void mounter(Path root) {
        layout = new NodeLayout(root);
        mounter = FakeMounter.onDisk(layout);
        mounter.beforeEach(line -> {
            if (line.startsWith("unmount ")) {
                wipe(root.resolve(line.substring("unmount ".length())));
            }
        });
    }

    private static void wipe(Path directory) {
        try {
            for (String each : Machine.below(directory).stream()
                    .sorted((a, b) -> b.compareTo(a))
                    .toList()) {
                Files.delete(directory.resolve(each));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private VolumePlugin plugin(ObjectNode source, SystemCalls calls) {
        PluginParts parts = new PluginParts(
                layout,
                mounter,
                command -> {
                    throw new AssertionError("Expected no program to be run, but found " + command);
                },
                calls,
                objects,
                CLOCK,
                Duration.ofSeconds(1));
        return new VolumePlugins(List.of(
                        new ConfigMapPlugin.Provider().create(parts),
                        new SecretPlugin.Provider().create(parts),
                        new DownwardApiPlugin.Provider().create(parts),
                        new ProjectedPlugin.Provider().create(parts)))
                .forSource(source)
                .orElseThrow();
    }

    private Path target(String source) {
        return layout.volume("u-1", plugin(json(source), SystemCalls.real()).name(), "v");
    }

    private SetUpDone setUp(String source) throws Exception {
        return setUp(source, Optional.empty(), SystemCalls.real());
    }

    private SetUpDone setUp(String source, Optional<Ownership> ownership, SystemCalls calls) throws Exception {
        VolumePlugin plugin = plugin(json(source), calls);
        VolumeSpec spec =
                new VolumeSpec(plugin.name() + "/u-1-v", "v", json(source), VolumeMode.FILESYSTEM, List.of(), 0);
        PodIdentity identity = new PodIdentity("default", "downward", "u-1");
        return plugin.setUp(
                new SetUp(spec, identity, target(source), Access.READ_ONLY, Optional.empty(), ownership, pod),
                Progress.IGNORED);
    }

    private void tearDown(String source) throws Exception {
        tearDown(source, SystemCalls.real());
    }

    private void tearDown(String source, SystemCalls calls) throws Exception {
        VolumePlugin plugin = plugin(json(source), calls);
        plugin.tearDown(
                new TearDown(plugin.name() + "/u-1-v", "v", "u-1", target(source), VolumeMode.FILESYSTEM, ""),
                Progress.IGNORED);
    }

    private static final String CONF = "{'configMap': {'name': 'conf', 'defaultMode': 420}}";
    private static final String SEC = "{'secret': {'secretName': 'sec'}}";

    /** As recorded from Kubernetes 1.35: Pods cm, cm-optional, cm-key-missing and downward. */
    @Test
    void showsWhatKubernetesShows() throws Exception {
        Path cm = setUp(CONF).path();
        assertThat(Seen.raw(cm)).containsExactly("..data", "..version", "a.txt", "b.txt");
        assertThat(Seen.files(cm)).containsExactly("a.txt=alpha\n", "b.txt=beta\n");
        assertThat(Files.readSymbolicLink(cm.resolve("a.txt")).toString()).isEqualTo("..data/a.txt");
        assertThat(Machine.permissions(cm.resolve("a.txt").toRealPath())).isEqualTo("644");
        tearDown(CONF);

        String optional = "{'configMap': {'name': 'absent', 'optional': true}}";
        assertThat(Seen.files(setUp(optional).path())).isEmpty();
        tearDown(optional);

        assertThatThrownBy(() -> setUp("{'configMap': {'name': 'conf', 'items': [{'key': 'zzz', 'path': 'z'}]}}"))
                .hasMessage("configmap references non-existent config key: zzz");

        Path downward = setUp("""
            {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}},
             {"path": "ns", "fieldRef": {"fieldPath": "metadata.namespace"}},
             {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
             {"path": "note", "fieldRef": {"fieldPath": "metadata.annotations"}},
             {"path": "cpu", "resourceFieldRef": {"containerName": "c", "resource": "limits.memory"}}]}}
            """).path();
        assertThat(Seen.files(downward))
                .containsExactly(
                        "cpu=67108864",
                        "labels=app=\"downward\"",
                        "name=downward",
                        "note=note=\"hello\"",
                        "ns=default");
    }

    @Test
    void putsAConfigMapIntoAPlainDirectoryAndDeletesIt() throws Exception {
        SetUpDone done = setUp(CONF);

        assertThat(done.path()).isEqualTo(layout.root().resolve(PODS + "kubernetes.io~configmap/v"));
        assertThat(done.source()).isEmpty();
        assertThat(Machine.permissions(done.path())).isEqualTo("777");
        tearDown(CONF);
        tearDown(CONF);
        assertThat(Machine.below(layout.root())).containsExactly("pods", "pods/u-1");
        assertThat(mounter.calls())
                .containsExactly(
                        "makeDirectory " + PODS + "kubernetes.io~configmap/v",
                        "removeDirectory " + PODS + "kubernetes.io~configmap/v",
                        "removeDirectory " + PODS + "kubernetes.io~configmap/v");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secret | {'secret': {'secretName': 'sec'}}",
                "downward-api | {'downwardAPI': {'items': []}}",
                "projected | {'projected': {'sources': [{'secret': {'name': 'sec'}}]}}",
            })
    void keepsTheOthersInMemory(String kind, String source) throws Exception {
        String at = PODS + "kubernetes.io~" + kind + "/v";

        assertThat(setUp(source).source()).isEqualTo("tmpfs");
        setUp(source);
        tearDown(source);
        tearDown(source);

        assertThat(mounter.calls())
                .containsExactly(
                        "makeDirectory " + at,
                        "memory 0 1777 at " + at,
                        "unmount " + at,
                        "removeDirectory " + at,
                        "removeDirectory " + at);
        assertThat(Machine.below(layout.root())).containsExactly("pods", "pods/u-1");
    }

    @Test
    void bringsFilesUpToDate() throws Exception {
        Path volume = setUp(CONF).path();
        String version = Seen.version(volume);
        setUp(CONF);
        assertThat(Seen.version(volume)).isEqualTo(version);

        objects.put("configmaps", "conf", "{'data': {'a.txt': 'new', 'c': ''}}");
        setUp(CONF);

        assertThat(Seen.files(volume)).containsExactly("a.txt=new", "c=");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "configmap \"x\" not found | {'configMap': {'name': 'x'}}",
                "secret \"x\" not found | {'secret': {'secretName': 'x'}}",
                "invalid path: must not contain '..': a/../b"
                        + " | {'configMap': {'name': 'conf', 'items': [{'key': 'a.txt', 'path': 'a/../b'}]}}",
            })
    void leavesNothingWhenTheFirstSetUpFails(String words, String source) throws Exception {
        // What an earlier one that was killed has left goes, too.
        mounter.makeDirectory(target(source));
        assertThatThrownBy(() -> setUp(source)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.getMessage()).isEqualTo(words);
            assertThat(e.left()).isEqualTo(Left.NOTHING);
        });
        assertThat(mounter.mounted()).isEmpty();
        assertThat(Machine.below(layout.root())).containsExactly("pods", "pods/u-1");
    }

    @Test
    void keepsWhatItShowedWhenAnUpdateFails() throws Exception {
        Path volume = setUp(SEC).path();
        objects.remove("secrets", "sec");
        assertThatThrownBy(() -> setUp(SEC)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.getMessage()).isEqualTo("secret \"sec\" not found");
            assertThat(e.left()).isEqualTo(Left.NOTHING);
        });
        assertThat(Seen.files(volume)).containsExactly("pass=s3cret", "user=me");
        assertThat(mounter.mounted()).hasSize(1);
    }

    @Test
    void saysThatSomethingIsLeftIfItCannotCleanUp() throws Exception {
        Path target = target(SEC);
        mounter.halfSucceedNextMount(target, VolumeException.uncertain("TooSlow", "slow", "raw"));
        mounter.failNextUnmount(target, VolumeException.uncertain("Busy", "busy", ""));
        assertThatThrownBy(() -> setUp(SEC)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.reason()).isEqualTo("TooSlow");
            assertThat(e.raw()).isEqualTo("raw");
            assertThat(e.left()).isEqualTo(Left.PERHAPS_SOMETHING);
        });
        assertThat(target).exists();
        setUp(SEC);
        assertThat(Seen.files(target)).containsExactly("pass=s3cret", "user=me");
        assertThat(mounter.mounted()).hasSize(1);
    }

    @Test
    void deletesNothingAfterAFailedUnmount() throws Exception {
        Path target = setUp(SEC).path();
        mounter.beforeEach(line -> {});
        mounter.failNextUnmount(target, VolumeException.uncertain("Busy", "busy", ""));
        mounter.forgetCalls();
        assertThatThrownBy(() -> tearDown(SEC)).hasMessage("busy");
        assertThat(mounter.calls()).containsExactly("unmount " + PODS + "kubernetes.io~secret/v");
        assertThat(Seen.files(target)).containsExactly("pass=s3cret", "user=me");
    }

    @Test
    void replacesWhatIsMountedThereAndIsNotItsOwn() throws Exception {
        Path target = target(CONF);
        mounter.makeDirectory(target);
        mounter.alreadyMounted(target, "ext4", "/dev/sdx");
        assertThat(Seen.files(setUp(CONF).path())).hasSize(2);
        assertThat(mounter.mounted()).isEmpty();
    }

    @Test
    void givesFilesToTheGroup() throws Exception {
        Machine.assumeRoot();
        String source = "{'configMap': {'name': 'conf', 'defaultMode': 256}}";
        Optional<Ownership> group = Optional.of(new Ownership(2000, Ownership.When.ALWAYS));
        Path volume = setUp(source, group, SystemCalls.real()).path();
        assertThat(Seen.access(volume)).isEqualTo("2777:2000");
        assertThat(Seen.access(volume.resolve("a.txt").toRealPath())).isEqualTo("440:2000");
        assertThat(Files.getAttribute(volume.resolve("a.txt"), "unix:gid", LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(2000);
        String version = Seen.version(volume);
        setUp(source, group, SystemCalls.real());
        assertThat(Seen.version(volume)).isEqualTo(version);
    }

    @Test
    void makesDirectoriesForVolumesThatAreMountedInIt() throws Exception {
        ((ObjectNode) pod.at("/spec/containers/0"))
                .putArray("volumeMounts")
                .add(json("{'name': 'v', 'mountPath': '/etc/app'}"))
                .add(json("{'name': 'other', 'mountPath': '/etc/app/certs/tls'}"))
                .add(json("{'name': 'third', 'mountPath': '/etc/app/a.txt'}"));
        Path volume = setUp(CONF).path();
        assertThat(Machine.permissions(volume.resolve("certs/tls"))).isEqualTo("755");
        assertThat(volume.resolve("a.txt")).isDirectory();
        objects.put("configmaps", "conf", "{'data': {'b.txt': '1', 'certs': '2'}}");
        setUp(CONF);
        assertThat(volume.resolve("certs/tls")).isDirectory();
        tearDown(CONF);
        assertThat(volume).doesNotExist();
    }

    @Test
    void endsRightWhereverSettingUpOrTearingDownWasCutOff() throws Exception {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            mounter(temp.toRealPath().resolve("crash-" + at));
            crashed = false;
            try {
                setUp(CONF, Optional.empty(), CallsWithout.after(at));
            } catch (CallsWithout.Crash expected) {
                crashed = true;
            }
            assertThat(Seen.files(setUp(CONF).path())).as("crash at %s", at).hasSize(2);
            try {
                tearDown(CONF, CallsWithout.after(at));
            } catch (CallsWithout.Crash expected) {
                crashed = true;
            }
            tearDown(CONF);
            assertThat(Machine.below(layout.root())).as("crash at %s", at).containsExactly("pods", "pods/u-1");
        }
    }
}
