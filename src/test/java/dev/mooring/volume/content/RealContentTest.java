package dev.mooring.volume.content;

import static dev.mooring.volume.content.FakeObjectLookup.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.CommandRunner;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of content plugins with real mounts. */
class RealContentTest {
    @TempDir
    Path temp;

    private final FakeObjectLookup objects = new FakeObjectLookup()
            .put("configmaps", "conf", "{'data': {'a': '1'}}")
            .put("secrets", "sec", "{'data': {'user': 'bWU='}}");
    private Path root;
    private NodeLayout layout;
    private PluginContext context;

    @BeforeEach
    void makeContext() throws Exception {
        HostMachine.assumeRoot();
        root = temp.toRealPath().resolve("root");
        layout = new NodeLayout(root);
        CommandRunner none = command -> {
            throw new AssertionError("Unexpected command: " + command);
        };
        LinuxMounter mounter = new LinuxMounter(layout, SystemCalls.real(), none);
        context = new PluginContext(
                layout, mounter, none, SystemCalls.real(), objects, Clock.systemUTC(), Duration.ofSeconds(1));
    }

    @AfterEach
    void unmountEverything() throws Exception {
        for (MountTable.Mount each : mounts()) {
            HostMachine.run("umount", "-l", each.point());
        }
    }

    private List<MountTable.Mount> mounts() throws Exception {
        return root == null ? List.of() : MountTable.read().below(root);
    }

    private Path setUp(VolumePlugin plugin, String source) throws Exception {
        Path target = layout.volume("u-1", plugin.name(), "v");
        VolumeSpec spec =
                new VolumeSpec(plugin.name() + "/u-1-v", "v", json(source), VolumeMode.FILESYSTEM, List.of(), 0);
        return plugin.setUp(
                        new SetUpRequest(
                                spec,
                                new PodIdentity("default", "p", "u-1"),
                                target,
                                Access.READ_ONLY,
                                Optional.empty(),
                                Optional.empty(),
                                json("{'metadata': {'name': 'p', 'namespace': 'default', 'uid': 'u-1'}}")),
                        OperationProgress.NO_OP)
                .path();
    }

    private void tearDown(VolumePlugin plugin) throws Exception {
        Path target = layout.volume("u-1", plugin.name(), "v");
        plugin.tearDown(
                new TearDownRequest(plugin.name() + "/u-1-v", "v", "u-1", target, VolumeMode.FILESYSTEM, ""),
                OperationProgress.NO_OP);
    }

    @Test
    void secret_setUpAndTearDown_usesTmpfsAndLeavesNothing() throws Exception {
        SecretPlugin plugin = new SecretPlugin(context);
        Path target = setUp(plugin, "{'secret': {'secretName': 'sec'}}");

        assertThat(mounts()).singleElement().satisfies(mount -> {
            assertThat(mount.type()).isEqualTo("tmpfs");
            assertThat(mount.point()).isEqualTo(target.toString());
        });
        assertThat(HostMachine.permissions(target)).isEqualTo("1777");
        assertThat(VolumeContents.files(target)).containsExactly("user=me");

        objects.put("secrets", "sec", "{'data': {'user': 'eW91'}}");
        setUp(plugin, "{'secret': {'secretName': 'sec'}}");
        assertThat(VolumeContents.files(target)).containsExactly("user=you");
        assertThat(mounts()).hasSize(1);

        tearDown(plugin);
        tearDown(plugin);
        assertThat(mounts()).isEmpty();
        assertThat(HostMachine.below(root)).containsExactly("pods", "pods/u-1");
    }

    @Test
    void secret_missing_leavesNoMount() throws Exception {
        assertThatThrownBy(() -> setUp(new SecretPlugin(context), "{'secret': {'secretName': 'no'}}"))
                .hasMessage("secret \"no\" not found");
        assertThat(mounts()).isEmpty();
    }

    @Test
    void tearDown_mountInsideVolume_deletesNothing() throws Exception {
        Path precious = Files.createDirectory(temp.resolve("precious"));
        Files.writeString(precious.resolve("data"), "1");
        ConfigMapPlugin plugin = new ConfigMapPlugin(context);
        Path target = setUp(plugin, "{'configMap': {'name': 'conf'}}");
        Path inside = Files.createDirectories(target.resolve("inside/deep"));
        HostMachine.run("mount", "--bind", precious.toString(), inside.toString());

        assertThatThrownBy(() -> tearDown(plugin)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.reason()).isEqualTo("MountedBelow");
            assertThat(e).hasMessageContaining(inside.toString());
        });
        assertThat(VolumeContents.files(target)).contains("a=1");
        assertThat(precious.resolve("data")).hasContent("1");

        HostMachine.run("umount", inside.toString());
        tearDown(plugin);
        assertThat(target).doesNotExist();
        assertThat(precious.resolve("data")).hasContent("1");
    }
}
