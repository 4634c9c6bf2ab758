package dev.mooring.server;

import dev.mooring.node.status.LinuxMachine;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Names and addresses under which clients can reach a server. */
final class ServerNames {
    private ServerNames() {}

    static Set<String> of(ListenAddress listen, String hostName) {
        Set<String> names = new LinkedHashSet<>(List.of("localhost", "127.0.0.1", "::1", hostName));
        if (listen.coversAllInterfaces()) {
            names.addAll(interfaceAddresses());
        } else {
            names.add(listen.host());
        }
        return names;
    }

    /**
     * Returns an IP address on which a server can be reached, from other machines and from Pods if it listens for them.
     */
    static String address(Settings settings) throws IOException {
        ListenAddress listen = settings.listen();
        return listen.coversAllInterfaces()
                ? new LinuxMachine(settings.data(), Map.of())
                        .read()
                        .identity()
                        .address()
                        .orElse("127.0.0.1")
                : InetAddress.getByName(listen.host()).getHostAddress();
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
}
