package dev.mooring.volume.hostpath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpResult;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests of hostPath PersistentVolumes; see {@link PlantedHostPathTest} for planted links, {@link RemoteHostPathTest}
 * for shares.
 */
class PersistentHostPathTest extends HostPathFixture {
    @Test
    void setUp_directory_bindsItUntilTearDownAndKeepsData() throws Exception {
        Files.writeString(team.resolve("file"), "kept");

        SetUpResult done = setUp(team, "Directory");

        assertThat(done)
                .isEqualTo(new SetUpResult(target, team.toString(), List.of("rw", "nosuid", "nodev"), List.of()));
        assertThat(target.resolve("file")).hasContent("kept");
        assertThat(mounted().options()).contains("rw", "nosuid", "nodev");
        int id = mounted().id();
        assertThat(setUp(team, "Directory")).as("again").isEqualTo(done);
        assertThat(mounted().id()).isEqualTo(id);
        assertThat(commands).as("children").isEmpty();

        tearDown();
        tearDown();

        assertThat(MountTable.read().below(base)).isEmpty();
        assertThat(target).doesNotExist();
        assertThat(team.resolve("file")).hasContent("kept");
    }

    @Test
    void setUp_readOnly_mountsReadOnly() throws Exception {
        plugin(SystemCalls.real()).setUp(setUpRequest(team, "", Access.READ_ONLY), OperationProgress.NO_OP);

        assertThat(mounted().options()).contains("ro", "nosuid", "nodev");
        setUp(team, "");
        assertThat(mounted().isReadOnly()).as("for a Pod that writes").isFalse();
    }

    @Test
    void setUp_suidAndDevOptions_liftRestrictions() throws Exception {
        plugin(SystemCalls.real()).setUp(setUpRequest(team, "", Access.READ_WRITE, "suid"), OperationProgress.NO_OP);
        assertThat(mounted().options()).contains("nodev").doesNotContain("nosuid");
        tearDown();

        plugin(SystemCalls.real())
                .setUp(setUpRequest(team, "", Access.READ_WRITE, "suid", "dev"), OperationProgress.NO_OP);
        assertThat(mounted().options()).doesNotContain("nosuid", "nodev");

        setUp(team, "");
        assertThat(mounted().options())
                .as("mounted before without restrictions")
                .contains("nosuid", "nodev");
    }

    @Test
    void setUp_eachFileType_isCheckedAndBound() throws Exception {
        Map<String, Path> kinds = new LinkedHashMap<>();
        kinds.put("Directory", Files.createDirectory(team.resolve("directory")));
        kinds.put("File", Files.writeString(team.resolve("file"), "text"));
        kinds.put("Socket", team.resolve("socket"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(kinds.get("Socket")));
        }
        kinds.put("CharDevice", Path.of("/dev/null"));
        if (Files.exists(Path.of("/dev/loop0"))) {
            kinds.put("BlockDevice", Path.of("/dev/loop0"));
        }
        for (Map.Entry<String, Path> kind : kinds.entrySet()) {
            for (String type : List.of("", "Directory", "File", "Socket", "CharDevice", "BlockDevice")) {
                if (type.isEmpty() || type.equals(kind.getKey())) {
                    setUp(kind.getValue(), type);
                    assertThat(Files.getAttribute(target, "unix:ino"))
                            .as("%s as %s", kind, type)
                            .isEqualTo(Files.getAttribute(kind.getValue(), "unix:ino"));
                    assertThat(mounted().options().contains("nodev"))
                            .as("nodev of %s", kind)
                            .isEqualTo(!kind.getKey().endsWith("Device"));
                    tearDown();
                } else {
                    assertThat(refusal(kind.getValue(), type).reason()).isEqualTo("WrongType");
                }
            }
        }
        setUp(Path.of("/dev"), "Directory");
        assertThat(mounted().options())
                .as("the machine's devices")
                .contains("nosuid")
                .doesNotContain("nodev");
    }

    @Test
    void setUp_missingPath_isCreatedAndBound() throws Exception {
        assertThat(setUp(team.resolve("a/b"), "").events())
                .extracting(SetUpResult.SetUpEvent::reason)
                .containsExactly("HostPathCreated");
        Files.writeString(target.resolve("x"), "through");
        assertThat(team.resolve("a/b/x")).hasContent("through");
        tearDown();

        setUp(team.resolve("f"), "FileOrCreate");
        Files.writeString(target, "text");
        assertThat(team.resolve("f")).hasContent("text");
        tearDown();
        assertThat(target).doesNotExist();
    }

    @Test
    void setUp_mountsBelowPath_areVisibleAndUnmountedWithVolume() throws Exception {
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", team.toString());
        HostMachine.run("mount", "--make-shared", team.toString());
        for (String each : List.of("one", "two")) {
            Files.createDirectory(team.resolve(each));
        }
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", team.resolve("one").toString());
        Files.writeString(team.resolve("one/file"), "first");

        setUp(team, "Directory");

        assertThat(target.resolve("one/file")).hasContent("first");
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", team.resolve("two").toString());
        Files.writeString(team.resolve("two/file"), "second");
        assertThat(target.resolve("two/file")).hasContent("second");
        plugin(SystemCalls.real()).setUp(setUpRequest(team, "", Access.READ_ONLY), OperationProgress.NO_OP);
        assertThat(mounted().isReadOnly())
                .as("replaced with the mounts below it")
                .isTrue();

        tearDown();

        assertThat(target).doesNotExist();
        assertThat(MountTable.read().below(layout.root())).isEmpty();
        assertThat(team.resolve("one/file")).hasContent("first");
        assertThat(team.resolve("two/file")).hasContent("second");
    }

    @Test
    void setUp_containsOwnDirectory_returnsPathWithoutBind() throws Exception {
        guarded = guarded.allowing(List.of(base));

        assertThat(setUp(base, "Directory")).isEqualTo(SetUpResult.at(base));
        assertThat(MountTable.read().below(base)).isEmpty();
    }

    @Test
    void setUp_crashAtAnySystemCall_recovers() throws Exception {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            assertThat(at).isLessThan(300);
            Path path = team.resolve("crash-" + at);
            try {
                plugin(FaultySystemCalls.after(at))
                        .setUp(setUpRequest(path, "DirectoryOrCreate", Access.READ_WRITE), OperationProgress.NO_OP);
                crashed = false;
            } catch (FaultySystemCalls.Crash expected) {
                setUp(path, "DirectoryOrCreate");
            }
            assertThat(mounted().options()).contains("nosuid", "nodev");
            tearDown();
            assertThat(target).doesNotExist();
        }
    }
}
