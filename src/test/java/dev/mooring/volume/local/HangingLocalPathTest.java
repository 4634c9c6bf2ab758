package dev.mooring.volume.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.FsGroup;
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
import dev.mooring.volume.VolumeSpec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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

/** Tests of a real mount that the mount table shows as NFS: only child processes may access it. */
class HangingLocalPathTest {
    @TempDir
    Path temp;

    private Path base;
    private Path remote;
    private Path target;
    private LocalPlugin plugin;
    private boolean mountHangs;
    private final List<String> commands = new ArrayList<>();

    @BeforeEach
    void createRemoteMount() throws Exception {
        HostMachine.assumeRoot();
        base = temp.toRealPath();
        NodeLayout layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        remote = Files.createDirectory(base.resolve("remote"));
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", remote.toString());
        Files.createDirectory(remote.resolve("data"));
        target = layout.volume("one", LocalPlugin.NAME, "pv-a");
        plugin = new LocalPlugin(new PluginContext(
                layout,
                withServer(new LinuxMounter(layout, SystemCalls.real(), this::run)),
                this::run,
                SystemCalls.real(),
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(60)));
    }

    @AfterEach
    void unmountEverything() throws Exception {
        List<MountTable.Mount> left =
                base == null ? List.of() : MountTable.read().below(base);
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", left.get(i).point());
        }
    }

    private CommandResult run(Command command) throws CommandException, InterruptedException {
        commands.add(command.program());
        if (mountHangs && command.program().equals("mount")) {
            throw new CommandException(CommandException.CommandFailureKind.TIMED_OUT, "killed");
        }
        return new ChildProcess().run(command);
    }

    /** Returns a mounter whose mount table shows the tmpfs as NFS. */
    private Mounter withServer(Mounter real) {
        return (Mounter) Proxy.newProxyInstance(
                Mounter.class.getClassLoader(), new Class<?>[] {Mounter.class}, (self, method, arguments) -> {
                    try {
                        Object answer = method.invoke(real, arguments);
                        return answer instanceof MountTable table ? withNfsMount(table) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private MountTable withNfsMount(MountTable table) {
        String device = table.at(remote).orElseThrow().device();
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

    private SetUpRequest setUpRequest(Access access, Optional<FsGroup> ownership) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("local").put("path", remote.resolve("data").toString());
        return new SetUpRequest(
                new VolumeSpec("v", "pv-a", source, VolumeMode.FILESYSTEM, List.of("noexec"), 0),
                new PodIdentity("team", "one", "one"),
                target,
                access,
                Optional.empty(),
                ownership,
                JsonNodeFactory.instance.objectNode());
    }

    @Test
    void setUp_remotePathReadOnly_isBoundByChildProcess() throws Exception {
        SetUpResult done = plugin.setUp(setUpRequest(Access.READ_ONLY, Optional.empty()), OperationProgress.NO_OP);
        plugin.setUp(setUpRequest(Access.READ_ONLY, Optional.empty()), OperationProgress.NO_OP);

        assertThat(done.path()).isEqualTo(target);
        assertThat(commands).contains("stat", "mount");
        assertThat(MountTable.read().allAt(target)).singleElement().satisfies(mount -> {
            assertThat(mount.root()).isEqualTo("/data");
            assertThat(mount.options()).contains("ro", "noexec");
        });

        plugin.tearDown(
                new TearDownRequest("v", "pv-a", "one", target, VolumeMode.FILESYSTEM, ""), OperationProgress.NO_OP);
        assertThat(MountTable.read().isMountPoint(target)).isFalse();
        assertThat(target).doesNotExist();
        assertThat(remote.resolve("data")).isDirectory();
    }

    @Test
    void setUp_remotePathWithFsGroup_reportsThatGroupIsNotSet() throws Exception {
        SetUpResult done = plugin.setUp(
                setUpRequest(Access.READ_WRITE, Optional.of(new FsGroup(1234, FsGroup.FsGroupChangePolicy.ALWAYS))),
                OperationProgress.NO_OP);

        assertThat(done.events())
                .singleElement()
                .satisfies(event -> assertThat(event.reason()).isEqualTo("OwnershipNotSet"));
        assertThat(Files.getAttribute(remote.resolve("data"), "unix:gid")).isEqualTo(0);
    }

    @Test
    void setUp_mountTimesOut_failsAsUncertain() throws Exception {
        mountHangs = true;

        VolumeException failure = catchThrowableOfType(
                VolumeException.class,
                () -> plugin.setUp(setUpRequest(Access.READ_WRITE, Optional.empty()), OperationProgress.NO_OP));

        assertThat(failure.reason()).isEqualTo("TooSlow");
        assertThat(failure.failureState()).isEqualTo(VolumeException.FailureState.UNCERTAIN);
        assertThat(target).doesNotExist();
    }
}
