package dev.mooring.server;

import dev.mooring.model.ServiceRange;
import dev.mooring.node.status.LinuxMachine;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Listen address of the server. Port 0 means any free port. IPv6 hosts have no brackets. */
public record ListenAddress(String host, int port) {
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([A-Za-z0-9._-]+)):(\\d{1,5})");
    private static final Set<String> ALL_INTERFACES = Set.of("0.0.0.0", "::");

    /** Names of the API for Pods. */
    private static final List<String> SERVICE_NAMES = List.of(
            "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local");

    private static final int MAX_PORT = 65_535;

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if the text is not HOST:PORT
     */
    static ListenAddress parse(String text) {
        Matcher form = FORM.matcher(text.trim());
        if (!form.matches() || Integer.parseInt(form.group(3)) > MAX_PORT) {
            throw new IllegalArgumentException("not HOST:PORT: " + text);
        }
        return new ListenAddress(
                form.group(1) == null ? form.group(2) : form.group(1), Integer.parseInt(form.group(3)));
    }

    /** Returns whether this is a wildcard address, to which no client can connect. */
    public boolean coversAllInterfaces() {
        return ALL_INTERFACES.contains(host);
    }

    /** Returns whether only this machine can connect. */
    public boolean isLoopback() {
        return host.startsWith("127.") || host.equals("::1") || host.equals("localhost");
    }

    /** Returns the names and addresses under which clients can reach a server that listens here. */
    Set<String> clientNames(String hostName, Optional<ServiceRange> services) {
        Set<String> names = new LinkedHashSet<>(List.of("localhost", "127.0.0.1", "::1", hostName));
        services.ifPresent(range -> {
            names.addAll(SERVICE_NAMES);
            names.add(range.api());
        });
        if (coversAllInterfaces()) {
            names.addAll(interfaceAddresses());
        } else {
            names.add(host);
        }
        return names;
    }

    /**
     * Returns an IP address on which the server can be reached, from other machines and from Pods if it listens for
     * them.
     */
    String reachableAddress(Path data) throws IOException {
        return coversAllInterfaces()
                ? new LinuxMachine(data, Map.of()).read().identity().address().orElse("127.0.0.1")
                : InetAddress.getByName(host).getHostAddress();
    }

    private static Set<String> interfaceAddresses() {
        Set<String> addresses = new LinkedHashSet<>();
        try {
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    // Link-local IPv6 addresses need a scope, which a certificate cannot contain.
                    .filter(address -> !(address instanceof Inet6Address && address.isLinkLocalAddress()))
                    .map(InetAddress::getHostAddress)
                    .map(address -> address.replaceFirst("%.*", ""))
                    .forEach(addresses::add);
        } catch (SocketException e) {
            throw new MooringException(
                    ExitCode.FAILED,
                    "Cannot list this machine's addresses for the certificate: " + e.getMessage()
                            + "; next: listen on one address instead of all",
                    e);
        }
        return addresses;
    }

    /** Returns a failure that explains why the server cannot listen, or the cause itself if it is of another kind. */
    Throwable explain(Throwable cause) {
        if (cause instanceof BindException) {
            return new MooringException(
                    ExitCode.FAILED,
                    "Cannot listen on " + this + ": " + cause.getMessage() + "; next: "
                            + next(String.valueOf(cause.getMessage())),
                    cause);
        }
        if (cause instanceof UnknownHostException) {
            return new MooringException(
                    ExitCode.FAILED,
                    "Cannot listen on " + this + ": no such host; next: correct --listen HOST:PORT",
                    cause);
        }
        return cause;
    }

    private String next(String reason) {
        if (reason.contains("Permission denied")) {
            return "choose a port from 1024 up with --listen HOST:PORT, or run mooring as root: other users need"
                    + " CAP_NET_BIND_SERVICE for ports below 1024";
        }
        if (reason.contains("Cannot assign requested address")) {
            return "choose an address of this machine with --listen HOST:PORT (`ip -br address` lists them)";
        }
        return "see which process listens there with: ss -ltnp 'sport = :" + port
                + "', or choose another address with --listen HOST:PORT";
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
