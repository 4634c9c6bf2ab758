package dev.mooring.chaos.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What the server answered. Nobody changes the body. */
final class Reply {
    private final int code;
    private final Map<String, String> headers;
    private final byte[] body;

    /** @param headers by their names in lower case */
    Reply(int code, Map<String, String> headers, byte[] body) {
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
