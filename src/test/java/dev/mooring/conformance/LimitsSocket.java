package dev.mooring.conformance;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;

/** HTTP/1.1 by hand over TLS: sends whatever it is told to, and reads answers one by one. */
final class LimitsSocket implements Closeable {
    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;
    private final String start;

    /** @param headers by their names in lower case */
    record Answer(int code, Map<String, String> headers, String body) {}

    private LimitsSocket(SSLSocket socket, String start) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
        this.start = start;
    }

    static LimitsSocket open(ApiUnderTest api) throws IOException {
        SSLSocket socket = (SSLSocket) api.tls().getSocketFactory().createSocket("127.0.0.1", api.port());
        socket.setSoTimeout(30_000);
        return new LimitsSocket(socket, "Host: 127.0.0.1\r\nAuthorization: Bearer " + api.token() + "\r\n");
    }

    void send(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /** Sends a head with host and token. */
    void head(String requestLine, String... headers) throws IOException {
        StringBuilder head = new StringBuilder(requestLine + " HTTP/1.1\r\n" + start);
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        send(head + "\r\n");
    }

    Answer ask(String requestLine, String... headers) throws IOException {
        head(requestLine, headers);
        return answer(requestLine.startsWith("HEAD"));
    }

    Answer answer() throws IOException {
        return answer(false);
    }

    private Answer answer(boolean bodyless) throws IOException {
        String status = line();
        if (status.isEmpty()) {
            throw new IOException("Expected an answer, but the server closed");
        }
        Map<String, String> headers = new TreeMap<>();
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).trim());
        }
        int code = Integer.parseInt(status.split(" ", 3)[1]);
        return new Answer(code, headers, bodyless ? "" : body(headers));
    }

    private String body(Map<String, String> headers) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if ("chunked".equals(headers.get("transfer-encoding"))) {
            for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
                body.write(in.readNBytes(size));
                line();
            }
            line();
        } else {
            body.write(in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0"))));
        }
        return body.toString(StandardCharsets.UTF_8);
    }

    /** Up to the end of line; "" at the end. */
    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** How much comes until the server closes. */
    long drain() {
        long count = 0;
        byte[] buffer = new byte[64 * 1024];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                count += read;
            }
        } catch (IOException e) {
            return count; // closed without ceremony
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
