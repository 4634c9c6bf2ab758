package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.runtime.ContainerSpec.Access;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.ContainerSpec.HostAlias;
import dev.mooring.runtime.ContainerSpec.HostProcesses;
import dev.mooring.runtime.ContainerSpec.Joined;
import dev.mooring.runtime.ContainerSpec.Network;
import dev.mooring.runtime.ContainerSpec.Own;
import dev.mooring.runtime.ContainerSpec.Port;
import dev.mooring.runtime.ContainerSpec.Processes;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.Patience;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What containers share and see, on a real engine: a sandbox with the pause image made here, and those who join it. */
class DockerSurroundingsTest {
    private final Quay quay = new Quay();
    private final DockerRuntime runtime = quay.runtime;

    @AfterEach
    void cleanUp() throws Exception {
        quay.close();
    }

    @Test
    void containersOfASandboxShareItsNetworkNameAndMemory() throws Exception {
        Own own = new Own(
                Network.OWN,
                new HostProcesses(false, false),
                "web-0",
                Optional.of(new Dns(List.of("192.0.2.53"), List.of("a.example", "b.example"), List.of("ndots:5"))),
                List.of(new HostAlias("db", "192.0.2.7")),
                List.of(),
                Map.of("net.ipv4.ip_unprivileged_port_start", "79"));
        String sandbox = sandbox(own);
        String first = quay.created(quay.spec("first").shell("sleep 1000").in(joined(Processes.OWN)));
        EngineException early = refusal(() -> runtime.start(first));
        runtime.start(sandbox);
        runtime.start(first);
        String second = quay.running(quay.spec("second").shell("sleep 1000").in(joined(Processes.OWN)));

        assertThat(early.kind()).isEqualTo(Kind.CONFLICT);
        String address = quay.facts(sandbox).address();
        assertThat(address).matches("\\d+\\.\\d+\\.\\d+\\.\\d+");
        assertThat(quay.facts(first).address()).isEmpty();
        assertThat(quay.exec(first, "hostname -i")).contains(address);
        assertThat(quay.exec(second, "hostname; hostname -i"))
                .startsWith("web-0\n")
                .contains(address);
        assertThat(quay.exec(second, "cat /proc/sys/net/ipv4/ip_unprivileged_port_start"))
                .isEqualTo("79\n");
        assertThat(quay.exec(first, "cat /etc/resolv.conf"))
                .contains("search a.example b.example", "nameserver 192.0.2.53", "options ndots:5");
        assertThat(quay.exec(first, "cat /etc/hosts")).contains("192.0.2.7\tdb").contains(address + "\tweb-0");
        assertThat(quay.exec(first, "readlink /proc/self/ns/ipc"))
                .isEqualTo(quay.exec(second, "readlink /proc/self/ns/ipc"));
        quay.exec(first, "echo shared > /dev/shm/note");
        assertThat(quay.exec(second, "cat /dev/shm/note")).isEqualTo("shared\n");
        assertThat(quay.exec(first, "ls /proc | grep -c '^[0-9]*$'").strip()).isNotEqualTo("0");
    }

    @Test
    void thePauseProgramReapsOrphansAndEndsWhenAsked() throws Exception {
        String sandbox = sandbox(SpecBuilder.own(List.of()));
        runtime.start(sandbox);
        String shell = quay.running(quay.spec("shell").shell("sleep 1000").in(joined(Processes.SANDBOX)));

        assertThat(quay.exec(shell, "cat /proc/1/comm")).isEqualTo("pause\n");
        // The middle shell ends at once, so the inner one is process 1's, and ends later.
        quay.exec(shell, "sh -c '(sleep 0.1; exit 5) & exit 0'; sleep 0.4");
        assertThat(quay.exec(shell, "cat /proc/[0-9]*/stat | grep -c ') Z '").strip())
                .isEqualTo("0");

        runtime.remove(shell);
        runtime.stop(sandbox, Quay.DEADLINE);
        assertThat(quay.facts(sandbox).exitCode()).isZero();
    }

    @Test
    void theMachinesNameSpacesAreForThoseWhoJoinToo() throws Exception {
        Own own = new Own(
                Network.MACHINE, new HostProcesses(true, true), "", Optional.empty(), List.of(), List.of(), Map.of());
        String sandbox = sandbox(own);
        runtime.start(sandbox);
        String inside = quay.running(quay.spec("inside").shell("sleep 1000").in(joined(Processes.MACHINE)));

        assertThat(quay.facts(sandbox).address()).isEmpty();
        for (String space : List.of("net", "ipc", "pid")) {
            String ours =
                    Files.readSymbolicLink(Path.of("/proc/self/ns/" + space)).toString();
            assertThat(quay.exec(inside, "readlink /proc/self/ns/" + space)).isEqualTo(ours + "\n");
        }
    }

