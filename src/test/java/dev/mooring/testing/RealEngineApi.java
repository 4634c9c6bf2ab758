package dev.mooring.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Minimal client of an engine's API without Mooring's code or libraries; each request uses its own connection. Any
 * thread.
 */
public record RealEngineApi(Path socket) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A response. {@code body} is a missing node if it is not JSON. */
    public record EngineReply(int code, JsonNode body, String text) {}

    public EngineReply get(String path) {
        return send("GET", path, "");
    }

    public EngineReply post(String path, String body) {
        return send("POST", path, body);
    }

    public EngineReply delete(String path) {
        return send("DELETE", path, "");
    }

    /**
     * Returns all containers with a label, including exited ones; a label such as {@code name} or {@code name=value}.
     */
    public List<JsonNode> containers(String label) {
        String filters = JSON.createObjectNode()
                .set("label", JSON.createArrayNode().add(label))
                .toString();
        EngineReply reply = get("/containers/json?all=1&filters=" + URLEncoder.encode(filters, StandardCharsets.UTF_8));
        if (reply.code() != 200) {
            throw new IllegalStateException("Failed to list containers: " + reply.text());
        }
        List<JsonNode> found = new ArrayList<>();
        reply.body().forEach(found::add);
        return found;
    }

    private EngineReply send(String method, String path, String body) {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        // HTTP/1.0: the response is not chunked and ends with the connection.
        String head =
                method + ' ' + path + " HTTP/1.0\r\nHost: docker\r\nContent-Type: application/json\r\nContent-Length: "
                        + content.length + "\r\n\r\n";
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(content);
            ByteBuffer bytes = ByteBuffer.wrap(request.toByteArray());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            String response = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
            int end = response.indexOf("\r\n\r\n");
            if (end < 0) {
                throw new IOException("Invalid response to " + method + ' ' + path + ": " + response);
            }
            return reply(Integer.parseInt(response.substring(9, 12)), response.substring(end + 4));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static EngineReply reply(int code, String text) throws IOException {
        boolean structured = text.startsWith("{") || text.startsWith("[");
        return new EngineReply(code, structured ? JSON.readTree(text) : MissingNode.getInstance(), text);
    }
}
