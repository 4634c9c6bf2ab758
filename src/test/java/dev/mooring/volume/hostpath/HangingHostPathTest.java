package dev.mooring.volume.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.HostPathGrant;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
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

/** Tests of a real mount that the mount table shows as NFS: this process must not access it. */
class HangingHostPathTest {
    @TempDir
    Path temp;

    private Path remote;
    private NodeLayout layout;
    private FakeMounter mounter;
    private final List<String> commands = new ArrayList<>();
    private CommandRunner runner = new ChildProcess();

    @BeforeEach
    void createRemoteMount() throws Exception {
        HostMachine.assumeRoot();
        Path base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        remote = Files.createDirectory(base.resolve("remote"));
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", remote.toString());
        mounter = FakeMounter.onDisk(layout);
        mounter.alreadyMounted(remote, "nfs4", "nas:/exports");
    }

    @AfterEach
    void unmount() throws Exception {
        if (remote != null) {
            HostMachine.run("umount", remote.toString());
        }
    }

    private CommandResult run(Command command) throws CommandException, InterruptedException {
        commands.add(command.program());
        return runner.run(command);
    }

    private SetUpResult setUp(Path path, String type) throws Exception {
        HostPathPlugin plugin = new HostPathPlugin(new PluginContext(
                layout,
                mounter,
                this::run,
                SystemCalls.real(),
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(61)));
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("hostPath").put("path", path.toString()).put("type", type);
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.putObject("metadata").putObject("annotations").put(HostPathGrant.ANNOTATION, "admin");
        pod.putObject("spec")
                .putArray("volumes")
                .addObject()
                .put("name", "data")
                .setAll(source);
        return plugin.setUp(
                new SetUpRequest(
                        new VolumeSpec("v", "data", source, VolumeMode.FILESYSTEM, List.of(), 0),
                        new PodIdentity("team", "web", "uid-1"),
                        Path.of("/never/used"),
                        Access.READ_WRITE,
                        Optional.empty(),
                        Optional.empty(),
                        pod),
                OperationProgress.NO_OP);
    }

    private VolumeException refusal(Path path, String type) {
        return catchThrowableOfType(VolumeException.class, () -> setUp(path, type));
    }

    @Test
    void setUp_remotePath_isInspectedByChildProcess() throws Exception {
        Files.createFile(remote.resolve("file"));

        assertThat(setUp(remote, "Directory").path()).isEqualTo(remote);
        assertThat(setUp(remote.resolve("file"), "File").path()).isEqualTo(remote.resolve("file"));
        assertThat(refusal(remote.resolve("file"), "Directory"))
                .hasMessageEndingWith("is not a directory: found a regular file");
        assertThat(refusal(remote.resolve("none"), "Directory")).hasMessageEndingWith(": found nothing");
        assertThat(commands).contains("stat", "realpath");
    }

    @Test
    void setUp_localPath_runsNoChildProcess() throws Exception {
        setUp(Path.of("/etc"), "Directory");
        setUp(Files.createDirectory(remote.resolveSibling("local")), "Directory");

        assertThat(commands).isEmpty();
    }

    @Test
    void setUp_localLinkToRemotePath_isInspectedByChildProcess() throws Exception {
        Path link = Files.createSymbolicLink(remote.resolveSibling("link"), remote.resolve("sub"));
        Files.createDirectory(remote.resolve("sub"));

        setUp(link, "Directory");

        assertThat(commands).contains("stat");
    }

    @Test
    void setUp_missingRemotePath_isCreatedWithExactMode() throws Exception {
        int before = HostMachine.umask(0077);
        try {
            setUp(remote.resolve("a/b"), "DirectoryOrCreate");
            setUp(remote.resolve("a/b/file"), "FileOrCreate");
        } finally {
            HostMachine.umask(before);
        }

        assertThat(HostMachine.permissions(remote.resolve("a"))).isEqualTo("755");
        assertThat(HostMachine.permissions(remote.resolve("a/b"))).isEqualTo("755");
        assertThat(HostMachine.permissions(remote.resolve("a/b/file"))).isEqualTo("644");
        assertThat(refusal(remote.resolve("none/file"), "FileOrCreate").reason())
                .isEqualTo("NotCreated");
        assertThat(remote.resolve("none")).doesNotExist();
    }

    @Test
    void setUp_remoteLinkToOwnDirectory_fails() throws Exception {
        Files.createSymbolicLink(remote.resolve("sneaky"), layout.root());

        assertThat(refusal(remote.resolve("sneaky"), "Directory").reason()).isEqualTo("Refused");
        assertThat(refusal(remote.resolve("sneaky/new"), "DirectoryOrCreate").reason())
                .isEqualTo("Refused");
        assertThat(HostMachine.below(layout.root())).isEmpty();
    }

    @Test
    void setUp_danglingRemoteLink_fails() throws Exception {
        Files.createSymbolicLink(remote.resolve("link"), Path.of("gone"));

        assertThat(refusal(remote.resolve("link"), "DirectoryOrCreate"))
                .hasMessageContaining("found a symbolic link whose target does not exist");
        assertThat(remote.resolve("gone")).doesNotExist();
    }

    @Test
    void setUp_serverDoesNotRespond_failsAsTooSlow() {
        runner = command -> {
            throw new CommandException(CommandException.CommandFailureKind.TIMED_OUT, "killed");
        };

        VolumeException refusal = refusal(remote.resolve("x"), "");

        assertThat(refusal.reason()).isEqualTo("TooSlow");
        assertThat(refusal.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(refusal).hasMessageStartingWith(remote + "/x did not respond within 61 s");
    }
}
