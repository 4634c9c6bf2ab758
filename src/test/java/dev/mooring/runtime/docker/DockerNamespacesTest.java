package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.ContainerSpec.HostAlias;
import dev.mooring.runtime.ContainerSpec.HostNamespaces;
import dev.mooring.runtime.ContainerSpec.JoinedNamespaces;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.ContainerSpec.NetworkMode;
import dev.mooring.runtime.ContainerSpec.OwnNamespaces;
import dev.mooring.runtime.ContainerSpec.PidMode;
import dev.mooring.runtime.ContainerSpec.Port;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.ConditionPoller;
import java.io.IOException;
import java.net.BindException;
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

/** Tests of namespaces, mounts and devices on a real engine, with a sandbox and the containers that join it. */
class DockerNamespacesTest {
    private final DockerFixture docker = new DockerFixture();
    private final DockerRuntime runtime = docker.runtime;

    @AfterEach
    void cleanUp() throws Exception {
        docker.close();
    }

    @Test
    void sandboxContainers_shareNetworkHostNameAndIpc() throws Exception {
        OwnNamespaces own = new OwnNamespaces(
                NetworkMode.OWN,
                new HostNamespaces(false, false),
                "web-0",
                Optional.of(new Dns(List.of("192.0.2.53"), List.of("a.example", "b.example"), List.of("ndots:5"))),
                List.of(new HostAlias("db", "192.0.2.7")),
                List.of(),
                Map.of("net.ipv4.ip_unprivileged_port_start", "79"));
        String sandbox = sandbox(own);
        String first = docker.created(docker.spec("first").shell("sleep 1000").in(joined(PidMode.OWN)));
        EngineException startBeforeSandbox = refusal(() -> runtime.start(first));
        runtime.start(sandbox);
        runtime.start(first);
        String second = docker.running(docker.spec("second").shell("sleep 1000").in(joined(PidMode.OWN)));

        assertThat(startBeforeSandbox.kind()).isEqualTo(Kind.CONFLICT);
        String address = docker.facts(sandbox).address();
        assertThat(address).matches("\\d+\\.\\d+\\.\\d+\\.\\d+");
        assertThat(docker.facts(first).address()).isEmpty();
        assertThat(docker.exec(first, "hostname -i")).contains(address);
        assertThat(docker.exec(second, "hostname; hostname -i"))
                .startsWith("web-0\n")
                .contains(address);
        assertThat(docker.exec(second, "cat /proc/sys/net/ipv4/ip_unprivileged_port_start"))
                .isEqualTo("79\n");
        assertThat(docker.exec(first, "cat /etc/resolv.conf"))
                .contains("search a.example b.example", "nameserver 192.0.2.53", "options ndots:5");
        assertThat(docker.exec(first, "cat /etc/hosts"))
                .contains("192.0.2.7\tdb")
                .contains(address + "\tweb-0");
        assertThat(docker.exec(first, "readlink /proc/self/ns/ipc"))
                .isEqualTo(docker.exec(second, "readlink /proc/self/ns/ipc"));
        docker.exec(first, "echo shared > /dev/shm/note");
        assertThat(docker.exec(second, "cat /dev/shm/note")).isEqualTo("shared\n");
        assertThat(docker.exec(first, "ls /proc | grep -c '^[0-9]*$'").strip()).isNotEqualTo("0");
    }

    @Test
    void pauseProgram_reapsOrphansAndExitsOnStop() throws Exception {
        String sandbox = sandbox(SpecBuilder.own(List.of()));
        runtime.start(sandbox);
        String shell = docker.running(docker.spec("shell").shell("sleep 1000").in(joined(PidMode.SANDBOX)));

        assertThat(docker.exec(shell, "cat /proc/1/comm")).isEqualTo("pause\n");
        // The outer shell exits immediately, so process 1 adopts the inner one, which exits later.
        String orphan = docker.exec(shell, "sh -c '(sleep 0.1; exit 5) >/dev/null 2>&1 & echo $!'")
                .strip();
        assertThat(orphan).matches("\\d+");
        // A process that is not reaped stays in /proc.
        ConditionPoller.until(() ->
                docker.exec(shell, "[ -e /proc/" + orphan + " ] || echo reaped").equals("reaped\n"));
        assertThat(docker.exec(shell, "cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z '")
                        .strip())
                .isEqualTo("0");

        runtime.remove(shell);
        runtime.stop(sandbox, DockerFixture.DEADLINE);
        assertThat(docker.facts(sandbox).exitCode()).isZero();
    }

    @Test
    void hostNamespaces_ofSandbox_areSharedByJoinedContainers() throws Exception {
        OwnNamespaces own = new OwnNamespaces(
                NetworkMode.MACHINE,
                new HostNamespaces(true, true),
                "",
                Optional.empty(),
                List.of(),
                List.of(),
                Map.of());
        String sandbox = sandbox(own);
        runtime.start(sandbox);
        String inside = docker.running(docker.spec("inside").shell("sleep 1000").in(joined(PidMode.MACHINE)));

        assertThat(docker.facts(sandbox).address()).isEmpty();
        for (String namespace : List.of("net", "ipc", "pid")) {
            String expected = Files.readSymbolicLink(Path.of("/proc/self/ns/" + namespace))
                    .toString();
            assertThat(docker.exec(inside, "readlink /proc/self/ns/" + namespace))
                    .isEqualTo(expected + "\n");
        }
    }

