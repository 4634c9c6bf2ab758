package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.container.ChannelProtocol.TerminalSize;
import dev.mooring.api.container.ContainerAccess.ContainerAccessSession;
import dev.mooring.api.container.ContainerAccess.Streams;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Connects a process with a client's WebSocket. Frames are read one by one, each after the process has accepted the
 * previous one; output is sent at the client's speed. At the end, the client receives the final Status and the
 * WebSocket is closed. Confined to the event loop of its request.
 */
final class RemoteCommand implements ContainerRequests.LongRunningRequest {
    /** Maximum length of a resize message; 40 bytes are enough. */
    private static final int SIZE_BYTES = 1024;

    private static final int BASE64_GROUP = 4;

    private static final short NORMAL = 1000;
    private static final short GOING_AWAY = 1001;
    private static final short PROTOCOL = 1002;
    private static final short POLICY = 1008;

    /** Effect of the end of the client's input. */
    enum StdinEnd {
        /** The process reads an end of file; the client gets output until the process ends. */
        CLOSES_INPUT,
        /** The client is detached; the process keeps its input open for the next client. */
        DETACHES
    }

    private final ContainerRequests.ContainerStreamRequest streamRequest;
    private final ServerWebSocket socket;
    private final ChannelProtocol protocol;
    private final Streams streams;
    private final StdinEnd stdinEnd;
    private final Consumer<ContainerRequests.LongRunningRequest> endHandler;
    private final OutputBuffer outputBuffer;

    private ContainerAccessSession session;
    private boolean finished;
    private boolean inputEnded;

    /** Characters of the current message that are not a complete group of base64 yet. */
    private String undecoded = "";

    /** Channel of the current fragmented message. */
    private int channel;

    /** Whether the client has responded since the last check. */
    private boolean clientResponded = true;

    /** Whether frames are not read because the process does not read its input. */
    private boolean blocked;

    RemoteCommand(
            ContainerRequests.ContainerStreamRequest streamRequest,
            ServerWebSocket socket,
            ChannelProtocol protocol,
            Streams streams,
            StdinEnd stdinEnd,
            Consumer<ContainerRequests.LongRunningRequest> ended) {
        this.streamRequest = streamRequest;
        this.socket = socket;
        this.protocol = protocol;
        this.streams = streams;
        this.stdinEnd = stdinEnd;
        this.endHandler = ended;
        this.outputBuffer = new OutputBuffer(
                streamRequest.context(),
                (source, bytes) -> protocol.send(socket, ChannelProtocol.channel(source), bytes));
        socket.pause();
        socket.closeHandler(v -> {
            end();
            streamRequest.responseEnded();
        });
        socket.exceptionHandler(e -> closeSocket(PROTOCOL, "invalid message"));
        socket.pongHandler(v -> clientResponded = true);
        socket.frameHandler(this::frame);
    }

    /** @param open opens the session with the given output buffer */
    void start(Function<OutputBuffer, CompletionStage<ContainerAccessSession>> open, Status gone) {
        announce();
        open.apply(outputBuffer)
                .whenComplete((opened, failure) -> streamRequest.context().runOnContext(v -> {
                    if (failure == null) {
                        opened(opened, gone);
                    } else {
                        finish(() -> protocol.sendFailure(socket, ContainerAccessFailures.toStatus(failure, gone)));
                    }
                }));
    }

    /** Sends an empty message, which tells clients that they are connected. */
    private void announce() {
        int lowest = streams.stdout()
                ? ChannelProtocol.STDOUT
                : streams.stderr() ? ChannelProtocol.STDERR : ChannelProtocol.ERROR;
        protocol.send(socket, lowest, Buffer.buffer());
    }

    private void opened(ContainerAccessSession opened, Status gone) {
        session = opened;
        if (finished) {
            session.close();
            return;
        }
        outputBuffer.open();
        socket.fetch(1);
        session.exitCode()
                .whenComplete((code, failure) -> streamRequest.context().runOnContext(v -> {
                    finish(
                            failure == null
                                    ? () -> protocol.sendExit(socket, code)
                                    : () -> protocol.sendFailure(
                                            socket, ContainerAccessFailures.toStatus(failure, gone)));
                }));
    }

