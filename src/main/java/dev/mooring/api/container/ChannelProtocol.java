package dev.mooring.api.container;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.container.ContainerAccess.OutputSource;
import dev.mooring.model.Json;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Multiplexes several streams in one WebSocket: the first byte of each message is the channel. In the newest version a
 * client can close a channel, which signals end of input to the process. In the versions with base64, for clients that
 * can only send text, the channel is a digit. Clients of the first version get the message of a failure instead of a
 * Status, and nothing about a success.
 */
enum ChannelProtocol {
    V5("v5.channel.k8s.io"),
    V4("v4.channel.k8s.io"),
    V4_BASE64("v4.base64.channel.k8s.io"),
    V1("channel.k8s.io"),
    V1_BASE64("base64.channel.k8s.io");

    static final int STDIN = 0;
    static final int STDOUT = 1;
    static final int STDERR = 2;

    /** Channel of the final Status. */
    static final int ERROR = 3;

    static final int RESIZE = 4;

    /** Channel of close messages, which name the channel to close. */
    static final int CLOSE = 255;

    private final String text;

    ChannelProtocol(String text) {
        this.text = text;
    }

    /** Returns the protocol names for negotiation. */
    static List<String> names() {
        return Arrays.stream(values()).map(each -> each.text).toList();
    }

    /**
     * Returns the first known protocol that the client offers, as the handshake does.
     *
     * @param offered raw header value
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

    static int channel(OutputSource source) {
        return source == OutputSource.STDOUT ? STDOUT : STDERR;
    }

    boolean isBase64() {
        return this == V4_BASE64 || this == V1_BASE64;
    }

    Future<Void> send(ServerWebSocket socket, int channel, Buffer bytes) {
        if (isBase64()) {
            return socket.writeTextMessage(channel + Base64.getEncoder().encodeToString(bytes.getBytes()));
        }
        return socket.writeBinaryMessage(
                Buffer.buffer(bytes.length() + 1).appendByte((byte) channel).appendBuffer(bytes));
    }

    /** Sends the last message for a process that exited with this code. */
    void sendExit(ServerWebSocket socket, int code) {
        boolean first = this == V1 || this == V1_BASE64;
        if (!first) {
            send(socket, ERROR, Buffer.buffer(exitStatus(code).toString()));
        } else if (code != 0) {
            send(socket, ERROR, Buffer.buffer(exitStatus(code).path("message").asText()));
        }
    }

    /** Sends the last message for a failure. */
    void sendFailure(ServerWebSocket socket, Status status) {
        boolean first = this == V1 || this == V1_BASE64;
        send(socket, ERROR, first ? Buffer.buffer(status.message()) : Buffer.buffer(status.toJson()));
    }

    private static ObjectNode exitStatus(int code) {
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
        return status;
    }

    /** The size of a terminal. */
    record TerminalSize(int columns, int rows) {
        private static final int MAX = 0xffff;

        /** Parses a size; empty if it is invalid. */
        static Optional<TerminalSize> parse(byte[] json) {
            try {
                JsonNode size = Json.MAPPER.readTree(new String(json, StandardCharsets.UTF_8));
                int columns = size.path("Width").asInt(0);
                int rows = size.path("Height").asInt(0);
                boolean fits = columns > 0 && columns <= MAX && rows > 0 && rows <= MAX;
                return fits ? Optional.of(new TerminalSize(columns, rows)) : Optional.empty();
            } catch (JsonProcessingException e) {
                return Optional.empty();
            }
        }
    }
}
