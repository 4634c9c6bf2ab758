package dev.mooring.node.probe;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * The target of a GET request. Immutable.
 *
 * @param scheme http or https
 * @param host without brackets
 * @param path with the query, escaped
 */
record HttpTarget(String scheme, String host, int port, String path) {
    private static final String NOT_SENT_AS_IS = "\"<>\\^`{|}";

    /** Creates a target. Adds a missing leading slash and escapes invalid characters of the path. */
    static HttpTarget of(String scheme, String host, int port, String path) {
        int fragment = path.indexOf('#');
        String wanted = fragment < 0 ? path : path.substring(0, fragment);
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        return new HttpTarget(scheme, bare, port, escaped(wanted.startsWith("/") ? wanted : '/' + wanted));
    }

    boolean isSecure() {
        return scheme.equals("https");
    }

    /** Returns the value of the Host header. */
    String authority() {
        return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + port;
    }

    /** Resolves a Location header against this target; empty if it is invalid. */
    Optional<HttpTarget> resolve(String location) {
        try {
            URI to = new URI(scheme + "://" + authority() + path).resolve(new URI(escaped(location)));
            String toScheme = String.valueOf(to.getScheme()).toLowerCase(Locale.ROOT);
            if (to.getHost() == null || !(toScheme.equals("http") || toScheme.equals("https"))) {
                return Optional.empty();
            }
            int usual = toScheme.equals("https") ? 443 : 80;
            String query = to.getRawQuery() == null ? "" : '?' + to.getRawQuery();
            return Optional.of(
                    of(toScheme, to.getHost(), to.getPort() < 0 ? usual : to.getPort(), to.getRawPath() + query));
        } catch (URISyntaxException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String escaped(String path) {
        StringBuilder text = new StringBuilder();
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            char each = (char) (bytes[i] & 0xff);
            boolean unescapedPercent = each == '%' && !(isHex(bytes, i + 1) && isHex(bytes, i + 2));
            if (each <= ' ' || each >= 0x7f || unescapedPercent || NOT_SENT_AS_IS.indexOf(each) >= 0) {
                text.append('%').append(HexFormat.of().withUpperCase().toHexDigits((byte) each));
            } else {
                text.append(each);
            }
        }
        return text.toString();
    }

    private static boolean isHex(byte[] bytes, int at) {
        return at < bytes.length && HexFormat.isHexDigit(bytes[at]);
    }

    @Override
    public String toString() {
        return scheme + "://" + authority() + path;
    }
}
