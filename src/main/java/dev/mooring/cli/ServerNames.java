package dev.mooring.cli;

import dev.mooring.cli.config.ListenAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The names and addresses under which clients may reach a server. */
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

    private static Set<String> interfaceAddresses() {
        Set<String> addresses = new LinkedHashSet<>();
        try {
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    // Link-local IPv6 needs a scope to be reached, which no certificate can carry.
                    .filter(address -> !(address instanceof Inet6Address && address.isLinkLocalAddress()))
                    .map(InetAddress::getHostAddress)
                    .map(address -> address.replaceFirst("%.*", ""))
                    .forEach(addresses::add);
        } catch (SocketException e) {
            throw new MooringException(
                    ExitCode.FAILED,
                    "Expected to list this machine's addresses for the certificate, but: " + e.getMessage()
                            + "; next: listen on one address instead of all",
                    e);
        }
        return addresses;
    }
}
