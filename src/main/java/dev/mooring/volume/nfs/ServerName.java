package dev.mooring.volume.nfs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A validated name or address of an NFS server. It becomes an argument of mount and part of the mount source, so it
 * must not look like an option, a second server or a path. Immutable.
 *
 * @param text without the brackets of an IPv6 address
 */
record ServerName(String text) {
    private static final int MAX_LENGTH = 253;
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_.])?");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]+(%[A-Za-z0-9][A-Za-z0-9._-]{0,14})?");

    /** Parses a name; empty if it is invalid. */
    static Optional<ServerName> parse(String given) {
        boolean bracketed = given.startsWith("[") && given.endsWith("]");
        String bare = bracketed ? given.substring(1, given.length() - 1) : given;
        boolean right = bare.length() <= MAX_LENGTH
                && (bare.indexOf(':') >= 0
                        ? isIpv6(bare)
                        : !bracketed && HOST.matcher(bare).matches());
        return right ? Optional.of(new ServerName(bare)) : Optional.empty();
    }

    private static boolean isIpv6(String text) {
        if (!IPV6.matcher(text).matches()) {
            return false;
        }
        int zone = text.indexOf('%');
        try {
            // A text with a colon causes no DNS lookup.
            InetAddress.getByName(zone < 0 ? text : text.substring(0, zone));
            return true;
        } catch (UnknownHostException expected) {
            return false;
        }
    }

    /** Returns the server part of a mount source, with brackets around an IPv6 address. */
    String inSource() {
        return text.indexOf(':') >= 0 ? "[" + text + "]" : text;
    }

    @Override
    public String toString() {
        return text;
    }
}