    @Test
    void create_missingSandbox_isNotFound() {
        EngineException refusal =
                refusal(() -> docker.created(docker.spec("lonely").in(joined(PidMode.OWN))));

        assertThat(refusal.kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(refusal).hasMessage("No such container: " + docker.name("sandbox"));
    }

    @Test
    void hostPort_isForwardedToTheContainer() throws Exception {
        int free = freePort();
        Port port = new Port("tcp", 8080, free, "127.0.0.1");
        String id = docker.running(docker.spec("port")
                .shell("echo ready; echo hello | nc -l -p 8080; echo done")
                .in(SpecBuilder.own(List.of(port))));
        ConditionPoller.until(() -> docker.logs(id).contains("ready")
                && docker.exec(id, "netstat -ltn").contains(":8080 "));

        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), free)) {
            assertThat(new String(socket.getInputStream().readNBytes(5), StandardCharsets.UTF_8))
                    .isEqualTo("hello");
        }
    }

    /**
     * Returns a port that stays free until the engine uses it: it is below those that the kernel gives to other
     * processes, and parallel processes begin with different ones.
     */
    private static int freePort() throws IOException {
        int first = 20_000 + (int) (ProcessHandle.current().pid() % 10_000);
        for (int port = first; port < first + 1000; port++) {
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // Taken: the next one.
            }
        }
        throw new IllegalStateException("No free port from " + first);
    }

    @Test
    void bind_missingSource_isRejectedAndNotCreated(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("note"), "from the machine\n");
        Path missing = directory.resolve("missing");

        String read = docker.output(docker.spec("bind")
                .shell("cat /data/note; echo back > /data/answer; echo no > /fixed/answer; echo rc=$?")
                .bind(directory, "/data", MountAccess.READ_WRITE)
                .bind(directory, "/fixed", MountAccess.READ_ONLY));
        EngineException refusal =
                refusal(() -> docker.created(docker.spec("missing").bind(missing, "/data", MountAccess.READ_WRITE)));
        EngineException recursive = runtime.info().apiVersion().compareTo("1.44") >= 0
                ? null
                : refusal(() -> docker.created(
                        docker.spec("recursive").bind(directory, "/d", MountAccess.READ_ONLY_RECURSIVE)));

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
    void bind_privateMountOfRoot_starts(@TempDir Path directory) throws Exception {
        String read = docker.output(docker.spec("root")
                .shell("ls /host; grep ' /data ' /proc/self/mountinfo")
                .bind(Path.of("/"), "/host", MountAccess.READ_ONLY)
                .bind(directory, "/data", MountAccess.READ_WRITE));

        assertThat(read).contains("proc\n").contains(" /data ").doesNotContain("shared:", "master:");
    }

    @Test
    void start_bindSourceDeleted_isRejected(@TempDir Path directory) throws Exception {
        Path source = Files.createDirectory(directory.resolve("going"));
        String id = docker.created(docker.spec("going").shell("true").bind(source, "/data", MountAccess.READ_WRITE));
        Files.delete(source);

        EngineException refusal = refusal(() -> runtime.start(id));

        assertThat(refusal.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refusal).hasMessageContaining(source.toString());
        assertThat(source).doesNotExist();
    }

    @Test
    void device_readOnly_cannotBeWritten() throws Exception {
        Path device = Path.of("/dev/null");

        String output = docker.output(docker.spec("device")
                .shell("echo x > /dev/mine; echo write=$?; echo x > /dev/fixed; echo fixed=$?; cat /dev/fixed; echo"
                        + " read=$?")
                .device(device, "/dev/mine", MountAccess.READ_WRITE)
                // The engine always allows /dev/null, but not the loop control device.
                .device(Path.of("/dev/loop-control"), "/dev/fixed", MountAccess.READ_ONLY));

        assertThat(output).contains("write=0", "fixed=1", "Operation not permitted");
        EngineException refusal = refusal(() -> docker.running(
                docker.spec("nodevice").device(Path.of("/dev/no-such-device"), "/dev/x", MountAccess.READ_WRITE)));
        assertThat(refusal.kind()).isEqualTo(Kind.REFUSED);
        assertThat(refusal).hasMessageContaining("/dev/no-such-device");
    }

    @Test
    void container_securitySettings_areApplied() throws Exception {
        Security tight = new Security(
                "1000:2000",
                List.of(3000L),
                false,
                true,
                false,
                List.of("NET_ADMIN"),
                List.of("ALL"),
                Seccomp.UNCONFINED,
                true,
                Map.of("level", "s0:c0,c1"));
        String output = docker.output(docker.spec("tight")
                .shell("exec 2>&1; id -u; id -g; id -G; touch /x; grep -E 'NoNewPrivs|Seccomp:|CapBnd'"
                        + " /proc/self/status; mount | grep -c ' /proc/'")
                .security(tight));

        assertThat(output)
                .startsWith("1000\n2000\n2000 3000\n")
                .contains("Read-only file system", "NoNewPrivs:\t1", "Seccomp:\t0", "CapBnd:\t0000000000001000")
                .endsWith("\n0\n");
    }

    private String sandbox(OwnNamespaces own) throws Exception {
        return docker.created(docker.spec("sandbox")
                .image(PauseImage.ensure(runtime, ""))
                .command()
                .in(own));
    }

    private JoinedNamespaces joined(PidMode processes) {
        return new JoinedNamespaces(docker.name("sandbox"), processes);
    }

    private static EngineException refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(EngineException.class, call);
    }
}
