package dev.mooring.api.container;

import dev.mooring.api.container.ChannelProtocol.Size;
import dev.mooring.api.container.ContainerAccess.Session;
import dev.mooring.api.container.ContainerAccess.Streams;
import dev.mooring.api.status.Status;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A process on one side, a client's WebSocket on the other. Frames are taken one by one, each when the process has taken the one before; output
 * goes as fast as the client takes it. In the end the client is told how it ended, and the WebSocket is closed. On the event loop of its request.
 */
final class RemoteTerminal implements Live {
    /** A size needs 40. */
    private static final int SIZE_BYTES = 1024;

    private static final short NORMAL = 1000;
    private static final short GOING_AWAY = 1001;
    private static final short PROTOCOL = 1002;
    private static final short POLICY = 1008;

    private final Conversation conversation;
    private final ServerWebSocket socket;
    private final ChannelProtocol protocol;
    private final Streams streams;
    private final Consumer<Live> ended;
    private final Outflow flow;

    private Session session;
    private boolean over;
    private boolean inputEnded;

    /** Of the message whose further frames are to come. */
    private int channel;

    /** Whether the client has been heard since the last look at it. */
    private boolean heard = true;

    /** Whether a process that does not read keeps the client from being heard. */
    private boolean blocked;

    RemoteTerminal(
            Conversation conversation,
            ServerWebSocket socket,
            ChannelProtocol protocol,
            Streams streams,
            Consumer<Live> ended) {
        this.conversation = conversation;
        this.socket = socket;
        this.protocol = protocol;
        this.streams = streams;
        this.ended = ended;
        this.flow = new Outflow(
                conversation.context(),
                (source, bytes) ->
                        socket.writeBinaryMessage(ChannelProtocol.message(ChannelProtocol.channel(source), bytes)));
        socket.pause();
        socket.closeHandler(v -> {
            end();
            conversation.over();
        });
        socket.exceptionHandler(e -> hangUp(PROTOCOL, "the message cannot be understood"));
        socket.pongHandler(v -> heard = true);
        socket.frameHandler(this::frame);
    }

    /** @param opening begins what is to be connected, with the outlet it is given */
    void begin(Function<Outflow, CompletionStage<Session>> opening, Status gone) {
        announce();
        opening.apply(flow)
                .whenComplete((opened, failure) -> conversation.context().runOnContext(v -> {
                    if (failure == null) {
                        opened(opened, gone);
                    } else {
                        finish(ChannelProtocol.failed(Failures.status(failure, gone)));
                    }
                }));
    }

    /** An empty message tells clients that they are connected. */
    private void announce() {
        int lowest = streams.stdout()
                ? ChannelProtocol.STDOUT
                : streams.stderr() ? ChannelProtocol.STDERR : ChannelProtocol.ERROR;
        socket.writeBinaryMessage(ChannelProtocol.message(lowest, Buffer.buffer()));
    }

    private void opened(Session opened, Status gone) {
        session = opened;
        if (over) {
            session.close();
            return;
        }
        flow.open();
        socket.fetch(1);
        session.ended()
                .whenComplete((code, failure) -> conversation.context().runOnContext(v -> {
                    finish(
                            failure == null
                                    ? ChannelProtocol.exited(code)
                                    : ChannelProtocol.failed(Failures.status(failure, gone)));
                }));
    }

    private void frame(WebSocketFrame frame) {
        heard = true;
        boolean isData = frame.isBinary() || frame.isText() || frame.isContinuation();
        if (over || !isData) {
            return;
        }
        Buffer data = frame.binaryData();
        int start = frame.isContinuation() ? 0 : 1;
        if (data.length() < start) {
            next();
            return;
        }
        if (start == 1) {
            channel = data.getUnsignedByte(0);
        }
        take(data.getBytes(start, data.length()));
    }

    private void take(byte[] bytes) {
        if (channel == ChannelProtocol.STDIN && streams.stdin() && !inputEnded && bytes.length > 0) {
            nextAfter(session.input(bytes));
        } else if (channel == ChannelProtocol.CLOSE && protocol.hasClose() && isStdin(bytes) && !inputEnded) {
            inputEnded = true;
            nextAfter(session.endInput());
        } else if (channel == ChannelProtocol.RESIZE && streams.tty() && bytes.length <= SIZE_BYTES) {
            Size.read(bytes)
                    .ifPresentOrElse(
                            size -> nextAfter(session.resize(size.columns(), size.rows())), RemoteTerminal.this::next);
        } else {
            next();
        }
    }

    private boolean isStdin(byte[] bytes) {
        return streams.stdin() && bytes.length == 1 && bytes[0] == ChannelProtocol.STDIN;
    }

    /** That a process does not take its input any more is no reason to end: what it says is still to come. */
    private void nextAfter(CompletionStage<Void> taken) {
        blocked = true;
        taken.whenComplete((v, failure) -> conversation.context().runOnContext(u -> {
            blocked = false;
            if (failure != null) {
                inputEnded = true;
            }
            next();
        }));
    }

    private void next() {
        if (!over) {
            socket.fetch(1);
        }
    }

    @Override
    public void tick() {
        if (!conversation.isAllowed()) {
            hangUp(POLICY, "Unauthorized");
        } else if (!heard && !blocked) {
            hangUp(GOING_AWAY, "nothing was heard for too long");
        } else {
            heard = false;
            // Also shows that a client has gone while nothing is read from it.
            socket.writePing(Buffer.buffer("mooring"));
        }
    }

    @Override
    public void shutDown() {
        hangUp(GOING_AWAY, "the server is being stopped");
    }

    private void hangUp(short code, String why) {
        if (!over) {
            end();
            socket.close(code, why);
        }
    }

    private void finish(Buffer last) {
        if (!over) {
            end();
            socket.writeBinaryMessage(last);
            socket.close(NORMAL);
            // What still comes must not keep the client's own farewell from being read.
            socket.resume();
        }
    }

    private void end() {
        if (!over) {
            over = true;
            flow.close();
            if (session != null) {
                session.close();
            }
            ended.accept(this);
        }
    }
}
