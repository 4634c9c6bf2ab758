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
 * A request as an {@code httpGet} asks for. Immutable.
 *
 * @param host what to say in the Host header, if not where it goes
 * @param headers all others
 */
record HttpGet(HttpTarget target, Optional<String> host, List<Header> headers) {
    private static final String VERSION = "1.35";
    /** What only the one who frames a message may say. */
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
     * @param purpose what it is for, as servers are told: probe or lifecycle
     */
    static HttpGet of(JsonNode httpGet, Checker.Target asked, String purpose) throws Ports.UnknownPortException {
        String host = httpGet.path("host").asText("");
        HttpTarget target = HttpTarget.of(
                httpGet.path("scheme").asText("").equalsIgnoreCase("HTTPS") ? "https" : "http",
                host.isEmpty() ? asked.podAddress() : host,
                Ports.number(httpGet.path("port"), asked.container()),
                httpGet.path("path").asText(""));
        List<Header> headers = new ArrayList<>();
        for (JsonNode each : httpGet.path("httpHeaders")) {
            headers.add(
                    new Header(each.path("name").asText(""), each.path("value").asText("")));
        }
        Optional<String> said = headers.stream()
                .filter(each -> each.is("Host") && !each.value().isEmpty())
                .map(Header::value)
                .findFirst();
        addUnlessSaid(headers, "User-Agent", "kube-" + purpose + '/' + VERSION);
        addUnlessSaid(headers, "Accept", "*/*");
        addUnlessSaid(headers, "Connection", "close");
        return new HttpGet(target, said, headers);
    }

    private static void addUnlessSaid(List<Header> headers, String name, String value) {
        if (headers.stream().noneMatch(each -> each.is(name))) {
            headers.add(new Header(name, value));
        }
        headers.removeIf(each -> each.is(name) && each.value().isEmpty());
    }

    /** The same, somewhere else on the same host. */
    HttpGet at(HttpTarget other) {
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
            throw new IOException("net/http: invalid header field name " + Words.quoted(header.name()));
        }
        if (header.value().chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7f)) {
            throw new IOException("net/http: invalid header field value for " + Words.quoted(header.name()));
        }
        text.append(header.name()).append(": ").append(header.value()).append("\r\n");
    }
}
