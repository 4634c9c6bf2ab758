package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A request built from an {@code httpGet} handler. Immutable.
 *
 * @param host the Host header, if it differs from the target
 * @param headers all other headers
 */
record HttpGet(HttpTarget target, Optional<String> host, List<Header> headers) {
    private static final String VERSION = "1.35";
    /** Headers that only the client itself may set. */
    private static final Set<String> FRAMING = Set.of("host", "content-length", "transfer-encoding", "trailer");

    record Header(String name, String value) {
        boolean is(String other) {
            return name.equalsIgnoreCase(other);
        }
    }

    HttpGet {
        headers = List.copyOf(headers);
    }

    /**
     * Creates a request.
     *
     * @param purpose the suffix of the User-Agent header: probe or lifecycle
     */
    static HttpGet of(JsonNode httpGet, Prober.Target probed, String purpose)
            throws ContainerPorts.UnknownPortException {
        String host = httpGet.path("host").asText("");
        HttpTarget target = HttpTarget.of(
                httpGet.path("scheme").asText("").equalsIgnoreCase("HTTPS") ? "https" : "http",
                host.isEmpty() ? probed.podAddress() : host,
                ContainerPorts.number(httpGet.path("port"), probed.container()),
                httpGet.path("path").asText(""));
        List<Header> headers = new ArrayList<>();
        for (JsonNode each : httpGet.path("httpHeaders")) {
            headers.add(
                    new Header(each.path("name").asText(""), each.path("value").asText("")));
        }
        Optional<String> hostHeader = headers.stream()
                .filter(each -> each.is("Host") && !each.value().isEmpty())
                .map(Header::value)
                .findFirst();
        addIfAbsent(headers, "User-Agent", "kube-" + purpose + '/' + VERSION);
        addIfAbsent(headers, "Accept", "*/*");
        addIfAbsent(headers, "Connection", "close");
        return new HttpGet(target, hostHeader, headers);
    }

    private static void addIfAbsent(List<Header> headers, String name, String value) {
        if (headers.stream().noneMatch(each -> each.is(name))) {
            headers.add(new Header(name, value));
        }
        headers.removeIf(each -> each.is(name) && each.value().isEmpty());
    }

    /** Returns the same request for another target on the same host. */
    HttpGet withTarget(HttpTarget other) {
        boolean sameServer = other.authority().equals(target.authority());
        return new HttpGet(other, sameServer ? host : Optional.empty(), headers);
    }

    byte[] bytes() throws IOException {
        StringBuilder text = new StringBuilder("GET ").append(target.path()).append(" HTTP/1.1\r\n");
        append(text, new Header("Host", host.orElseGet(target::authority)));
        for (Header header : headers) {
            if (!FRAMING.contains(header.name().toLowerCase(Locale.ROOT))) {
                append(text, header);
            }
        }
        return text.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void append(StringBuilder text, Header header) throws IOException {
        if (header.name().isEmpty() || header.name().chars().anyMatch(c -> c <= ' ' || c == ':' || c >= 0x7f)) {
            throw new IOException("net/http: invalid header field name " + ProbeMessages.quoted(header.name()));
        }
        if (header.value().chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7f)) {
            throw new IOException("net/http: invalid header field value for " + ProbeMessages.quoted(header.name()));
        }
        text.append(header.name()).append(": ").append(header.value()).append("\r\n");
    }
}
