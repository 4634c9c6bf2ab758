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
 * Connects to a server's ports before mount is started. A connection attempt finds errors within seconds and with a
 * precise cause, where mount needs minutes. Fails only if mount would certainly fail. Thread-safe; blocks for at most
 * twice its timeout per port.
 */
final class ServerProbe {
    static final String REFUSED = "ServerRefused";
    static final String UNREACHABLE = "ServerUnreachable";
    static final String UNKNOWN_HOST = "UnknownHost";
    static final Duration TIMEOUT = Duration.ofSeconds(3);

    /** Default ports of a server. */
    record NfsPorts(int nfs, int rpcbind) {
        static final NfsPorts WELL_KNOWN = new NfsPorts(2049, 111);
    }

    private final NameLookup names;
    private final Duration timeout;
    private final NfsPorts ports;

    ServerProbe(NameLookup names, Duration timeout, NfsPorts ports) {
        this.names = names;
        this.timeout = timeout;
        this.ports = ports;
    }

    /** Result of a connection attempt. */
    private record ConnectResult(PortState state, String message) {}

    private enum PortState {
        OPEN,
        REFUSED,
        SILENT
    }

    /**
     * Returns if a mount may succeed.
     *
     * @throws VolumeException with a clean state
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
            ConnectResult rpcbind = connect(addresses, ports.rpcbind());
            if (rpcbind.state() != PortState.OPEN) {
                throw closed(
                        volume,
                        ports.rpcbind(),
                        rpcbind,
                        "NFS version 3 needs rpcbind there; start it on the server, or use version 4 (mount option"
                                + " vers=4)");
            }
        }
        ConnectResult nfs = connect(addresses, port.orElse(ports.nfs()));
        // NFS version 3 gets the port from rpcbind.
        boolean mayBeElsewhere = asksRpcbind && port.isEmpty() && nfs.state() == PortState.REFUSED;
        if (nfs.state() != PortState.OPEN && !mayBeElsewhere) {
            throw closed(volume, port.orElse(ports.nfs()), nfs, advice(nfs.state()));
        }
    }

    private static String advice(PortState result) {
        return result == PortState.REFUSED
                ? "the machine is up, but no NFS server listens there; start it (`systemctl start nfs-server`), or"
                        + " correct nfs.server or the mount option port"
                : "the machine is down, or a firewall or the network drops the packets; check that it is up and the"
                        + " port is open for this node";
    }

    private static VolumeException closed(NfsVolume volume, int port, ConnectResult connectResult, String advice) {
        return connectResult.state() == PortState.REFUSED
                ? VolumeException.clean(
                        REFUSED,
                        "server " + volume.server() + " refused the connection on port " + port + ": " + advice)
                : VolumeException.clean(
                        UNREACHABLE,
                        "server " + volume.server() + " cannot be reached on port " + port + " ("
                                + connectResult.message() + "): " + advice);
    }

    private List<InetAddress> addresses(NfsVolume volume) throws VolumeException, InterruptedException {
        try {
            List<InetAddress> all = names.lookUp(volume.server().text(), timeout);
            String protocol = NfsOptions.value(volume.options(), "proto").orElse("");
            Class<? extends InetAddress> family = protocol.endsWith("6") ? Inet6Address.class : Inet4Address.class;
            List<InetAddress> usable = protocol.isEmpty()
                    ? all
                    : all.stream().filter(family::isInstance).toList();
            if (usable.isEmpty()) {
                throw VolumeException.clean(
                        UNKNOWN_HOST,
                        "server " + volume.server() + " has no address for the mount option proto=" + protocol
                                + ": omit the option or use another server");
            }
            return usable;
        } catch (LookupException e) {
            throw VolumeException.clean(
                    UNKNOWN_HOST,
                    "server " + volume.server() + " is unknown: " + e.getMessage()
                            + "; correct nfs.server, or check whether this node's name service works (`getent hosts "
                            + volume.server() + "`)");
        }
    }

    private static boolean usesTcp(List<String> options) {
        String protocol = NfsOptions.value(options, "proto").orElse("tcp");
        return protocol.startsWith("tcp") && !options.contains("udp") && !options.contains("rdma");
    }

    private static Optional<Integer> port(List<String> options, String name) {
        // Port 0 means that rpcbind is asked, as if no port was given.
        return NfsOptions.value(options, name).map(Integer::parseInt).filter(each -> each > 0);
    }

    /** Tries each address in turn until one accepts the connection. A refusal takes precedence over a timeout. */
    private ConnectResult connect(List<InetAddress> addresses, int port) {
        int each = (int) Math.max(1, timeout.toMillis() / addresses.size());
        ConnectResult answer = new ConnectResult(PortState.SILENT, "no address");
        for (InetAddress address : addresses) {
            ConnectResult now = connect(new InetSocketAddress(address, port), each);
            if (now.state() == PortState.OPEN) {
                return now;
            }
            if (answer.state() != PortState.REFUSED) {
                answer = now;
            }
        }
        return answer;
    }

    private static ConnectResult connect(InetSocketAddress socketAddress, int millis) {
        try (Socket socket = new Socket()) {
            socket.connect(socketAddress, millis);
            return new ConnectResult(PortState.OPEN, "");
        } catch (SocketTimeoutException e) {
            return new ConnectResult(PortState.SILENT, "no response within " + millis + " ms");
        } catch (ConnectException e) {
            String message = String.valueOf(e.getMessage());
            boolean refused = message.toLowerCase(Locale.ROOT).contains("refused");
            return new ConnectResult(refused ? PortState.REFUSED : PortState.SILENT, message);
        } catch (IOException e) {
            return new ConnectResult(PortState.SILENT, String.valueOf(e.getMessage()));
        }
    }
}
