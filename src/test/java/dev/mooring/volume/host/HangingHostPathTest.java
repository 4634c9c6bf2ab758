package dev.mooring.volume.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.FakeMounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real mount of which the mount table says that it is a server's: this process must not go there. */
class HangingHostPathTest {
    @TempDir
    Path temp;

    private Path remote;
    private NodeLayout layout;
    private FakeMounter mounter;
    private final List<String> commands = new ArrayList<>();
    private CommandRunner runner = new ChildProcess();

    @BeforeEach
    void aServer() throws Exception {
        Machine.assumeRoot();
        Path base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        remote = Files.createDirectory(base.resolve("remote"));
        Machine.run("mount", "-t", "tmpfs", "tmpfs", remote.toString());
        mounter = FakeMounter.onDisk(layout);
        mounter.alreadyMounted(remote, "nfs4", "nas:/exports");
    }

    @AfterEach
    void unmount() throws Exception {
        if (remote != null) {
            Machine.run("umount", remote.toString());
        }
    }

    private CommandResult run(Command command) throws CommandException, InterruptedException {
        commands.add(command.program());
        return runner.run(command);
    }

    private SetUpDone setUp(Path path, String type) throws Exception {
        HostPathPlugin plugin = new HostPathPlugin(new PluginParts(
                layout,
                mounter,
                this::run,
                SystemCalls.real(),
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(7)));
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("hostPath").put("path", path.toString()).put("type", type);
        return plugin.setUp(
                new SetUp(
                        new VolumeSpec("v", "data", source, VolumeMode.FILESYSTEM, List.of(), 0),
                        new PodIdentity("team", "web", "uid-1"),
                        Path.of("/never/used"),
                        Access.READ_WRITE,
                        Optional.empty(),
                        Optional.empty(),
                        JsonNodeFactory.instance.objectNode()),
                Progress.IGNORED);
    }

    private VolumeException refusal(Path path, String type) {
        return catchThrowableOfType(VolumeException.class, () -> setUp(path, type));
    }

    @Test
    void looksThereThroughAChildProcess() throws Exception {
        Files.createFile(remote.resolve("file"));

        assertThat(setUp(remote, "Directory").path()).isEqualTo(remote);
        assertThat(setUp(remote.resolve("file"), "File").path()).isEqualTo(remote.resolve("file"));
        assertThat(refusal(remote.resolve("file"), "Directory"))
                .hasMessageEndingWith("is not a directory: found a regular file");
        assertThat(refusal(remote.resolve("none"), "Directory")).hasMessageEndingWith(": found nothing");
        assertThat(commands).contains("stat", "realpath");
    }

    @Test
    void neverAsksAChildWhereNothingCanHang() throws Exception {
        setUp(Path.of("/etc"), "Directory");
        setUp(Files.createDirectory(remote.resolveSibling("local")), "Directory");

        assertThat(commands).isEmpty();
    }

    @Test
    void noticesAlsoThroughALinkOnALocalDisk() throws Exception {
        Path link = Files.createSymbolicLink(remote.resolveSibling("link"), remote.resolve("sub"));
        Files.createDirectory(remote.resolve("sub"));

        setUp(link, "Directory");

        assertThat(commands).contains("stat");
    }

    @Test
    void makesWhatIsMissingWithExactPermissionsThere() throws Exception {
        int before = Machine.umask(0077);
        try {
            setUp(remote.resolve("a/b"), "DirectoryOrCreate");
            setUp(remote.resolve("a/b/file"), "FileOrCreate");
        } finally {
            Machine.umask(before);
        }

        assertThat(Machine.permissions(remote.resolve("a"))).isEqualTo("755");
        assertThat(Machine.permissions(remote.resolve("a/b"))).isEqualTo("755");
        assertThat(Machine.permissions(remote.resolve("a/b/file"))).isEqualTo("644");
        assertThat(refusal(remote.resolve("none/file"), "FileOrCreate").reason())
                .isEqualTo("NotCreated");
        assertThat(remote.resolve("none")).doesNotExist();
    }

    @Test
    void refusesALinkOnTheServerThatLeadsToMooringsOwnDirectory() throws Exception {
        Files.createSymbolicLink(remote.resolve("sneaky"), layout.root());

        assertThat(refusal(remote.resolve("sneaky"), "Directory").reason()).isEqualTo("Refused");
        assertThat(refusal(remote.resolve("sneaky/new"), "DirectoryOrCreate").reason())
                .isEqualTo("Refused");
        assertThat(Machine.below(layout.root())).isEmpty();
    }

    @Test
    void refusesALinkToNothingOnTheServer() throws Exception {
        Files.createSymbolicLink(remote.resolve("link"), Path.of("gone"));

        assertThat(refusal(remote.resolve("link"), "DirectoryOrCreate"))
                .hasMessageContaining("found a symbolic link to a place where nothing is");
        assertThat(remote.resolve("gone")).doesNotExist();
    }

    @Test
    void givesUpOnAServerThatDoesNotAnswerAndSaysSo() {
        runner = command -> {
            throw new CommandException(CommandException.Kind.TOO_SLOW, "killed");
        };

        VolumeException refusal = refusal(remote.resolve("x"), "");

        assertThat(refusal.reason()).isEqualTo("TooSlow");
        assertThat(refusal.left()).isEqualTo(Left.NOTHING);
        assertThat(refusal).hasMessageStartingWith(remote + "/x did not answer within 7 s");
    }
}
