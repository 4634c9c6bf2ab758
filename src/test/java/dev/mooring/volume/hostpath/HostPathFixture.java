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
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.ProtectedHostPaths;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node on the real kernel with a hostPath PersistentVolume that may be inside another volume, {@code team};
 * {@code outside} is not a volume.
 */
abstract class HostPathFixture {
    private static final int HERE = -100;
    private static final int EXCHANGE = 2;

    @TempDir
    Path temp;

    Path base;
    Path team;
    Path outside;
    NodeLayout layout;
    Path target;
    ProtectedHostPaths guarded = ProtectedHostPaths.defaults();
    Optional<Path> server = Optional.empty();
    CommandRunner runner = new ChildProcess();
    final List<String> commands = new ArrayList<>();

    @BeforeEach
    void createNode() throws Exception {
        HostMachine.assumeRoot();
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        team = Files.createDirectories(base.resolve("srv/team"));
        outside = Files.createDirectories(base.resolve("outside"));
        Files.writeString(Files.createDirectories(outside.resolve("inner")).resolve("secret"), "secret");
        Files.writeString(outside.resolve("secret"), "secret");
        target = layout.volume("uid-1", HostPathPlugin.NAME, "pv-a");
    }

    @AfterEach
    void unmountEverything() throws Exception {
        List<MountTable.Mount> left =
                base == null ? List.of() : MountTable.read().below(base);
        for (int i = left.size() - 1; i >= 0; i--) {
            // A slave mount may have been unmounted with its master.
            if (MountTable.read().isMountPoint(Path.of(left.get(i).point()))) {
                HostMachine.run("umount", "-l", left.get(i).point());
            }
        }
    }

    private CommandResult run(Command command) throws CommandException, InterruptedException {
        commands.add(Path.of(command.program()).getFileName().toString());
        return runner.run(command);
    }

    HostPathPlugin plugin(SystemCalls calls) {
        PluginContext context = new PluginContext(
                layout,
                disguised(new LinuxMounter(layout, SystemCalls.real(), this::run)),
                this::run,
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(60));
        return new HostPathPlugin(context, guarded);
    }

    /** Returns a mounter whose mount table shows the mount at {@link #server} as NFS. */
    private Mounter disguised(Mounter real) {
        return (Mounter) Proxy.newProxyInstance(
                Mounter.class.getClassLoader(), new Class<?>[] {Mounter.class}, (self, method, arguments) -> {
                    try {
                        Object answer = method.invoke(real, arguments);
                        return answer instanceof MountTable table ? disguised(table) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private MountTable disguised(MountTable table) {
        String device = server.flatMap(table::at).map(MountTable.Mount::device).orElse("none");
        return new MountTable(table.mounts().stream()
                .map(each -> !each.device().equals(device)
                        ? each
                        : new MountTable.Mount(
                                each.id(),
                                each.parent(),
                                each.device(),
                                each.root(),
                                each.point(),
                                each.options(),
                                "nfs4",
                                "nas:/exports"))
                .toList());
    }

    SetUpRequest setUpRequest(Path path, String type, Access access, String... mountOptions) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("hostPath").put("path", path.toString()).put("type", type);
        return new SetUpRequest(
                new VolumeSpec("v", "pv-a", source, VolumeMode.FILESYSTEM, List.of(mountOptions), 0),
                new PodIdentity("team", "web", "uid-1"),
                target,
                access,
                Optional.empty(),
                Optional.empty(),
                JsonNodeFactory.instance.objectNode());
    }

    SetUpResult setUp(Path path, String type) throws Exception {
        return plugin(SystemCalls.real()).setUp(setUpRequest(path, type, Access.READ_WRITE), OperationProgress.NO_OP);
    }

    VolumeException refusal(Path path, String type) throws Exception {
        VolumeException refusal = catchThrowableOfType(VolumeException.class, () -> setUp(path, type));
        assertThat(refusal).as("refusal of %s", path).isNotNull();
        assertThat(refusal.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(MountTable.read().isMountPoint(target)).isFalse();
        return refusal;
    }

    void tearDown() throws Exception {
        plugin(SystemCalls.real())
                .tearDown(
                        new TearDownRequest("v", "pv-a", "uid-1", target, VolumeMode.FILESYSTEM, ""),
                        OperationProgress.NO_OP);
    }

    MountTable.Mount mounted() throws Exception {
        List<MountTable.Mount> all = MountTable.read().allAt(target);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    static void exchange(byte[] good, byte[] evil) {
        assertThat(SystemCalls.real().renameat2(HERE, good, HERE, evil, EXCHANGE))
                .isZero();
    }

    static byte[] bytes(Path path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }

    Path server() throws Exception {
        Path share = Files.createDirectory(base.resolve("share"));
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", share.toString());
        server = Optional.of(share);
        return share;
    }

    void assertOutsideUntouched() throws Exception {
        assertThat(HostMachine.below(outside)).containsExactly("inner", "inner/secret", "secret");
    }
}
