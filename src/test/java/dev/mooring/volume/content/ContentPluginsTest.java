package dev.mooring.volume.content;

import static dev.mooring.volume.content.FakeObjectLookup.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
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

    private final FakeObjectLookup objects = new FakeObjectLookup()
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

    /** Creates a mounter. Content of a fake mount is in the directory itself, so unmounting must remove it. */
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
            for (String each : HostMachine.below(directory).stream()
                    .sorted((a, b) -> b.compareTo(a))
                    .toList()) {
                Files.delete(directory.resolve(each));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private VolumePlugin plugin(ObjectNode source, SystemCalls calls) {
        PluginContext context = new PluginContext(
                layout,
                mounter,
                command -> {
                    throw new AssertionError("Unexpected command: " + command);
                },
                calls,
                objects,
                CLOCK,
                Duration.ofSeconds(1));
        return new VolumePlugins(List.of(
                        new ConfigMapPlugin.Provider().create(context),
                        new SecretPlugin.Provider().create(context),
                        new DownwardApiPlugin.Provider().create(context),
                        new ProjectedPlugin.Provider().create(context)))
                .forSource(source)
                .orElseThrow();
    }

    private Path target(String source) {
        return layout.volume("u-1", plugin(json(source), SystemCalls.real()).name(), "v");
    }

    private SetUpResult setUp(String source) throws Exception {
        return setUp(source, Optional.empty(), SystemCalls.real());
    }

    private SetUpResult setUp(String source, Optional<FsGroup> ownership, SystemCalls calls) throws Exception {
        VolumePlugin plugin = plugin(json(source), calls);
        VolumeSpec spec =
                new VolumeSpec(plugin.name() + "/u-1-v", "v", json(source), VolumeMode.FILESYSTEM, List.of(), 0);
        PodIdentity identity = new PodIdentity("default", "downward", "u-1");
        return plugin.setUp(
                new SetUpRequest(spec, identity, target(source), Access.READ_ONLY, Optional.empty(), ownership, pod),
                OperationProgress.NO_OP);
    }

    private void tearDown(String source) throws Exception {
        tearDown(source, SystemCalls.real());
    }

    private void tearDown(String source, SystemCalls calls) throws Exception {
        VolumePlugin plugin = plugin(json(source), calls);
        plugin.tearDown(
                new TearDownRequest(plugin.name() + "/u-1-v", "v", "u-1", target(source), VolumeMode.FILESYSTEM, ""),
                OperationProgress.NO_OP);
    }

    private static final String CONF = "{'configMap': {'name': 'conf', 'defaultMode': 420}}";
    private static final String SEC = "{'secret': {'secretName': 'sec'}}";

    /** Recorded from Kubernetes 1.35: Pods cm, cm-optional, cm-key-missing and downward. */
    @Test
    void setUp_recordedPods_showsSameFilesAsKubernetes() throws Exception {
        Path cm = setUp(CONF).path();
        assertThat(VolumeContents.raw(cm)).containsExactly("..data", "..version", "a.txt", "b.txt");
        assertThat(VolumeContents.files(cm)).containsExactly("a.txt=alpha\n", "b.txt=beta\n");
        assertThat(Files.readSymbolicLink(cm.resolve("a.txt")).toString()).isEqualTo("..data/a.txt");
        assertThat(HostMachine.permissions(cm.resolve("a.txt").toRealPath())).isEqualTo("644");
        tearDown(CONF);

        String optional = "{'configMap': {'name': 'absent', 'optional': true}}";
        assertThat(VolumeContents.files(setUp(optional).path())).isEmpty();
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
        assertThat(VolumeContents.files(downward))
                .containsExactly(
                        "cpu=67108864",
                        "labels=app=\"downward\"",
                        "name=downward",
                        "note=note=\"hello\"",
                        "ns=default");
    }

    @Test
    void setUp_configMap_usesPlainDirectoryRemovedByTearDown() throws Exception {
        SetUpResult done = setUp(CONF);

        assertThat(done.path()).isEqualTo(layout.root().resolve(PODS + "kubernetes.io~configmap/v"));
        assertThat(done.source()).isEmpty();
        assertThat(HostMachine.permissions(done.path())).isEqualTo("777");
        tearDown(CONF);
        tearDown(CONF);
        assertThat(HostMachine.below(layout.root())).containsExactly("pods", "pods/u-1");
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
    void setUp_otherKinds_useTmpfsUnmountedByTearDown(String kind, String source) throws Exception {
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
        assertThat(HostMachine.below(layout.root())).containsExactly("pods", "pods/u-1");
    }

    @Test
    void setUp_configMapChanged_updatesFiles() throws Exception {
        Path volume = setUp(CONF).path();
        String version = VolumeContents.version(volume);
        setUp(CONF);
        assertThat(VolumeContents.version(volume)).isEqualTo(version);

        objects.put("configmaps", "conf", "{'data': {'a.txt': 'new', 'c': ''}}");
        setUp(CONF);

        assertThat(VolumeContents.files(volume)).containsExactly("a.txt=new", "c=");
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
    void setUp_firstAttemptFails_leavesNothing(String message, String source) throws Exception {
        // Leftovers of an earlier attempt that was killed are removed, too.
        mounter.makeDirectory(target(source));
        assertThatThrownBy(() -> setUp(source)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.getMessage()).isEqualTo(message);
            assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        });
        assertThat(mounter.mounted()).isEmpty();
        assertThat(HostMachine.below(layout.root())).containsExactly("pods", "pods/u-1");
    }

    @Test
    void setUp_updateFails_keepsOldFiles() throws Exception {
        Path volume = setUp(SEC).path();
        objects.remove("secrets", "sec");
        assertThatThrownBy(() -> setUp(SEC)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.getMessage()).isEqualTo("secret \"sec\" not found");
            assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        });
        assertThat(VolumeContents.files(volume)).containsExactly("pass=s3cret", "user=me");
        assertThat(mounter.mounted()).hasSize(1);
    }

    @Test
    void setUp_cleanUpFails_reportsUncertainState() throws Exception {
        Path target = target(SEC);
        mounter.halfSucceedNextMount(target, VolumeException.uncertain("TooSlow", "slow", "raw"));
        mounter.failNextUnmount(target, VolumeException.uncertain("Busy", "busy", ""));
        assertThatThrownBy(() -> setUp(SEC)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.reason()).isEqualTo("TooSlow");
            assertThat(e.raw()).isEqualTo("raw");
            assertThat(e.failureState()).isEqualTo(FailureState.UNCERTAIN);
        });
        assertThat(target).exists();
        setUp(SEC);
        assertThat(VolumeContents.files(target)).containsExactly("pass=s3cret", "user=me");
        assertThat(mounter.mounted()).hasSize(1);
    }

    @Test
    void tearDown_unmountFails_deletesNothing() throws Exception {
        Path target = setUp(SEC).path();
        mounter.beforeEach(line -> {});
        mounter.failNextUnmount(target, VolumeException.uncertain("Busy", "busy", ""));
        mounter.forgetCalls();
        assertThatThrownBy(() -> tearDown(SEC)).hasMessage("busy");
        assertThat(mounter.calls()).containsExactly("unmount " + PODS + "kubernetes.io~secret/v");
        assertThat(VolumeContents.files(target)).containsExactly("pass=s3cret", "user=me");
    }

    @Test
    void setUp_foreignMountAtTarget_replacesIt() throws Exception {
        Path target = target(CONF);
        mounter.makeDirectory(target);
        mounter.alreadyMounted(target, "ext4", "/dev/sdx");
        assertThat(VolumeContents.files(setUp(CONF).path())).hasSize(2);
        assertThat(mounter.mounted()).isEmpty();
    }

    @Test
    void setUp_fsGroup_setsGroupOfFiles() throws Exception {
        HostMachine.assumeRoot();
        String source = "{'configMap': {'name': 'conf', 'defaultMode': 256}}";
        Optional<FsGroup> group = Optional.of(new FsGroup(2000, FsGroup.FsGroupChangePolicy.ALWAYS));
        Path volume = setUp(source, group, SystemCalls.real()).path();
        assertThat(VolumeContents.access(volume)).isEqualTo("2777:2000");
        assertThat(VolumeContents.access(volume.resolve("a.txt").toRealPath())).isEqualTo("440:2000");
        assertThat(Files.getAttribute(volume.resolve("a.txt"), "unix:gid", LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(2000);
        String version = VolumeContents.version(volume);
        setUp(source, group, SystemCalls.real());
        assertThat(VolumeContents.version(volume)).isEqualTo(version);
    }

    @Test
    void setUp_nestedVolumeMounts_createsMountPoints() throws Exception {
        ((ObjectNode) pod.at("/spec/containers/0"))
                .putArray("volumeMounts")
                .add(json("{'name': 'v', 'mountPath': '/etc/app'}"))
                .add(json("{'name': 'other', 'mountPath': '/etc/app/certs/tls'}"))
                .add(json("{'name': 'third', 'mountPath': '/etc/app/a.txt'}"));
        Path volume = setUp(CONF).path();
        assertThat(HostMachine.permissions(volume.resolve("certs/tls"))).isEqualTo("755");
        assertThat(volume.resolve("a.txt")).isDirectory();
        objects.put("configmaps", "conf", "{'data': {'b.txt': '1', 'certs': '2'}}");
        setUp(CONF);
        assertThat(volume.resolve("certs/tls")).isDirectory();
        tearDown(CONF);
        assertThat(volume).doesNotExist();
    }

    @Test
    void plugin_crashAtAnySystemCall_setUpAndTearDownRecover() throws Exception {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            mounter(temp.toRealPath().resolve("crash-" + at));
            crashed = false;
            try {
                setUp(CONF, Optional.empty(), FaultySystemCalls.after(at));
            } catch (FaultySystemCalls.Crash expected) {
                crashed = true;
            }
            assertThat(VolumeContents.files(setUp(CONF).path()))
                    .as("crash at %s", at)
                    .hasSize(2);
            try {
                tearDown(CONF, FaultySystemCalls.after(at));
            } catch (FaultySystemCalls.Crash expected) {
                crashed = true;
            }
            tearDown(CONF);
            assertThat(HostMachine.below(layout.root())).as("crash at %s", at).containsExactly("pods", "pods/u-1");
        }
    }
}
