package dev.mooring.api.container;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.container.ContainerAccess.Source;
import dev.mooring.api.status.Status;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * How several streams travel in one WebSocket: the first byte of each message names the channel. The later of the two versions lets a client say
 * that nothing more comes on a channel, which is how a process learns that its input has ended.
 */
enum ChannelProtocol {
    V5("v5.channel.k8s.io"),
    V4("v4.channel.k8s.io");

    static final int STDIN = 0;
    static final int STDOUT = 1;
    static final int STDERR = 2;

    /** How it ended: a Status, at the very end. */
    static final int ERROR = 3;

    static final int RESIZE = 4;

    /** Names a channel on which nothing more comes. */
    static final int CLOSE = 255;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final String text;

    ChannelProtocol(String text) {
        this.text = text;
    }

    /** The names, for a server to choose from. */
    static List<String> names() {
        return List.of(V5.text, V4.text);
    }

    /**
     * The first one a client names that is known here, as the handshake chooses too.
     *
     * @param offered the header as it came
     */
    static Optional<ChannelProtocol> choose(String offered) {
        for (String name : offered.split(",", -1)) {
            for (ChannelProtocol each : values()) {
                if (each.text.equals(name.trim())) {
                    return Optional.of(each);
                }
            }
        }
        return Optional.empty();
    }

    boolean hasClose() {
        return this == V5;
    }

    static int channel(Source source) {
        return source == Source.STDOUT ? STDOUT : STDERR;
    }

    static Buffer message(int channel, Buffer bytes) {
        return Buffer.buffer(bytes.length() + 1).appendByte((byte) channel).appendBuffer(bytes);
    }

    /** The last message: a process that has ended with this code. */
    static Buffer exited(int code) {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.putObject("metadata");
        if (code == 0) {
            status.put("status", "Success");
        } else {
            status.put("status", "Failure");
            status.put("message", "command terminated with non-zero exit code: exit status " + code);
            status.put("reason", "NonZeroExitCode");
            status.putObject("details")
                    .putArray("causes")
                    .addObject()
                    .put("reason", "ExitCode")
                    .put("message", Integer.toString(code));
        }
        return message(ERROR, Buffer.buffer(status.toString()));
    }

    /** The last message: it went wrong. */
    static Buffer failed(Status status) {
        return message(ERROR, Buffer.buffer(status.toJson()));
    }

    /** The size of a terminal. */
    record Size(int columns, int rows) {
        private static final int MAX = 0xffff;

        /** Nothing if it cannot be understood. */
        static Optional<Size> read(byte[] json) {
            try {
                JsonNode size = JSON.readTree(new String(json, StandardCharsets.UTF_8));
                int columns = size.path("Width").asInt(0);
                int rows = size.path("Height").asInt(0);
                boolean fits = columns > 0 && columns <= MAX && rows > 0 && rows <= MAX;
                return fits ? Optional.of(new Size(columns, rows)) : Optional.empty();
            } catch (JsonProcessingException e) {
                return Optional.empty();
            }
        }
    }
}
