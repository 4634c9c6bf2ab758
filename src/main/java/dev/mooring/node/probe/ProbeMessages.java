package dev.mooring.node.probe;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;

/** Formats probe messages like the kubelet and its libraries, so that known search terms match. */
final class ProbeMessages {
    private ProbeMessages() {}

    /** Returns the text in double quotes, with non-printable characters escaped. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(each -> {
            switch (each) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (each < ' ' || each == 0x7f) {
                        quoted.append(String.format(Locale.ROOT, "\\x%02x", each));
                    } else {
                        quoted.appendCodePoint(each);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }

    /** Formats a duration like Go, such as 1m30s. */
    static String duration(Duration time) {
        StringBuilder text = new StringBuilder();
        if (time.toHours() > 0) {
            text.append(time.toHours()).append('h');
        }
        if (time.toMinutes() > 0) {
            text.append(time.toMinutesPart()).append('m');
        }
        text.append(time.toSecondsPart());
        if (time.toMillisPart() > 0) {
            text.append(String.format(Locale.ROOT, ".%03d", time.toMillisPart()));
        }
        return text.append('s').toString();
    }

    static String dial(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return "dial tcp " + (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + address.getPort() + ": ";
    }

    /**
     * Describes why an established connection failed. Omits addresses: a new port in each message would create a new
     * Event each time.
     */
    static String connectionError(Throwable failure) {
        Throwable cause = cause(failure);
        String text = String.valueOf(cause.getMessage());
        if (cause instanceof SSLException) {
            return "tls: " + text;
        }
        return switch (text) {
            case "Connection reset", "Connection reset by peer" -> "read: connection reset by peer";
            case "Broken pipe" -> "write: broken pipe";
            default -> text;
        };
    }

    static String connectError(Throwable failure) {
        return "connect: " + String.valueOf(cause(failure).getMessage()).toLowerCase(Locale.ROOT);
    }

    static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
