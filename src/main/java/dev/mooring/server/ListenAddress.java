package dev.mooring.server;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Listen address of the server. Port 0 means any free port. IPv6 hosts have no brackets. */
public record ListenAddress(String host, int port) {
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([A-Za-z0-9._-]+)):(\\d{1,5})");
    private static final Set<String> ALL_INTERFACES = Set.of("0.0.0.0", "::");
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

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
