package dev.mooring.chaos.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** An HTTP response. The body must not be modified. */
final class FuzzReply {
    private final int code;
    private final Map<String, String> headers;
    private final byte[] body;

    /** @param headers by their names in lower case */
    FuzzReply(int code, Map<String, String> headers, byte[] body) {
        this.code = code;
        this.headers = headers;
        this.body = body;
    }

    int code() {
        return code;
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    byte[] body() {
        return body;
    }

    String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    boolean closes() {
        return header("connection").equalsIgnoreCase("close");
    }

    @Override
    public String toString() {
        String text = text();
        return code + " " + headers + " " + (text.length() > 400 ? text.substring(0, 400) + " …" : text);
    }
}
