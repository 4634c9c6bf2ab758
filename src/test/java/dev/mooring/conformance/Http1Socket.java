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

/** HTTP/1.1 client over TLS that sends arbitrary text and reads responses one by one. */
final class Http1Socket implements Closeable {
    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;
    private final String start;

    /** @param headers by their names in lower case */
    record Http1Response(int code, Map<String, String> headers, String body) {}

    private Http1Socket(SSLSocket socket, String start) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
        this.start = start;
    }

    static Http1Socket open(ApiUnderTest api) throws IOException {
        return open(api, "127.0.0.1");
    }

    static Http1Socket open(ApiUnderTest api, String address) throws IOException {
        SSLSocket socket = (SSLSocket) api.tls().getSocketFactory().createSocket(address, api.port());
        socket.setSoTimeout(90_000);
        return new Http1Socket(socket, "Host: localhost\r\nAuthorization: Bearer " + api.token() + "\r\n");
    }

    void send(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    /** Sends a request head with host and token. */
    void head(String requestLine, String... headers) throws IOException {
        StringBuilder head = new StringBuilder(requestLine + " HTTP/1.1\r\n" + start);
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        send(head + "\r\n");
    }

    Http1Response request(String requestLine, String... headers) throws IOException {
        head(requestLine, headers);
        return readResponse(requestLine.startsWith("HEAD"));
    }

    Http1Response readResponse() throws IOException {
        return readResponse(false);
    }

    private Http1Response readResponse(boolean bodyless) throws IOException {
        String status = line();
        if (status.isEmpty()) {
            throw new IOException("Server closed the connection before the response");
        }
        Map<String, String> headers = new TreeMap<>();
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).trim());
        }
        int code = Integer.parseInt(status.split(" ", 3)[1]);
        return new Http1Response(code, headers, bodyless ? "" : body(headers));
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

    /** Reads a line; "" at the end of the stream. */
    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** Reads until the server closes the connection and returns the number of bytes. */
    long drain() {
        long count = 0;
        byte[] buffer = new byte[64 * 1024];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                count += read;
            }
        } catch (IOException e) {
            return count; // reset, or closed without a TLS alert
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
