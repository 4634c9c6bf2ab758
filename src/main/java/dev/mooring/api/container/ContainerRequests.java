package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.container.ContainerAccess.ContainerAccessSession;
import dev.mooring.api.container.ContainerAccess.Streams;
import dev.mooring.model.view.Pod;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Handles container requests: log, exec and attach. Errors are reported before a stream starts, with the same message
 * for WebSocket and SPDY, because kubectl retries with SPDY when a WebSocket is refused. Confined to one event loop.
 */
public final class ContainerRequests {
    private static final String WEBSOCKET_ONLY =
            "unable to upgrade connection: this server supports WebSocket (v5.channel.k8s.io, v4.channel.k8s.io), not"
                    + " SPDY; use kubectl 1.30 or newer, without KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false";

    private final Vertx vertx;
    private final ContainerAccess access;
    private final Clock clock;
    private final Duration tick;
    private final Map<LongRunningRequest, ContainerStreamRequest> openRequests = new HashMap<>();
    private long timer = -1;

    /** @param tick interval at which open streams are checked */
    public ContainerRequests(Vertx vertx, ContainerAccess access, Clock clock, Duration tick) {
        this.vertx = vertx;
        this.access = access;
        this.clock = clock;
        this.tick = tick;
    }

    /** Returns the WebSocket protocols that the HTTP server must offer. */
    public static List<String> protocols() {
        return Stream.concat(ChannelProtocol.names().stream(), LogResponse.PROTOCOLS.stream())
                .toList();
    }

    /** @throws StatusException if it is refused */
    public void log(ContainerStreamRequest streamRequest, Pod pod) {
        LogOptions options = LogOptions.of(pod.name(), parameters(streamRequest), clock.instant());
        PodContainers containers = new PodContainers(pod);
        String container = containers.choose(options.container());
        if (!pod.isScheduled()) {
            LogResponse.respondEmpty(streamRequest);
            return;
        }
        ContainerAccess.ContainerRef ref = containers.logContainer(container, options.previous());
        streamRequest.acquireStream();
        LogResponse answer = new LogResponse(streamRequest, options, this::requestEnded);
        requestStarted(answer, streamRequest);
        answer.start(access, ref);
    }

    /** @throws StatusException if it is refused */
    public void exec(ContainerStreamRequest streamRequest, Pod pod) {
        StreamOptions options = StreamOptions.exec(parameters(streamRequest));
        ContainerAccess.ContainerRef ref = running(pod, options);
        connect(
                streamRequest,
                ref,
                options.streams(),
                RemoteCommand.StdinEnd.CLOSES_INPUT,
                flow -> access.exec(ref, options.command(), options.streams(), flow));
    }

    /** @throws StatusException if it is refused */
    public void attach(ContainerStreamRequest streamRequest, Pod pod) {
        StreamOptions asked = StreamOptions.attach(parameters(streamRequest));
        ContainerAccess.ContainerRef ref = running(pod, asked);
        PodContainers containers = new PodContainers(pod);
        StreamOptions options = asked.withTty(containers.hasTerminal(ref.container()));
        boolean closes = containers.closesStdin(ref.container());
        connect(
                streamRequest,
                ref,
                options.streams(),
                closes ? RemoteCommand.StdinEnd.CLOSES_INPUT : RemoteCommand.StdinEnd.DETACHES,
                flow -> access.attach(ref, options.streams(), flow));
    }

    private static ContainerRequestParameters parameters(ContainerStreamRequest streamRequest) {
        return ContainerRequestParameters.of(streamRequest.request().query());
    }

    private ContainerAccess.ContainerRef running(Pod pod, StreamOptions options) {
        PodContainers containers = new PodContainers(pod);
        ContainerAccess.ContainerRef ref = containers.runningContainer(containers.choose(options.container()));
        access.refusal(ref).ifPresent(refusal -> {
            throw new StatusException(
                    ContainerAccessFailures.toStatus(refusal, PodContainers.notFound(ref.container(), "")));
        });
        return ref;
    }

    private void connect(
            ContainerStreamRequest streamRequest,
            ContainerAccess.ContainerRef ref,
            Streams streams,
            RemoteCommand.StdinEnd stdinEnd,
            Function<OutputBuffer, CompletionStage<ContainerAccessSession>> opening) {
        HttpServerRequest request = streamRequest.request();
        ChannelProtocol protocol = protocol(request);
        Status gone = PodContainers.notFound(ref.container(), "");
        streamRequest.acquireStream();
        request.toWebSocket()
                .onSuccess(socket -> {
                    streamRequest.responseStarted(101);
                    RemoteCommand terminal =
                            new RemoteCommand(streamRequest, socket, protocol, streams, stdinEnd, this::requestEnded);
                    requestStarted(terminal, streamRequest);
                    terminal.start(opening, gone);
                })
                .onFailure(failure -> {
                    streamRequest.releaseStream();
                    streamRequest.fail(failure);
                });
    }