    @Test
    void aSandboxMustBeThereToBeJoined() {
        EngineException refusal = refusal(() -> quay.created(quay.spec("lonely").in(joined(Processes.OWN))));

        assertThat(refusal.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(refusal).hasMessage("No such container: " + quay.name("sandbox"));
    }

    @Test
    void aPortOfTheMachineLeadsToTheContainer() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        Port port = new Port("tcp", 8080, free, "127.0.0.1");
        String id = quay.running(quay.spec("port")
                .shell("echo ready; echo hello | nc -l -p 8080; echo done")
                .in(SpecBuilder.own(List.of(port))));
        Patience.until(() ->
                quay.logs(id).contains("ready") && quay.exec(id, "netstat -ltn").contains(":8080 "));

        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), free)) {
            assertThat(new String(socket.getInputStream().readNBytes(5), StandardCharsets.UTF_8))
                    .isEqualTo("hello");
        }
    }

    @Test
    void bindsWhatIsThereAndMakesNothing(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("note"), "from the machine\n");
        Path missing = directory.resolve("missing");

        String read = quay.output(quay.spec("bind")
                .shell("cat /data/note; echo back > /data/answer; echo no > /fixed/answer; echo rc=$?")
                .bind(directory, "/data", Access.READ_WRITE)
                .bind(directory, "/fixed", Access.READ_ONLY));
        EngineException refusal =
                refusal(() -> quay.created(quay.spec("missing").bind(missing, "/data", Access.READ_WRITE)));
        EngineException recursive = runtime.info().apiVersion().compareTo("1.44") >= 0
                ? null
                : refusal(() -> quay.created(quay.spec("recursive").bind(directory, "/d", Access.READ_ONLY_RECURSIVE)));

        assertThat(read).contains("from the machine\n", "Read-only file system", "rc=1");
        assertThat(directory.resolve("answer")).hasContent("back");
        assertThat(refusal.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refusal).hasMessageEndingWith("bind source path does not exist: " + missing);
        assertThat(missing).doesNotExist();
        if (recursive != null) {
            assertThat(recursive.kind()).isEqualTo(Kind.REFUSED);
            assertThat(recursive).hasMessageContaining("/d needs Docker 25");
        }
    }

    @Test
    void aSourceThatWentSinceRefusesTheStart(@TempDir Path directory) throws Exception {
        Path source = Files.createDirectory(directory.resolve("going"));
        String id = quay.created(quay.spec("going").shell("true").bind(source, "/data", Access.READ_WRITE));
        Files.delete(source);

        EngineException refusal = refusal(() -> runtime.start(id));

        assertThat(refusal.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refusal).hasMessageContaining(source.toString());
        assertThat(source).doesNotExist();
    }

    @Test
    void aReadOnlyDeviceCannotBeWrittenTo() throws Exception {
        Path device = Path.of("/dev/null");

        String output = quay.output(quay.spec("device")
                .shell("echo x > /dev/mine; echo write=$?; echo x > /dev/fixed; echo fixed=$?; cat /dev/fixed; echo"
                        + " read=$?")
                .device(device, "/dev/mine", Access.READ_WRITE)
                // The engine always allows /dev/null; the loop control device it does not.
                .device(Path.of("/dev/loop-control"), "/dev/fixed", Access.READ_ONLY));

        assertThat(output).contains("write=0", "fixed=1", "Operation not permitted");
        EngineException refusal = refusal(() -> quay.running(
                quay.spec("nodevice").device(Path.of("/dev/no-such-device"), "/dev/x", Access.READ_WRITE)));
        assertThat(refusal.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refusal).hasMessageContaining("/dev/no-such-device");
    }

    @Test
    void mayWhatItMay() throws Exception {
        Security tight = new Security(
                "1000:2000",
                List.of(3000L),
                false,
                true,
                false,
                List.of("NET_ADMIN"),
                List.of("ALL"),
                Seccomp.UNCONFINED,
                true);
        String output = quay.output(quay.spec("tight")
                .shell("exec 2>&1; id -u; id -g; id -G; touch /x; grep -E 'NoNewPrivs|Seccomp:|CapBnd'"
                        + " /proc/self/status; mount | grep -c ' /proc/'")
                .security(tight));

        assertThat(output)
                .startsWith("1000\n2000\n2000 3000\n")
                .contains("Read-only file system", "NoNewPrivs:\t1", "Seccomp:\t0", "CapBnd:\t0000000000001000")
                .endsWith("\n0\n");
    }

    private String sandbox(Own own) throws Exception {
        return quay.created(quay.spec("sandbox")
                .image(PauseImage.ensure(runtime, ""))
                .command()
                .in(own));
    }

    private Joined joined(Processes processes) {
        return new Joined(quay.name("sandbox"), processes);
    }

    private static EngineException refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(EngineException.class, call);
    }
}
