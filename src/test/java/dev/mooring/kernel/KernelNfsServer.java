package dev.mooring.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The NFS server of the kernel (versions 3 and 4.x) as a machine that can be stopped, unplugged and plugged in again.
 * Several can run at a time: each has its own network, mount and PID namespaces, held by a sleeping process, and a veth
 * pair to the test.
 *
 * <ul>
 *   <li>Paths of exports are relative to {@link #root}: {@code export("/data")} is the directory {@code root()/data},
 *       which the test may access without NFS, and {@code server:/data} for clients, in versions 3 and 4.
 *   <li>{@link #stop}: the machine is up, but nothing listens; connections are refused at once.
 *   <li>{@link #unplug}: every packet to the server is dropped ({@code tc … netem loss 100%} on the client's end of the
 *       veth pair). Nothing is refused or answered, and the neighbour stays known, so that the kernel waits as for a
 *       crashed machine. Removing the link or the address would cause "no route" at once, which is another failure.
 *   <li>nfsdcld tracks clients, as on a real server. So the first start has no grace period, and that after a restart
 *       ends when all clients have reclaimed their state, at the latest after ten seconds, the minimum of the kernel.
 *   <li>Client and server share a kernel and its memory: much unwritten data for an unplugged server could block both,
 *       so tests must write little.
 * </ul>
 *
 * One thread.
 */
final class KernelNfsServer implements AutoCloseable {
    private static final Shell CLIENT = Shell.local();

    private final int number;
    private final Process holder;
    private final Shell shell;
    private int lastFsid = 100;
    private boolean plugged = true;
    private boolean serving;

    private KernelNfsServer(int number, Process holder, Shell shell) {
        this.number = number;
        this.holder = holder;
        this.shell = shell;
    }

    /**
     * Starts a machine without the NFS server.
     *
     * @param number from 1 to 254, unique among the machines that run at the same time
     */
    static KernelNfsServer boot(int number) {
        CLIENT.run("mkdir -p /mnt/server-" + number);
        Process holder = startHolder();
        long pid = holder.children().findFirst().orElseThrow().pid();
        KernelNfsServer server = new KernelNfsServer(number, holder, Shell.inNamespacesOf(pid));
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
                // Exports are below a directory in memory, because the root of the machine may not be exportable.
                "printf '[exports]\\nrootdir=" + server.root() + "\\n' >/run/nfs.conf",
                "mount --bind /run/nfs.conf /etc/nfs.conf",
                "rpcbind -w",
                "nfsdcld",
                "rpc.mountd");
        return server;
    }

    /** Starts the process that holds the namespaces; returns when they exist. */
    private static Process startHolder() {
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
                throw new AssertionError("Cannot create the namespaces of a server: unshare ended");
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

    /** Returns the address of the test in the network of the server. */
    String client() {
        return "10.99." + number + ".2";
    }

    String client6() {
        return "fd99:" + number + "::2";
    }

    /** Returns the directory that clients see as /. */
    Path root() {
        return Path.of("/mnt/server-" + number);
    }

    /** Starts the NFS server. */
    void start() {
        shell.run("rpc.nfsd --lease-time 10 --grace-time 10 4");
        serving = true;
    }

    /** Stops the NFS server: connections are closed and new ones refused. Data and exports stay. */
    void stop() {
        shell.run("rpc.nfsd 0");
        serving = false;
    }

    /** Restarts the NFS server as after a power failure: state is lost, except that of nfsdcld. */
    void restart() {
        stop();
        start();
    }

    /** Drops all packets to the server from now on, without errors. */
    void unplug() {
        CLIENT.run("tc qdisc add dev c" + number + " root netem loss 100%");
        plugged = false;
    }

    void plug() {
        CLIENT.run("tc qdisc del dev c" + number + " root");
        // Without this, clients that tried to resolve the address meanwhile would get "no route" for some seconds.
        CLIENT.run("ip neigh flush dev c" + number);
        plugged = true;
    }

    /** Plugs in and starts the server, whatever a test did to it. */
    void restore() {
        if (!plugged) {
            plug();
        }
        if (!serving) {
            start();
        }
    }

    /** Creates the directory, if missing, and exports it to the test for reading and writing, also by root. */
    Path export(String path) {
        return export(path, "rw,no_root_squash");
    }

    Path export(String path, String options) {
        return export(path, options, client(), '[' + client6() + ']');
    }

    /** Exports the directory to the given clients only. */
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

    /** Removes an export: file handles of clients become stale. The directory stays. */
    void unexport(String path) {
        shell.run(
                "exportfs -u '" + client() + ':' + path + "' || true",
                "exportfs -u '[" + client6() + "]:" + path + "' || true",
                "exportfs -f");
    }

    /** Removes the machine, even if something is still mounted from it. */
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
