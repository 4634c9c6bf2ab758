package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What all other tests here rely on: the kernel, its NFS server and the ways to break it are what they are said to be. */
@OnRealKernel
class KernelFactsTest {
    private static final Path TARGET = Path.of("/mnt/facts");
    private static final ChildProcess CHILDREN = new ChildProcess();

    private static NfsServer server;

    @BeforeAll
    static void boot() throws IOException {
        Files.createDirectories(TARGET);
        server = NfsServer.boot(9);
        server.start();
        server.export("/data");
    }

    @AfterAll
    static void goAway() {
        server.close();
    }

    @Test
    void nothingOfTheMachineCanBeWrittenTo() {
        assertThat(Path.of("/").toFile().canWrite()).isFalse();
        assertThat(Path.of("/etc/passwd").toFile().canWrite()).isFalse();
    }

    @Test
    void mountsWhatItExportsAndUnmountsIt() throws Exception {
        CommandResult mounted = run(30, "mount", "-t", "nfs", "-o", "vers=4.2", server.address() + ":/data", TARGET);
        assertThat(mounted.words()).isEmpty();
        assertThat(MountTable.read().of(TARGET).type()).isEqualTo("nfs4");
        Files.writeString(TARGET.resolve("file"), "through NFS");
        assertThat(server.root().resolve("data/file")).content().isEqualTo("through NFS");

        assertThat(run(30, "umount", TARGET).words()).isEmpty();
        assertThat(MountTable.read().isMountPoint(TARGET)).isFalse();
    }

    @Test
    void aStoppedServerRefusesAndAnUnpluggedOneIsSilent() throws Exception {
        server.stop();
        assertThat(connect()).contains("refused");
        server.start();
        assertThat(connect()).isEmpty();
        server.unplug();
        assertThat(connect()).isEqualTo("silent");
        server.plug();
        assertThat(connect()).isEmpty();
    }

    private static String connect() throws InterruptedException, CommandException {
        try {
            String script = "exec 3<>/dev/tcp/" + server.address() + "/2049";
            return run(4, "bash", "-c", script).words();
        } catch (CommandException e) {
            assertThat(e.kind()).isEqualTo(CommandException.Kind.TOO_SLOW);
            return "silent";
        }
    }

    private static CommandResult run(int seconds, String program, Object... arguments)
            throws InterruptedException, CommandException {
        String[] words = new String[arguments.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = arguments[i].toString();
        }
        return CHILDREN.run(Command.of(Duration.ofSeconds(seconds), program, words));
    }
}
