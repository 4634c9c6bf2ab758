package dev.mooring.api.container;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.container.ContainerAccess.OutputSource;
import dev.mooring.model.Json;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Multiplexes several streams in one WebSocket: the first byte of each message is the channel. In the newer version a
 * client can close a channel, which signals end of input to the process.
 */
enum ChannelProtocol {
    V5("v5.channel.k8s.io"),
    V4("v4.channel.k8s.io");

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
        return List.of(V5.text, V4.text);
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

    static Buffer message(int channel, Buffer bytes) {
        return Buffer.buffer(bytes.length() + 1).appendByte((byte) channel).appendBuffer(bytes);
    }

    /** Returns the last message for a process that exited with this code. */
    static Buffer exitMessage(int code) {
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

    /** Returns the last message for a failure. */
    static Buffer failureMessage(Status status) {
        return message(ERROR, Buffer.buffer(status.toJson()));
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
