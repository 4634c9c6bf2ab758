package dev.mooring.api.tls;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;

/** Normalizes host names and addresses for comparison. Never uses the network. */
public final class HostNames {
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    private HostNames() {}

    /**
     * Returns the name in lower case, without brackets, with IPv6 expanded: {@code [::1]} becomes
     * {@code 0:0:0:0:0:0:0:1}.
     */
    public static String normalize(String host) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        if (bare.indexOf(':') < 0) {
            return bare.toLowerCase(Locale.ROOT);
        }
        try {
            return InetAddress.getByName(bare).getHostAddress(); // a name with a colon is a literal: no lookup
        } catch (UnknownHostException e) {
            return bare.toLowerCase(Locale.ROOT); // not an address; it will equal nothing
        }
    }

    static boolean isAddress(String host) {
        return host.indexOf(':') >= 0 || IPV4.matcher(host).matches();
    }
}
