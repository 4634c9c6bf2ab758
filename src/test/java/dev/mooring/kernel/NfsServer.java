package dev.mooring.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The kernel's own NFS server (3 and 4.x), as a machine that can be switched off, unplugged and plugged in again. Several at a time: each
 * has a network, mounts and processes of its own (namespaces of a process that only sleeps), and one cable, a veth pair, to the test.
 *
 * <ul>
 *   <li>Exports are named from {@link #root}: {@code export("/data")} is the directory {@code root()/data}, which the test may look at
 *       directly, without NFS, and {@code server:/data} for clients, in version 3 and 4 alike.
 *   <li>{@link #stop}: the machine is up, nothing listens; connections are refused at once.
 *   <li>{@link #unplug}: every packet to it is lost ({@code tc … netem loss 100%} on the client's end of the cable). Nothing is refused,
 *       nothing is answered, and the neighbour stays known, so that the kernel waits as it does for a machine that crashed. Taking the
 *       link or the address away would be answered with "no route" at once, which is another failure.
 *   <li>nfsdcld keeps track of clients, as on a real server. So the first start has no grace period, and one after a restart ends as soon
 *       as all clients have reclaimed what they had, at the latest after ten seconds, the shortest that the kernel allows.
 *   <li>Client and server share a kernel and its memory: a large dirty file with an unplugged server could stop both. Write little.
 * </ul>
 *
 * One thread.
 */
final class NfsServer implements AutoCloseable {
    private static final Shell CLIENT = Shell.here();

    private final int number;
    private final Process holder;
    private final Shell shell;
    private int lastFsid = 100;
    private boolean plugged = true;
    private boolean serving;

    private NfsServer(int number, Process holder, Shell shell) {
        this.number = number;
        this.holder = holder;
        this.shell = shell;
    }

    /**
     * A machine that is up, without the server running.
     *
     * @param number from 1 to 254, its own among those that are there at the same time
     */
    static NfsServer boot(int number) {
        CLIENT.run("mkdir -p /mnt/server-" + number);
        Process holder = hold();
        long pid = holder.children().findFirst().orElseThrow().pid();
        NfsServer server = new NfsServer(number, holder, Shell.inNamespacesOf(pid));
        CLIENT.run(
                "ip link add c" + number + " type veth peer name s" + number,
                "ip link set s" + number + " netns " + pid,
                "ip addr add " + server.client() + "/24 dev c" + number,
                "ip addr add " + server.client6() + "/64 dev c" + number + " nodad",
                "ip link set c" + number + " up");
        server.shell.run(
                "ip link set lo up",
                "ip addr add " + server.address() + "/24 dev s" + number,
                "ip addr add " + server.address6() + "/64 dev s" + number + " nodad",
                "ip link set s" + number + " up",
                "mount -t tmpfs tmpfs /run",
                "mount -t tmpfs tmpfs /var/lib/nfs",
                "mkdir -p /run/rpcbind /run/rpc_pipefs /var/lib/nfs/nfsdcld /var/lib/nfs/sm",
                "touch /var/lib/nfs/etab /var/lib/nfs/rmtab",
                "mount -t nfsd nfsd /proc/fs/nfsd",
                "mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs",
                // Exports below a directory in memory: the machine's own root could be none.
                "printf '[exports]\\nrootdir=" + server.root() + "\\n' >/run/nfs.conf",
                "mount --bind /run/nfs.conf /etc/nfs.conf",
                "rpcbind -w",
                "nfsdcld",
                "rpc.mountd");
        return server;
    }

    /** Returns when the namespaces are there. */
    private static Process hold() {
        List<String> command = List.of(
                "unshare",
                "--net",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child=KILL",
                "--mount-proc",
                "--propagation=private",
                "sh",
                "-c",
                "echo ready; exec sleep infinity");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (process.getInputStream().read() < 0) {
                throw new AssertionError("Expected namespaces for a server, but unshare ended");
            }
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String address() {
        return "10.99." + number + ".1";
    }

    String address6() {
        return "fd99:" + number + "::1";
    }

    /** The address by which the server knows the test. */
    String client() {
        return "10.99." + number + ".2";
    }

    String client6() {
        return "fd99:" + number + "::2";
    }

    /** What clients see as /, as the test sees it. */
    Path root() {
        return Path.of("/mnt/server-" + number);
    }

    /** Begins to serve. */
    void start() {
        shell.run("rpc.nfsd --lease-time 10 --grace-time 10 4");
        serving = true;
    }

    /** Stops to serve: connections are closed, and new ones refused. Data and exports stay. */
    void stop() {
        shell.run("rpc.nfsd 0");
        serving = false;
    }

    /** Like the power going off and on: state is lost, except what nfsdcld knows. */
    void restart() {
        stop();
        start();
    }

    /** From now on nothing gets through to it, and nobody is told. */
    void unplug() {
        CLIENT.run("tc qdisc add dev c" + number + " root netem loss 100%");
        plugged = false;
    }

    void plug() {
        CLIENT.run("tc qdisc del dev c" + number + " root");
        // Who had just begun to look for it while it was unplugged would be told for some seconds yet that there is no
        // way.
        CLIENT.run("ip neigh flush dev c" + number);
        plugged = true;
    }

    /** Whatever a test did to it: it is plugged in and serves. */
    void wake() {
        if (!plugged) {
            plug();
        }
        if (!serving) {
            start();
        }
    }

    /** Makes the directory, if it is missing, and exports it to the test, for reading and writing, by root too. */
    Path export(String path) {
        return export(path, "rw,no_root_squash");
    }

    Path export(String path, String options) {
        return export(path, options, client(), '[' + client6() + ']');
    }

    /** Exports it to others; a client that is not among them is refused. */
    Path export(String path, String options, String... clients) {
        Path directory = root().resolve(path.substring(1));
        lastFsid++;
        StringBuilder command =
                new StringBuilder("exportfs -o insecure,no_subtree_check,fsid=" + lastFsid + ',' + options);
        for (String each : clients) {
            command.append(" '").append(each).append(':').append(path).append('\'');
        }
        shell.run("mkdir -p " + directory, command.toString());
        return directory;
    }

    /** Handles that clients hold become stale. The directory stays. */
    void unexport(String path) {
        shell.run(
                "exportfs -u '" + client() + ':' + path + "' || true",
                "exportfs -u '[" + client6() + "]:" + path + "' || true",
                "exportfs -f");
    }

    /** Everything of it goes away, also when something is still mounted from it. */
    @Override
    public void close() {
        if (!plugged) {
            plug();
        }
        stop();
        CLIENT.run("ip link del c" + number);
        holder.descendants().forEach(ProcessHandle::destroyForcibly);
        holder.destroyForcibly();
        holder.onExit().join();
    }
}
