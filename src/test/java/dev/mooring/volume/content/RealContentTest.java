package dev.mooring.volume.content;

import static dev.mooring.volume.content.Objects.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.CommandRunner;
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

/** With mounts of this machine. */
class RealContentTest {
    @TempDir
    Path temp;

    private final Objects objects = new Objects()
            .put("configmaps", "conf", "{'data': {'a': '1'}}")
            .put("secrets", "sec", "{'data': {'user': 'bWU='}}");
    private Path root;
    private NodeLayout layout;
    private PluginParts parts;

    @BeforeEach
    void makeParts() throws Exception {
        Machine.assumeRoot();
        root = temp.toRealPath().resolve("root");
        layout = new NodeLayout(root);
        CommandRunner none = command -> {
            throw new AssertionError("Expected no program to be run, but found " + command);
        };
        LinuxMounter mounter = new LinuxMounter(layout, SystemCalls.real(), none);
        parts = new PluginParts(
                layout, mounter, none, SystemCalls.real(), objects, Clock.systemUTC(), Duration.ofSeconds(1));
    }

    @AfterEach
    void unmountEverything() throws Exception {
        for (MountTable.Mount each : mounts()) {
            Machine.run("umount", "-l", each.point());
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
                        new SetUp(
                                spec,
                                new PodIdentity("default", "p", "u-1"),
                                target,
                                Access.READ_ONLY,
                                Optional.empty(),
                                Optional.empty(),
                                json("{'metadata': {'name': 'p', 'namespace': 'default', 'uid': 'u-1'}}")),
                        Progress.IGNORED)
                .path();
    }

    private void tearDown(VolumePlugin plugin) throws Exception {
        Path target = layout.volume("u-1", plugin.name(), "v");
        plugin.tearDown(
                new TearDown(plugin.name() + "/u-1-v", "v", "u-1", target, VolumeMode.FILESYSTEM, ""),
                Progress.IGNORED);
    }

    @Test
    void aSecretIsInMemoryOnlyAndGoesWithItsMount() throws Exception {
        SecretPlugin plugin = new SecretPlugin(parts);
        Path target = setUp(plugin, "{'secret': {'secretName': 'sec'}}");

        assertThat(mounts()).singleElement().satisfies(mount -> {
            assertThat(mount.type()).isEqualTo("tmpfs");
            assertThat(mount.point()).isEqualTo(target.toString());
        });
        assertThat(Machine.permissions(target)).isEqualTo("1777");
        assertThat(Seen.files(target)).containsExactly("user=me");

        objects.put("secrets", "sec", "{'data': {'user': 'eW91'}}");
        setUp(plugin, "{'secret': {'secretName': 'sec'}}");
        assertThat(Seen.files(target)).containsExactly("user=you");
        assertThat(mounts()).hasSize(1);

        tearDown(plugin);
        tearDown(plugin);
        assertThat(mounts()).isEmpty();
        assertThat(Machine.below(root)).containsExactly("pods", "pods/u-1");
    }

    @Test
    void aSecretThatDoesNotExistLeavesNoMount() throws Exception {
        assertThatThrownBy(() -> setUp(new SecretPlugin(parts), "{'secret': {'secretName': 'no'}}"))
                .hasMessage("secret \"no\" not found");
        assertThat(mounts()).isEmpty();
    }

    @Test
    void nothingIsDeletedWhileSomethingIsMountedInTheVolume() throws Exception {
        Path precious = Files.createDirectory(temp.resolve("precious"));
        Files.writeString(precious.resolve("data"), "1");
        ConfigMapPlugin plugin = new ConfigMapPlugin(parts);
        Path target = setUp(plugin, "{'configMap': {'name': 'conf'}}");
        Path inside = Files.createDirectories(target.resolve("inside/deep"));
        Machine.run("mount", "--bind", precious.toString(), inside.toString());

        assertThatThrownBy(() -> tearDown(plugin)).isInstanceOfSatisfying(VolumeException.class, e -> {
            assertThat(e.reason()).isEqualTo("MountedBelow");
            assertThat(e).hasMessageContaining(inside.toString());
        });
        assertThat(Seen.files(target)).contains("a=1");
        assertThat(precious.resolve("data")).hasContent("1");

        Machine.run("umount", inside.toString());
        tearDown(plugin);
        assertThat(target).doesNotExist();
        assertThat(precious.resolve("data")).hasContent("1");
    }
}