    private static ChannelProtocol protocol(HttpServerRequest request) {
        String upgrade = request.getHeader(HttpHeaders.UPGRADE);
        if (upgrade == null || request.version() == HttpVersion.HTTP_2) {
            throw bad("Upgrade request required");
        }
        if (!upgrade.equalsIgnoreCase("websocket") || !request.method().equals(HttpMethod.GET)) {
            throw bad(WEBSOCKET_ONLY);
        }
        String header = request.getHeader("Sec-WebSocket-Protocol");
        String offered = header == null ? "" : header;
        return ChannelProtocol.choose(offered)
                .orElseThrow(() -> bad("unable to upgrade connection: the client offers "
                        + (offered.isEmpty() ? "no WebSocket protocol" : offered) + "; use one of "
                        + String.join(", ", ChannelProtocol.names())));
    }

    private static StatusException bad(String message) {
        return new StatusException(Status.badRequest(message));
    }

    private void requestStarted(LongRunningRequest one, ContainerStreamRequest streamRequest) {
        openRequests.put(one, streamRequest);
        if (timer < 0) {
            timer = vertx.setPeriodic(
                    tick.toMillis(), id -> List.copyOf(openRequests.keySet()).forEach(LongRunningRequest::tick));
        }
    }

    private void requestEnded(LongRunningRequest one) {
        Optional.ofNullable(openRequests.remove(one)).ifPresent(ContainerStreamRequest::releaseStream);
        if (openRequests.isEmpty() && timer >= 0) {
            vertx.cancelTimer(timer);
            timer = -1;
        }
    }

    /** Ends all open streams when the server stops. */
    public void close() {
        List.copyOf(openRequests.keySet()).forEach(LongRunningRequest::shutDown);
    }

    /**
     * The options of an exec or attach request: Kubernetes' PodExecOptions and PodAttachOptions. Immutable.
     *
     * @param command empty for attach
     */
    private record StreamOptions(String container, List<String> command, Streams streams) {
        StreamOptions {
            command = List.copyOf(command);
        }

        static StreamOptions exec(ContainerRequestParameters given) {
            List<String> command = given.texts("command");
            if (command.isEmpty()) {
                throw bad("you must specify at least one command for the container");
            }
            return new StreamOptions(given.text("container"), command, streams(given));
        }

        static StreamOptions attach(ContainerRequestParameters given) {
            return new StreamOptions(given.text("container"), List.of(), streams(given));
        }

        /** Returns a copy with the terminal setting that the process was started with. */
        StreamOptions withTty(boolean tty) {
            Streams wanted = new Streams(streams.stdin(), streams.stdout(), streams.stderr() && !tty, tty);
            return new StreamOptions(container, command, wanted);
        }

        private static Streams streams(ContainerRequestParameters given) {
            boolean tty = given.flag("tty");
            // A terminal combines both streams; Kubernetes also omits the second one.
            boolean stderr = given.flag("stderr") && !tty;
            Streams wanted = new Streams(given.flag("stdin"), given.flag("stdout"), stderr, tty);
            if (!wanted.stdin() && !wanted.stdout() && !wanted.stderr()) {
                throw bad("you must specify at least 1 of stdin, stdout, stderr");
            }
            return wanted;
        }

        private static StatusException bad(String message) {
            return new StatusException(Status.badRequest(message));
        }
    }

    /**
     * An authorized container request; receives the progress of its response. Confined to the event loop of its
     * request.
     */
    public interface ContainerStreamRequest {
        HttpServerRequest request();

        Context context();

        /** Responds with a Status and ends the response. */
        void respond(Status status);

        /** Responds with the Status of a failure and ends the response. */
        void fail(Throwable failure);

        /**
         * Counts a stream of the user until {@link #releaseStream}.
         *
         * @throws StatusException if too many are open
         */
        void acquireStream();

        void releaseStream();

        /** Records that a long-running response has started. */
        void responseStarted(int code);

        /** Records that a long-running response has ended; called once. */
        void responseEnded();

        /** Returns whether the user still has permission. */
        boolean isAllowed();
    }

    /** A stream that continues after its response started, and needs periodic checks. Confined to one event loop. */
    interface LongRunningRequest {
        /** Checks periodically that the user still has permission and that the client is still connected. */
        void tick();

        /** Ends the stream when the server stops. */
        void shutDown();
    }
}
