package dev.mooring.chaos.fuzz;

import dev.mooring.chaos.fuzz.FuzzRequest.SendMode;
import dev.mooring.chaos.fuzz.FuzzRequest.Sender;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Builder of a request: method, target, headers, body, and their encoding. For one thread. */
final class RequestDraft {
    private static final List<String> ACCEPTS = List.of(
            "application/json",
            "application/yaml",
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
            "application/vnd.kubernetes.protobuf,application/json",
            "application/vnd.kubernetes.protobuf",
            "*/*",
            "application/*;q=0.1, */*;q=0");

    private static final List<String> ODD_ACCEPTS = List.of(
            "",
            ",",
            ";",
            "text/html",
            "application/json;as=Table;v=v9;g=meta.k8s.io",
            "application/json;as=;v=;g=",
            "application/json;q=NaN",
            "application/json;q=1e999",
            "application/json;;;=;",
            "application/json;as=\"Table\"",
            "a/b/c",
            "*/json",
            "\u00e9/\u00ff",
            "application/json,".repeat(300));

    private static final List<String> ODD_HEADERS = List.of(
            "Origin: http://evil.example.com",
            "Origin: http://127.0.0.1",
            "Origin: null",
            "Origin: ://%",
            "Impersonate-User: system:admin",
            "Impersonate-Group: system:masters",
            "X-HTTP-Method-Override: DELETE",
            "X-Forwarded-For: 127.0.0.1",
            "X-Remote-User: admin",
            "Cookie: " + "a=b; ".repeat(500),
            "If-None-Match: *",
            "If-Match: \"x\"",
            "Range: bytes=0-1",
            "Content-Encoding: gzip",
            "Accept-Encoding: gzip, br;q=NaN",
            "Upgrade: h2c",
            "Upgrade: websocket",
            "Upgrade: SPDY/3.1",
            "Connection: Upgrade",
            "TE: trailers",
            "X-Request-Id: \u0080\u00ff",
            "X-Request-Id: " + "i".repeat(500),
            "Kubectl-Command: kubectl apply",
            "Kubectl-Session: x",
            "User-Agent:",
            "User-Agent: /",
            "User-Agent: \u00e9\u00e8 (x)",
            "User-Agent: " + "u".repeat(2000),
            "X-Stream-Protocol-Version: v9.channel.k8s.io",
            "Sec-WebSocket-Protocol: v5.channel.k8s.io,base64.channel.k8s.io",
            "Sec-WebSocket-Version: 99",
            "Sec-WebSocket-Key: x");

    final FuzzRandom random;
    private final long number;
    private final List<String> headers = new ArrayList<>();
    private String method = "GET";
    private String target = "/";
    private Sender sender = Sender.ADMIN;
    private byte[] body = {};
    private SendMode sendMode = SendMode.ANSWER;

    RequestDraft(FuzzRandom random, long number) {
        this.random = random;
        this.number = number;
    }

    RequestDraft request(String newMethod, String newTarget) {
        method = newMethod;
        target = newTarget;
        return this;
    }

    RequestDraft body(String contentType, byte[] newBody) {
        body = newBody;
        headers.add("Content-Type: " + contentType);
        return this;
    }

    RequestDraft body(String contentType, String text) {
        return body(contentType, text.getBytes(StandardCharsets.UTF_8));
    }

    RequestDraft header(String line) {
        headers.add(line);
        return this;
    }

    RequestDraft as(Sender newSender) {
        sender = newSender;
        return this;
    }

    RequestDraft streaming() {
        sendMode = SendMode.STREAM;
        return this;
    }

    /** Adds an Accept header to some requests. */
    RequestDraft accept() {
        if (random.percent(45)) {
            headers.add("Accept: " + (random.oneIn(25) ? random.pick(ODD_ACCEPTS) : random.pick(ACCEPTS)));
        }
        return this;
    }

    RequestDraft oddHeaders() {
        for (int i = 1 + random.below(3); i > 0; i--) {
            headers.add(random.pick(ODD_HEADERS));
        }
        return this;
    }

    FuzzRequest done() {
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: "
                + (random.oneIn(500)
                        ? random.pick("", "evil.example.com", "127.0.0.1:1", "[::1", "a b")
                        : "127.0.0.1"));
        headers.forEach(each -> head.append("\r\n").append(each));
        byte[] sent = body;
        if (body.length > 0 && random.oneIn(40)) {
            head.append("\r\nTransfer-Encoding: chunked");
            sent = chunked();
        } else if (body.length > 0 || !method.equals("GET")) {
            head.append("\r\nContent-Length: ").append(body.length);
            if (random.oneIn(200)) {
                head.append("\r\nExpect: 100-continue");
            }
        }
        // Any request that contains "watch" may start one.
        boolean watches = method.equals("GET") && target.contains("watch");
        return new FuzzRequest(number, sender, head.toString(), sent, watches ? SendMode.STREAM : sendMode);
    }

    private byte[] chunked() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < body.length; ) {
            int size = Math.min(body.length - at, 1 + random.below(2000));
            out.writeBytes((Integer.toHexString(size) + random.pick("", ";a=b", ";a") + "\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            out.write(body, at, size);
            out.writeBytes(new byte[] {'\r', '\n'});
            at += size;
        }
        out.writeBytes(
                ("0\r\n" + random.pick("", "", "X-Trailer: x\r\n") + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        return out.toByteArray();
    }
}
