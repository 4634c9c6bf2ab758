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

/** Asks an engine directly, with nothing of Mooring's or of a library in between: each question on a connection of its own. Any thread. */
public record RealEngineApi(Path socket) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What came back. {@code body} is missing if it is no JSON. */
    public record Reply(int code, JsonNode body, String text) {}

    public Reply get(String path) {
        return send("GET", path, "");
    }

    public Reply post(String path, String body) {
        return send("POST", path, body);
    }

    public Reply delete(String path) {
        return send("DELETE", path, "");
    }

    /** All containers with a label, ended ones too; a label such as {@code name} or {@code name=value}. */
    public List<JsonNode> containers(String label) {
        String filters = JSON.createObjectNode()
                .set("label", JSON.createArrayNode().add(label))
                .toString();
        Reply reply = get("/containers/json?all=1&filters=" + URLEncoder.encode(filters, StandardCharsets.UTF_8));
        if (reply.code() != 200) {
            throw new IllegalStateException("Expected a list of containers, but " + reply.text());
        }
        List<JsonNode> found = new ArrayList<>();
        reply.body().forEach(found::add);
        return found;
    }

    private Reply send(String method, String path, String body) {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        // 1.0: the answer is not cut in pieces, and its end is that of the connection.
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
            String answer = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
            int end = answer.indexOf("\r\n\r\n");
            if (end < 0) {
                throw new IOException("Expected an answer to " + method + ' ' + path + ", but " + answer);
            }
            return reply(Integer.parseInt(answer.substring(9, 12)), answer.substring(end + 4));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Reply reply(int code, String text) throws IOException {
        boolean structured = text.startsWith("{") || text.startsWith("[");
        return new Reply(code, structured ? JSON.readTree(text) : MissingNode.getInstance(), text);
    }
}
