package dev.mooring.volume.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
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

/** A real mount of which the mount table says that it is a server's: only children go there. */
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
    void aServer() throws Exception {
        Machine.assumeRoot();
        base = temp.toRealPath();
        NodeLayout layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        remote = Files.createDirectory(base.resolve("remote"));
        Machine.run("mount", "-t", "tmpfs", "tmpfs", remote.toString());
        Files.createDirectory(remote.resolve("data"));
        target = layout.volume("one", LocalPlugin.NAME, "pv-a");
        plugin = new LocalPlugin(new PluginParts(
                layout,
                withServer(new LinuxMounter(layout, SystemCalls.real(), this::run)),
                this::run,
                SystemCalls.real(),
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(20)));
    }

    @AfterEach
    void unmountEverything() throws Exception {
        List<MountTable.Mount> left =
                base == null ? List.of() : MountTable.read().below(base);
        for (int i = left.size() - 1; i >= 0; i--) {
            Machine.run("umount", left.get(i).point());
        }
    }

    private CommandResult run(Command command) throws CommandException, InterruptedException {
        commands.add(command.program());
        if (mountHangs && command.program().equals("mount")) {
            throw new CommandException(CommandException.Kind.TOO_SLOW, "killed");
        }
        return new ChildProcess().run(command);
    }

    /** The same machine, but what is on this tmpfs is said to be on a server. */
    private Mounter withServer(Mounter real) {
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

    private SetUp wanting(Access access, Optional<Ownership> ownership) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("local").put("path", remote.resolve("data").toString());
        return new SetUp(
                new VolumeSpec("v", "pv-a", source, VolumeMode.FILESYSTEM, List.of("noexec"), 0),
                new PodIdentity("team", "one", "one"),
                target,
                access,
                Optional.empty(),
                ownership,
                JsonNodeFactory.instance.objectNode());
    }

    @Test
    void isBoundByAChildAndReadOnlyIfItShould() throws Exception {
        SetUpDone done = plugin.setUp(wanting(Access.READ_ONLY, Optional.empty()), Progress.IGNORED);
        plugin.setUp(wanting(Access.READ_ONLY, Optional.empty()), Progress.IGNORED);

        assertThat(done.path()).isEqualTo(target);
        assertThat(commands).contains("stat", "mount");
        assertThat(MountTable.read().allAt(target)).singleElement().satisfies(mount -> {
            assertThat(mount.root()).isEqualTo("/data");
            assertThat(mount.options()).contains("ro", "noexec");
        });

        plugin.tearDown(new TearDown("v", "pv-a", "one", target, VolumeMode.FILESYSTEM, ""), Progress.IGNORED);
        assertThat(MountTable.read().isMountPoint(target)).isFalse();
        assertThat(target).doesNotExist();
        assertThat(remote.resolve("data")).isDirectory();
    }

    @Test
    void itsGroupIsNotSetAndThePodIsTold() throws Exception {
        SetUpDone done = plugin.setUp(
                wanting(Access.READ_WRITE, Optional.of(new Ownership(1234, Ownership.When.ALWAYS))), Progress.IGNORED);

        assertThat(done.remarks())
                .singleElement()
                .satisfies(remark -> assertThat(remark.reason()).isEqualTo("OwnershipNotSet"));
        assertThat(Files.getAttribute(remote.resolve("data"), "unix:gid")).isEqualTo(0);
    }

    @Test
    void aMountThatHangsMayHaveLeftSomething() throws Exception {
        mountHangs = true;

        VolumeException failure = catchThrowableOfType(
                VolumeException.class,
                () -> plugin.setUp(wanting(Access.READ_WRITE, Optional.empty()), Progress.IGNORED));

        assertThat(failure.reason()).isEqualTo("TooSlow");
        assertThat(failure.left()).isEqualTo(VolumeException.Left.PERHAPS_SOMETHING);
        assertThat(target).doesNotExist();
    }
}
