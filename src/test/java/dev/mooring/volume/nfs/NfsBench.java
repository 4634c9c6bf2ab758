package dev.mooring.volume.nfs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.FakeMounter;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
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

/** A node with an NFS plugin, a kernel that is played, a server on this machine whose port is real, and time that stands still. */
final class NfsBench implements AutoCloseable {
    static final Path TARGET = Path.of("/mooring/pods/u1/volumes/kubernetes.io~nfs/data");
    static final String T = "pods/u1/volumes/kubernetes.io~nfs/data";
    static final Duration DEADLINE = Duration.ofSeconds(47);

    final FakeMounter mounter = FakeMounter.inMemory(new NodeLayout(Path.of("/mooring")));
    final SettableClock clock = new SettableClock();
    final List<ServerHealth> heard = new ArrayList<>();
    final NfsServers servers = new NfsServers(clock, heard::add);
    final List<Command> commands = new ArrayList<>();
    final Deque<Object> answers = new ArrayDeque<>();
    final List<UnmountLimits> limits = new ArrayList<>();
    final List<String> told = new ArrayList<>();
    final NfsPlugin plugin;

    private final LocalServer server;
    private UnaryOperator<MountCommand> twist = UnaryOperator.identity();

    NfsBench() throws IOException {
        server = LocalServer.accepting();
        int port = server.port();
        NameLookup names = new NameLookup(name -> new InetAddress[] {InetAddress.getLoopbackAddress()});
        plugin = new NfsPlugin(
                parts(), servers, new PreFlight(names, Duration.ofSeconds(2), new PreFlight.Ports(port, port)));
    }

    PluginParts parts() {
        return new PluginParts(
                new NodeLayout(Path.of("/mooring")),
                new LimitsMounter(mounter, limits, command -> twist.apply(command)),
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

    /** The next child process fails with these words. */
    void nextCommandSays(String errors) {
        answers.add(new CommandResult(1, "", errors));
    }

    void nextCommandHangs() {
        answers.add(new CommandException(CommandException.Kind.TOO_SLOW, "Expected `stat` to end within 5 s"));
    }

    /** From now on something else is mounted than what is asked for. */
    void mountsInstead(String type, String source, String... options) {
        twist = command -> new MountCommand(type, source, command.target(), List.of(options), command.deadline());
    }

    /** From now on nobody listens at the server's port. */
    void stopServer() throws IOException {
        server.close();
    }

    static VolumeSpec volume(String server, String path, String... options) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("nfs").put("server", server).put("path", path);
        return new VolumeSpec("kubernetes.io/nfs/u1-data", "data", source, VolumeMode.FILESYSTEM, List.of(options), 0);
    }

    static SetUp wanted(VolumeSpec volume, Access access) {
        return new SetUp(
                volume,
                new PodIdentity("shop", "web", "u1"),
                TARGET,
                access,
                Optional.empty(),
                Optional.empty(),
                JsonNodeFactory.instance.objectNode());
    }

    static SetUp withGroup(SetUp what, long gid) {
        return new SetUp(
                what.volume(),
                what.pod(),
                what.target(),
                what.access(),
                what.device(),
                Optional.of(new Ownership(gid, Ownership.When.ALWAYS)),
                what.podObject());
    }

    SetUpDone setUp(String... options) throws VolumeException, InterruptedException {
        return setUp(wanted(volume("nas", "/exports/data", options), Access.READ_WRITE));
    }

    SetUpDone setUp(SetUp what) throws VolumeException, InterruptedException {
        return plugin.setUp(what, progress());
    }

    VolumeException failedSetUp(String... options) {
        return failedSetUp(wanted(volume("nas", "/exports/data", options), Access.READ_WRITE));
    }

    VolumeException failedSetUp(SetUp what) {
        return Assertions.catchThrowableOfType(VolumeException.class, () -> setUp(what));
    }

    void tearDown(String ofServer) throws VolumeException, InterruptedException {
        plugin.tearDown(
                new TearDown("kubernetes.io/nfs/u1-data", "data", "u1", TARGET, VolumeMode.FILESYSTEM, ofServer),
                progress());
    }

    Progress progress() {
        return (reason, message) -> told.add(reason + ": " + message);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