    private void frame(WebSocketFrame frame) {
        clientResponded = true;
        boolean isData = frame.isBinary() || frame.isText() || frame.isContinuation();
        if (finished || !isData) {
            return;
        }
        Buffer data = frame.binaryData();
        int start = frame.isContinuation() ? 0 : 1;
        if (data.length() < start) {
            next();
            return;
        }
        if (start == 1) {
            channel = protocol.isBase64() ? data.getUnsignedByte(0) - '0' : data.getUnsignedByte(0);
            undecoded = "";
        }
        byte[] bytes = data.getBytes(start, data.length());
        if (!protocol.isBase64()) {
            take(bytes);
            return;
        }
        try {
            take(decode(new String(bytes, StandardCharsets.US_ASCII)));
        } catch (IllegalArgumentException e) {
            closeSocket(PROTOCOL, "invalid base64");
        }
    }

    /** Decodes complete groups of four characters and keeps the rest for the next frame of the message. */
    private byte[] decode(String text) {
        String all = undecoded + text;
        int complete = all.length() / BASE64_GROUP * BASE64_GROUP;
        undecoded = all.substring(complete);
        return Base64.getDecoder().decode(all.substring(0, complete));
    }

    private void take(byte[] bytes) {
        if (channel == ChannelProtocol.STDIN && streams.stdin() && !inputEnded && bytes.length > 0) {
            nextAfter(session.input(bytes));
        } else if (channel == ChannelProtocol.CLOSE && protocol.hasClose() && isStdin(bytes) && !inputEnded) {
            inputEnded = true;
            if (stdinEnd == StdinEnd.DETACHES) {
                finish(() -> protocol.sendExit(socket, 0));
            } else {
                nextAfter(session.closeInput());
            }
        } else if (channel == ChannelProtocol.RESIZE && streams.tty() && bytes.length <= SIZE_BYTES) {
            TerminalSize.parse(bytes)
                    .ifPresentOrElse(
                            size -> nextAfter(session.resize(size.columns(), size.rows())), RemoteCommand.this::next);
        } else {
            next();
        }
    }

    private boolean isStdin(byte[] bytes) {
        return streams.stdin() && bytes.length == 1 && bytes[0] == ChannelProtocol.STDIN;
    }

    /**
     * Reads the next frame after the process accepted the last one. A process that closed its input does not end the
     * stream, because its output still has to be sent.
     */
    private void nextAfter(CompletionStage<Void> taken) {
        blocked = true;
        taken.whenComplete((v, failure) -> streamRequest.context().runOnContext(u -> {
            blocked = false;
            if (failure != null) {
                inputEnded = true;
            }
            next();
        }));
    }

    private void next() {
        if (!finished) {
            socket.fetch(1);
        }
    }

    @Override
    public void tick() {
        if (!streamRequest.isAllowed()) {
            closeSocket(POLICY, "Unauthorized");
        } else if (!clientResponded && !blocked) {
            closeSocket(GOING_AWAY, "client did not respond to ping");
        } else {
            clientResponded = false;
            // Also detects a client that disconnected while nothing is read from it.
            socket.writePing(Buffer.buffer("mooring"));
        }
    }

    @Override
    public void shutDown() {
        closeSocket(GOING_AWAY, "server is shutting down");
    }

    private void closeSocket(short code, String why) {
        if (!finished) {
            end();
            socket.close(code, why);
        }
    }

    private void finish(Runnable sendLast) {
        if (!finished) {
            end();
            sendLast.run();
            socket.close(NORMAL);
            // Unread frames must not keep the client's close frame from being read.
            socket.resume();
        }
    }

    private void end() {
        if (!finished) {
            finished = true;
            outputBuffer.close();
            if (session != null) {
                session.close();
            }
            endHandler.accept(this);
        }
    }
}
