package dev.mooring.volume.nfs;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.nfs.NameLookup.LookupException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Knocks at a server's doors before mount is sent there: a connection attempt tells within seconds, and in clear words, what mount takes
 * minutes to say unclearly. It only ever says no when mount would fail for certain. Any thread; blocks for at most twice its patience for
 * each door.
 */
final class PreFlight {
    static final String REFUSED = "ServerRefused";
    static final String UNREACHABLE = "ServerUnreachable";
    static final String UNKNOWN_HOST = "UnknownHost";
    static final Duration PATIENCE = Duration.ofSeconds(3);

    /** Where servers listen if nobody says otherwise. */
    record Ports(int nfs, int rpcbind) {
        static final Ports WELL_KNOWN = new Ports(2049, 111);
    }

    private final NameLookup names;
    private final Duration patience;
    private final Ports ports;

    PreFlight(NameLookup names, Duration patience, Ports ports) {
        this.names = names;
        this.patience = patience;
        this.ports = ports;
    }

    /** What came of knocking. */
    private record Knock(Result result, String words) {}

    private enum Result {
        OPEN,
        REFUSED,
        SILENT
    }

    /**
     * Returns if mounting is worth a try.
     *
     * @throws VolumeException with nothing left behind
     */
    void check(NfsVolume volume) throws VolumeException, InterruptedException {
        List<InetAddress> addresses = addresses(volume);
        if (!usesTcp(volume.options())) {
            return;
        }
        Optional<Integer> port = port(volume.options(), "port");
        boolean asksRpcbind = volume.version().filter("3"::equals).isPresent()
                && port(volume.options(), "mountport").isEmpty()
                && !NfsOptions.value(volume.options(), "mountproto")
                        .orElse("tcp")
                        .startsWith("udp");
        if (asksRpcbind) {
            Knock rpcbind = knock(addresses, ports.rpcbind());
            if (rpcbind.result() != Result.OPEN) {
                throw closed(
                        volume,
                        ports.rpcbind(),
                        rpcbind,
                        "NFS version 3 needs rpcbind there; start it on the server, or use version 4 (mount option"
                                + " vers=4)");
            }
        }
        Knock nfs = knock(addresses, port.orElse(ports.nfs()));
        // With version 3 it is rpcbind that knows the port.
        boolean mayBeElsewhere = asksRpcbind && port.isEmpty() && nfs.result() == Result.REFUSED;
        if (nfs.result() != Result.OPEN && !mayBeElsewhere) {
            throw closed(volume, port.orElse(ports.nfs()), nfs, advice(nfs.result()));
        }
    }

    private static String advice(Result result) {
        return result == Result.REFUSED
                ? "the machine is up, but no NFS server listens there; start it (`systemctl start nfs-server`), or"
                        + " correct nfs.server or the mount option port"
                : "the machine is down, or a firewall or the network between drops what is sent; see whether it is up"
                        + " and the port is open for this node";
    }

    private static VolumeException closed(NfsVolume volume, int port, Knock knock, String advice) {
        return knock.result() == Result.REFUSED
                ? VolumeException.clean(
                        REFUSED,
                        "server " + volume.server() + " refused the connection on port " + port + ": " + advice)
                : VolumeException.clean(
                        UNREACHABLE,
                        "server " + volume.server() + " cannot be reached on port " + port + " (" + knock.words()
                                + "): " + advice);
    }

    private List<InetAddress> addresses(NfsVolume volume) throws VolumeException, InterruptedException {
        try {
            List<InetAddress> all = names.lookUp(volume.server().text(), patience);
            String protocol = NfsOptions.value(volume.options(), "proto").orElse("");
            Class<? extends InetAddress> family = protocol.endsWith("6") ? Inet6Address.class : Inet4Address.class;
            List<InetAddress> usable = protocol.isEmpty()
                    ? all
                    : all.stream().filter(family::isInstance).toList();
            if (usable.isEmpty()) {
                throw VolumeException.clean(
                        UNKNOWN_HOST,
                        "server " + volume.server() + " has no address for the mount option proto=" + protocol
                                + ": leave the option out or name another server");
            }
            return usable;
        } catch (LookupException e) {
            throw VolumeException.clean(
                    UNKNOWN_HOST,
                    "server " + volume.server() + " is unknown: " + e.getMessage()
                            + "; correct nfs.server, or see whether this node's name service works (`getent hosts "
                            + volume.server() + "`)");
        }
    }

    private static boolean usesTcp(List<String> options) {
        String protocol = NfsOptions.value(options, "proto").orElse("tcp");
        return protocol.startsWith("tcp") && !options.contains("udp") && !options.contains("rdma");
    }

    private static Optional<Integer> port(List<String> options, String name) {
        // Zero stands for "ask rpcbind", as if nothing was said.
        return NfsOptions.value(options, name).map(Integer::parseInt).filter(each -> each > 0);
    }

    /** At each address in turn; one that opens is enough. A refusal tells more than silence. */
    private Knock knock(List<InetAddress> addresses, int port) {
        int each = (int) Math.max(1, patience.toMillis() / addresses.size());
        Knock answer = new Knock(Result.SILENT, "no address");
        for (InetAddress address : addresses) {
            Knock now = knock(new InetSocketAddress(address, port), each);
            if (now.result() == Result.OPEN) {
                return now;
            }
            if (answer.result() != Result.REFUSED) {
                answer = now;
            }
        }
        return answer;
    }

    private static Knock knock(InetSocketAddress door, int millis) {
        try (Socket socket = new Socket()) {
            socket.connect(door, millis);
            return new Knock(Result.OPEN, "");
        } catch (SocketTimeoutException e) {
            return new Knock(Result.SILENT, "no answer within " + millis + " ms");
        } catch (ConnectException e) {
            String words = String.valueOf(e.getMessage());
            boolean refused = words.toLowerCase(Locale.ROOT).contains("refused");
            return new Knock(refused ? Result.REFUSED : Result.SILENT, words);
        } catch (IOException e) {
            return new Knock(Result.SILENT, String.valueOf(e.getMessage()));
        }
    }
}
