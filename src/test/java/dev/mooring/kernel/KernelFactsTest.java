package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.MountTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the assumptions of the other kernel tests: the kernel, its NFS server and the faults behave as documented. */
@OnRealKernel
class KernelFactsTest {
    private static final Path TARGET = Path.of("/mnt/facts");
    private static final ChildProcess CHILDREN = new ChildProcess();

    private static KernelNfsServer server;

    @BeforeAll
    static void boot() throws IOException {
        Files.createDirectories(TARGET);
        server = KernelNfsServer.boot(9);
        server.start();
        server.export("/data");
    }

    @AfterAll
    static void shutDown() {
        server.close();
    }

    @Test
    void rootFilesystem_isReadOnly() {
        assertThat(Path.of("/").toFile().canWrite()).isFalse();
        assertThat(Path.of("/etc/passwd").toFile().canWrite()).isFalse();
    }

    @Test
    void nfsServer_export_canBeMountedAndUnmounted() throws Exception {
        CommandResult mounted = run(120, "mount", "-t", "nfs", "-o", "vers=4.2", server.address() + ":/data", TARGET);
        assertThat(mounted.errorOrOutput()).isEmpty();
        assertThat(MountTable.read().of(TARGET).type()).isEqualTo("nfs4");
        Files.writeString(TARGET.resolve("file"), "through NFS");
        assertThat(server.root().resolve("data/file")).content().isEqualTo("through NFS");

        assertThat(run(120, "umount", TARGET).errorOrOutput()).isEmpty();
        assertThat(MountTable.read().isMountPoint(TARGET)).isFalse();
    }

    @Test
    void nfsServer_stoppedOrUnplugged_refusesOrDropsConnections() throws Exception {
        server.stop();
        assertThat(connect(60)).contains("refused");
        server.start();
        assertThat(connect(60)).isEmpty();
        server.unplug();
        assertThat(connect(4)).isEqualTo("silent");
        server.plug();
        assertThat(connect(60)).isEmpty();
    }

    private static String connect(int seconds) throws InterruptedException, CommandException {
        try {
            String script = "exec 3<>/dev/tcp/" + server.address() + "/2049";
            return run(seconds, "bash", "-c", script).errorOrOutput();
        } catch (CommandException e) {
            assertThat(e.kind()).isEqualTo(CommandException.CommandFailureKind.TIMED_OUT);
            return "silent";
        }
    }

    private static CommandResult run(int seconds, String program, Object... arguments)
            throws InterruptedException, CommandException {
        String[] strings = new String[arguments.length];
        for (int i = 0; i < strings.length; i++) {
            strings[i] = arguments[i].toString();
        }
        return CHILDREN.run(Command.of(Duration.ofSeconds(seconds), program, strings));
    }
}
