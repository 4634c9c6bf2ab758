package dev.mooring.chaos.fuzz;

import dev.mooring.chaos.fuzz.FuzzRequest.SendMode;
import dev.mooring.chaos.fuzz.FuzzRequest.Sender;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Generates invalid HTTP: broken request lines, headers and lengths, and random bytes. Stateless. */
final class RawGrammar {
    private static final String PATH = "/api/v1/namespaces/default/configmaps";
    private static final String HOST = "\r\nHost: 127.0.0.1";

    /** Complete heads: the server need not wait for more. */
    private static final List<String> HEADS = List.of(
            "GET",
            "GET /",
            "GET / HTTP",
            "GET / HTTP/9.9",
            "GET / HTTP/1.0",
            "GET / HTTP/2.0",
            "GET / FTP/1.1",
            "GET  " + PATH + "  HTTP/1.1" + HOST,
            " GET " + PATH + " HTTP/1.1" + HOST,
            "\r\n\r\nGET " + PATH + " HTTP/1.1" + HOST,
            "get " + PATH + " HTTP/1.1" + HOST,
            "G\u0000T " + PATH + " HTTP/1.1" + HOST,
            "\u00ff\u00fe / HTTP/1.1" + HOST,
            "GET " + PATH + "\u0000 HTTP/1.1" + HOST,
            "GET " + PATH + "?a b HTTP/1.1" + HOST,
            "GET \u00e9 HTTP/1.1" + HOST,
            "GET http://127.0.0.1" + PATH + " HTTP/1.1" + HOST,
            "GET http://evil.example.com/api HTTP/1.1" + HOST,
            "GET http:// HTTP/1.1" + HOST,
            "GET //api/v1/nodes HTTP/1.1" + HOST,
            "GET ://x HTTP/1.1" + HOST,
            "GET api/v1 HTTP/1.1" + HOST,
            "GET ?watch=1 HTTP/1.1" + HOST,
            "GET # HTTP/1.1" + HOST,
            "GET * HTTP/1.1" + HOST,
            "OPTIONS * HTTP/1.1" + HOST,
            "CONNECT 127.0.0.1:80 HTTP/1.1" + HOST,
            "CONNECT " + PATH + " HTTP/1.1" + HOST,
            "PRI * HTTP/2.0",
            "GET " + PATH + " HTTP/1.1",
            "GET " + PATH + " HTTP/1.1" + HOST + HOST,
            "GET " + PATH + " HTTP/1.1\r\nHost: 127.0.0.1:99999999999",
            "GET " + PATH + " HTTP/1.1\r\nHost: [::",
            "GET " + PATH + " HTTP/1.1\r\nHost:",
            "GET " + PATH + " HTTP/1.1" + HOST + "\r\nNo colon here",
            "GET " + PATH + " HTTP/1.1" + HOST + "\r\n: no name",
            "GET " + PATH + " HTTP/1.1" + HOST + "\r\nA B: c",
            "GET " + PATH + " HTTP/1.1" + HOST + "\r\nA: b\r\n folded",
            "GET " + PATH + " HTTP/1.1" + HOST + "\r\nA: \u0000\u0001",
            "GET " + PATH + " HTTP/1.1" + HOST + "\nAccept: */*",
            "GET " + PATH + " HTTP/1.1" + HOST + "\r\nAuthorization: Basic eA==\r\nAuthorization: Bearer x",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nContent-Length: x",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nContent-Length: -1",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nContent-Length: +0",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nContent-Length: 0\r\nContent-Length: 1",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nContent-Length: 0, 1",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nContent-Length: 99999999999999999999",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nContent-Length: 9223372036854775807",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nContent-Length: 4194304",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nTransfer-Encoding: chunked\r\nContent-Length: 3",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nTransfer-Encoding: gzip, chunked",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nTransfer-Encoding: xchunked",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            "POST " + PATH + " HTTP/1.1" + HOST + "\r\nExpect: 200-ok\r\nContent-Length: 0",
            "BREW " + PATH + " HTTP/1.1" + HOST,
            "GET " + PATH + " HTTP/1.1" + HOST + "\r\nUpgrade: websocket\r\nConnection: Upgrade",
            "GET " + PATH + "?watch=1 HTTP/1.1" + HOST
                    + "\r\n"
                    + "Upgrade: websocket\r\n"
                    + "Connection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: x",
            "GET " + PATH + "?watch=1 HTTP/1.1" + HOST
                    + "\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA");

    private static final List<String> BODIES = List.of(
            "",
            "0\r\n\r\n",
            "x\r\n\r\n",
            "ffffffffffffffff\r\n",
            "-1\r\n\r\n",
            "1\r\nab\r\n0\r\n\r\n",
            "1;" + "x".repeat(9000) + "\r\na\r\n0\r\n\r\n",
            "0\r\nBroken trailer\r\n\r\n",
            "{}GET / HTTP/1.1\r\n\r\n",
            "GET /version HTTP/1.1" + HOST + "\r\n\r\n");

    private RawGrammar() {}

    static FuzzRequest call(FuzzRandom dice, long number) {
        Sender sender = dice.percent(80) ? Sender.ADMIN : Sender.ANONYMOUS;
        return switch (dice.below(10)) {
            case 0 -> new FuzzRequest(number, Sender.ANONYMOUS, noise(dice), new byte[0], SendMode.UNFINISHED);
            case 1 -> new FuzzRequest(number, sender, large(dice), new byte[0], SendMode.BROKEN);
            case 2 ->
                new FuzzRequest(
                        number, sender, halfBody(dice), "{".getBytes(StandardCharsets.ISO_8859_1), SendMode.UNFINISHED);
            default -> {
                String head = dice.pick(HEADS);
                byte[] body = dice.pick(BODIES).getBytes(StandardCharsets.ISO_8859_1);
                // The server rightly waits if the head announces more than is sent.
                boolean waits = head.contains("Transfer-Encoding")
                        || head.contains("Content-Length")
                        || head.contains("Upgrade");
                yield new FuzzRequest(number, sender, head, body, waits ? SendMode.UNFINISHED : SendMode.BROKEN);
            }
        };
    }

    private static String noise(FuzzRandom dice) {
        StringBuilder noise = new StringBuilder();
        for (int i = dice.below(400); i > 0; i--) {
            noise.append((char) dice.below(256));
        }
        return noise.toString();
    }

    private static String large(FuzzRandom dice) {
        String head = "GET " + PATH;
        return switch (dice.below(4)) {
            case 0 -> head + "?x=" + "y".repeat(10_000 + dice.below(20_000)) + " HTTP/1.1" + HOST;
            case 1 -> head + " HTTP/1.1" + HOST + "\r\nX: " + "y".repeat(20_000 + dice.below(40_000));
            case 2 -> head + " HTTP/1.1" + HOST + "\r\nX: y".repeat(dice.below(9_000));
            default -> "GET /" + "a/".repeat(dice.below(9_000)) + " HTTP/1.1" + HOST;
        };
    }

    private static String halfBody(FuzzRandom dice) {
        return dice.pick("POST", "PUT", "PATCH", "DELETE") + " " + PATH + "/a HTTP/1.1" + HOST
                + "\r\nContent-Type: application/json\r\nContent-Length: " + (2 + dice.below(5_000_000));
    }
}
