package dev.mooring.node.probe;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * One call of {@code grpc.health.v1.Health/Check} over HTTP/2 without TLS. Implements only the part of HTTP/2 that one
 * call with a tiny response needs: it sends no indexed headers, so it needs no header table, and reads only the message
 * of the response. Used once.
 */
final class GrpcHealth {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int PADDED = 8;
    private static final int FRAME_HEADER = 9;
    private static final int MESSAGE_HEADER = 5;
    /** The largest frame that a server may send without negotiation. */
    private static final int MAX_FRAME = 16 * 1024;

    private static final List<String> STATUSES = List.of("UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN");

    private final String authority;
    private final String service;
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private ByteBuffer incoming = ByteBuffer.allocate(0);
    private volatile boolean connected;

    GrpcHealth(String authority, String service) {
        this.authority = authority;
        this.service = service;
    }

    CompletableFuture<Prober.ProbeResult> check(NetworkDialer.AsyncConnection connection) {
        return connection.write(request()).thenCompose(done -> listen(connection));
    }

    Prober.ProbeResult timedOut(Duration timeout) {
        return Prober.ProbeResult.failure(
                connected
                        ? "timeout: health rpc did not complete within " + ProbeMessages.duration(timeout)
                        : "timeout: failed to connect service " + ProbeMessages.quoted(authority) + " within "
                                + ProbeMessages.duration(timeout) + ": context deadline exceeded");
    }

    Prober.ProbeResult failed(Throwable failure) {
        return Prober.ProbeResult.failure(
                connected
                        ? "error: health rpc probe failed: " + ProbeMessages.connectionError(failure)
                        : "error: failed to connect service at " + ProbeMessages.quoted(authority) + ": "
                                + ProbeMessages.connectionError(failure));
    }

    private byte[] request() {
        try {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(all);
            out.write(PREFACE);
            frame(out, SETTINGS, 0, 0, new byte[0]);
            frame(out, HEADERS, END_HEADERS, 1, headers());
            frame(out, DATA, END_STREAM, 1, body());
            return all.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to write to memory", e);
        }
    }

    private byte[] headers() {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        List.of(
                        Map.entry(":method", "POST"),
                        Map.entry(":scheme", "http"),
                        Map.entry(":path", "/grpc.health.v1.Health/Check"),
                        Map.entry(":authority", authority),
                        Map.entry("content-type", "application/grpc"),
                        Map.entry("te", "trailers"),
                        Map.entry("user-agent", "kube-probe/1.35"))
                .forEach(each -> {
                    block.write(0);
                    text(block, each.getKey());
                    text(block, each.getValue());
                });
        return block.toByteArray();
    }

    /** Writes an HPACK string: a 7-bit prefix length and the bytes. */
    private static void text(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length < 127) {
            block.write(bytes.length);
        } else {
            block.write(127);
            varint(block, bytes.length - 127);
        }
        block.writeBytes(bytes);
    }

    private byte[] body() throws IOException {
        ByteArrayOutputStream check = new ByteArrayOutputStream();
        byte[] name = service.getBytes(StandardCharsets.UTF_8);
        if (name.length > 0) {
            check.write(0x0a); // field 1, a string
            varint(check, name.length);
            check.writeBytes(name);
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(body);
        out.writeByte(0); // not compressed
        out.writeInt(check.size());
        check.writeTo(out);
        return body.toByteArray();
    }

    private static void varint(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest >= 0x80) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] payload)
            throws IOException {
        out.writeByte(payload.length >>> 16);
        out.writeShort(payload.length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(payload);
    }

    private CompletableFuture<Prober.ProbeResult> listen(NetworkDialer.AsyncConnection connection) {
        return connection.read().thenCompose(bytes -> {
            if (bytes.length == 0) {
                return CompletableFuture.failedFuture(new EOFException("EOF"));
            }
            incoming = ByteBuffer.allocate(incoming.remaining() + bytes.length)
                    .put(incoming)
                    .put(bytes)
                    .flip();
            return frames(connection);
        });
    }

    private CompletableFuture<Prober.ProbeResult> frames(NetworkDialer.AsyncConnection connection) {
        while (incoming.remaining() >= FRAME_HEADER) {
            int at = incoming.position();
            int length = ((incoming.get(at) & 0xff) << 16) | (incoming.getShort(at + 1) & 0xffff);
            if (length > MAX_FRAME) {
                return CompletableFuture.failedFuture(new IOException("http2: frame too large"));
            }
            if (incoming.remaining() < FRAME_HEADER + length) {
                break;
            }
            Frame frame =
                    new Frame(incoming.get(at + 3), incoming.get(at + 4), incoming.getInt(at + 5), new byte[length]);
            incoming.position(at + FRAME_HEADER).get(frame.payload);
            connected = true;
            if ((frame.type == SETTINGS || frame.type == PING) && !frame.has(ACK)) {
                return connection.write(acknowledged(frame)).thenCompose(done -> frames(connection));
            }
            if (frame.type == GOAWAY || (frame.type == RST_STREAM && frame.stream == 1)) {
                return CompletableFuture.failedFuture(new IOException("the server refused the call"));
            }
            if (frame.stream == 1 && frame.type == DATA) {
                message.writeBytes(frame.data());
            }
            if (frame.stream == 1 && (isWhole() || frame.ends())) {
                return CompletableFuture.completedFuture(evaluate());
            }
        }
        return listen(connection);
    }

    private static byte[] acknowledged(Frame frame) {
        try {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            frame(new DataOutputStream(all), frame.type, ACK, 0, frame.type == PING ? frame.payload : new byte[0]);
            return all.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to write to memory", e);
        }
    }

    private boolean isWhole() {
        byte[] bytes = message.toByteArray();
        return bytes.length >= MESSAGE_HEADER
                && bytes.length - MESSAGE_HEADER >= ByteBuffer.wrap(bytes, 1, 4).getInt();
    }

    private Prober.ProbeResult evaluate() {
        if (!isWhole()) {
            return Prober.ProbeResult.failure(
                    "error: health rpc probe failed: the server ended the call without a health status; "
                            + "it may not implement grpc.health.v1.Health, or not know the service "
                            + ProbeMessages.quoted(service));
        }
        byte[] bytes = message.toByteArray();
        // Field 1 is the status; a message without it means 0.
        int status = bytes.length > MESSAGE_HEADER + 1 && bytes[MESSAGE_HEADER] == 0x08 ? bytes[MESSAGE_HEADER + 1] : 0;
        String name = status >= 0 && status < STATUSES.size() ? STATUSES.get(status) : Integer.toString(status);
        return name.equals("SERVING")
                ? Prober.ProbeResult.success()
                : Prober.ProbeResult.failure("service unhealthy (responded with " + ProbeMessages.quoted(name) + ")");
    }

    /** HTTP/2 frames. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Frame(int type, int flags, int stream, byte[] payload) {
        boolean has(int flag) {
            return (flags & flag) != 0;
        }

        boolean ends() {
            return (type == DATA || type == HEADERS) && has(END_STREAM);
        }

        byte[] data() {
            int padding = has(PADDED) && payload.length > 0 ? payload[0] & 0xff : 0;
            int from = has(PADDED) ? 1 : 0;
            return Arrays.copyOfRange(payload, from, Math.max(from, payload.length - padding));
        }
    }
}
