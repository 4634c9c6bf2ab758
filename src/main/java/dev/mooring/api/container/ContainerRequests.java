package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.container.ContainerAccess.ContainerAccessSession;
import dev.mooring.model.view.Pod;
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
        return ChannelProtocol.names();
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
        ContainerRef ref = containers.logContainer(container, options.previous());
        streamRequest.acquireStream();
        LogResponse answer = new LogResponse(streamRequest, options, this::requestEnded);
        requestStarted(answer, streamRequest);
        answer.start(access, ref);
    }

    /** @throws StatusException if it is refused */
    public void exec(ContainerStreamRequest streamRequest, Pod pod) {
        StreamOptions options = StreamOptions.exec(parameters(streamRequest));
        ContainerRef ref = running(pod, options);
        connect(streamRequest, ref, options, flow -> access.exec(ref, options.command(), options.streams(), flow));
    }

    /** @throws StatusException if it is refused */
    public void attach(ContainerStreamRequest streamRequest, Pod pod) {
        StreamOptions asked = StreamOptions.attach(parameters(streamRequest));
        ContainerRef ref = running(pod, asked);
        StreamOptions options = asked.withTty(new PodContainers(pod).hasTerminal(ref.container()));
        connect(streamRequest, ref, options, flow -> access.attach(ref, options.streams(), flow));
    }

    private static ContainerRequestParameters parameters(ContainerStreamRequest streamRequest) {
        return ContainerRequestParameters.of(streamRequest.request().query());
    }

    private ContainerRef running(Pod pod, StreamOptions options) {
        PodContainers containers = new PodContainers(pod);
        ContainerRef ref = containers.runningContainer(containers.choose(options.container()));
        access.refusal(ref).ifPresent(refusal -> {
            throw new StatusException(
                    ContainerAccessFailures.toStatus(refusal, PodContainers.notFound(ref.container(), "")));
        });
        return ref;
    }

    private void connect(
            ContainerStreamRequest streamRequest,
            ContainerRef ref,
            StreamOptions options,
            Function<OutputBuffer, CompletionStage<ContainerAccessSession>> opening) {
        HttpServerRequest request = streamRequest.request();
        ChannelProtocol protocol = protocol(request);
        Status gone = PodContainers.notFound(ref.container(), "");
        streamRequest.acquireStream();
        request.toWebSocket()
                .onSuccess(socket -> {
                    streamRequest.responseStarted(101);
                    RemoteCommand terminal =
                            new RemoteCommand(streamRequest, socket, protocol, options.streams(), this::requestEnded);
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
                        + String.join(", ", protocols())));
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
}
