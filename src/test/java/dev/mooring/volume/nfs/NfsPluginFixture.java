package dev.mooring.volume.nfs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerHealth;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.SettableClock;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.assertj.core.api.Assertions;

/** A node with an NFS plugin, a fake mounter, a server with a real port on this machine, and a settable clock. */
final class NfsPluginFixture implements AutoCloseable {
    static final Path TARGET = Path.of("/mooring/pods/u1/volumes/kubernetes.io~nfs/data");
    static final String T = "pods/u1/volumes/kubernetes.io~nfs/data";
    static final Duration DEADLINE = Duration.ofSeconds(47);

    final FakeMounter mounter = FakeMounter.inMemory(new NodeLayout(Path.of("/mooring")));
    final SettableClock clock = new SettableClock();
    final List<ServerHealth> healthChanges = new ArrayList<>();
    final RemoteServers servers = new RemoteServers(clock, healthChanges::add);
    final List<Command> commands = new ArrayList<>();
    final Deque<Object> answers = new ArrayDeque<>();
    final List<UnmountTimeouts> timeouts = new ArrayList<>();
    final List<String> progressReports = new ArrayList<>();
    final NfsPlugin plugin;

    private final FakeNfsPort server;
    private UnaryOperator<MountCommand> substitution = UnaryOperator.identity();

    NfsPluginFixture() throws IOException {
        server = FakeNfsPort.accepting();
        int port = server.port();
        NameLookup names = new NameLookup(name -> new InetAddress[] {InetAddress.getLoopbackAddress()});
        plugin = new NfsPlugin(
                context(),
                servers,
                new ServerProbe(names, Duration.ofSeconds(60), new ServerProbe.NfsPorts(port, port)));
    }

    PluginContext context() {
        return new PluginContext(
                new NodeLayout(Path.of("/mooring")),
                new TimeoutRecordingMounter(mounter, timeouts, command -> substitution.apply(command)),
                this::run,
                SystemCalls.real(),
                key -> Optional.empty(),
                clock,
                DEADLINE);
    }

    private CommandResult run(Command command) throws CommandException {
        commands.add(command);
        Object answer = answers.isEmpty() ? new CommandResult(0, "nfs\n", "") : answers.remove();
        if (answer instanceof CommandException e) {
            throw e;
        }
        return (CommandResult) answer;
    }

    /** Makes the next child process fail with the error output. */
    void nextCommandFails(String errors) {
        answers.add(new CommandResult(1, "", errors));
    }

    void nextCommandHangs() {
        answers.add(new CommandException(CommandException.CommandFailureKind.TIMED_OUT, "`stat` timed out after 5 s"));
    }

    /** Replaces all further mounts by another one. */
    void substituteMounts(String type, String source, String... options) {
        substitution =
                command -> new MountCommand(type, source, command.target(), List.of(options), command.deadline());
    }

    /** Closes the server's port. */
    void stopServer() throws IOException {
        server.close();
    }

    static VolumeSpec volume(String server, String path, String... options) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs").put("server", server).put("path", path);
        return new VolumeSpec("kubernetes.io/nfs/u1-data", "data", source, VolumeMode.FILESYSTEM, List.of(options), 0);
    }

    static SetUpRequest setUpRequest(VolumeSpec volume, Access access) {
        return new SetUpRequest(
                volume,
                new PodIdentity("shop", "web", "u1"),
                TARGET,
                access,
                Optional.empty(),
                Optional.empty(),
                JsonNodeFactory.instance.objectNode());
    }

    static SetUpRequest withGroup(SetUpRequest request, long gid) {
        return new SetUpRequest(
                request.volume(),
                request.pod(),
                request.target(),
                request.access(),
                request.device(),
                Optional.of(new FsGroup(gid, FsGroup.FsGroupChangePolicy.ALWAYS)),
                request.podObject());
    }

    SetUpResult setUp(String... options) throws VolumeException, InterruptedException {
        return setUp(setUpRequest(volume("nas", "/exports/data", options), Access.READ_WRITE));
    }

    SetUpResult setUp(SetUpRequest request) throws VolumeException, InterruptedException {
        return plugin.setUp(request, progress());
    }

    VolumeException failedSetUp(String... options) {
        return failedSetUp(setUpRequest(volume("nas", "/exports/data", options), Access.READ_WRITE));
    }

    VolumeException failedSetUp(SetUpRequest request) {
        return Assertions.catchThrowableOfType(VolumeException.class, () -> setUp(request));
    }

    void tearDown(String ofServer) throws VolumeException, InterruptedException {
        plugin.tearDown(
                new TearDownRequest("kubernetes.io/nfs/u1-data", "data", "u1", TARGET, VolumeMode.FILESYSTEM, ofServer),
                progress());
    }

    OperationProgress progress() {
        return (reason, message) -> progressReports.add(reason + ": " + message);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
