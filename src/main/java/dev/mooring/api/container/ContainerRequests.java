package dev.mooring.api.container;

import dev.mooring.api.container.ContainerAccess.Session;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.view.Pod;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Answers requests about containers: logs, running something, joining. What can be known to be wrong is said before anything begins, with the same
 * words to whoever asks over SPDY, because kubectl asks again like that whenever a WebSocket was refused. For one event loop.
 */
public final class ContainerRequests {
    private static final String WEBSOCKET_ONLY =
            "unable to upgrade connection: this server speaks WebSocket (v5.channel.k8s.io, v4.channel.k8s.io), not"
                    + " SPDY; use kubectl 1.30 or newer, without KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false";

    private final Vertx vertx;
    private final ContainerAccess access;
    private final Clock clock;
    private final Duration tick;
    private final Set<Live> live = new HashSet<>();
    private long timer = -1;

    /** @param tick how often what is under way is looked after */
    public ContainerRequests(Vertx vertx, ContainerAccess access, Clock clock, Duration tick) {
        this.vertx = vertx;
        this.access = access;
        this.clock = clock;
        this.tick = tick;
    }

    /** The protocols that HTTP servers have to offer for WebSockets. */
    public static List<String> protocols() {
        return ChannelProtocol.names();
    }

    /** @throws StatusException if it is refused */
    public void log(Conversation conversation, Pod pod) {
        LogOptions options = LogOptions.of(pod.name(), parameters(conversation), clock.instant());
        PodContainers containers = new PodContainers(pod);
        String container = containers.choose(options.container());
        if (!pod.isScheduled()) {
            LogAnswer.empty(conversation);
            return;
        }
        ContainerRef ref = containers.logged(container, options.previous());
        LogAnswer answer = new LogAnswer(conversation, options, this::ended);
        began(answer);
        answer.begin(access, ref);
    }

    /** @throws StatusException if it is refused */
    public void exec(Conversation conversation, Pod pod) {
        StreamOptions options = StreamOptions.exec(parameters(conversation));
        ContainerRef ref = running(pod, options);
        connect(conversation, ref, options, flow -> access.exec(ref, options.command(), options.streams(), flow));
    }

    /** @throws StatusException if it is refused */
    public void attach(Conversation conversation, Pod pod) {
        StreamOptions asked = StreamOptions.attach(parameters(conversation));
        ContainerRef ref = running(pod, asked);
        StreamOptions options = asked.onTerminal(new PodContainers(pod).hasTerminal(ref.container()));
        connect(conversation, ref, options, flow -> access.attach(ref, options.streams(), flow));
    }

    private static Parameters parameters(Conversation conversation) {
        return Parameters.of(conversation.request().query());
    }

    private ContainerRef running(Pod pod, StreamOptions options) {
        PodContainers containers = new PodContainers(pod);
        ContainerRef ref = containers.running(containers.choose(options.container()));
        access.refusal(ref).ifPresent(refusal -> {
            throw new StatusException(Failures.status(refusal, PodContainers.notFound(ref.container(), "")));
        });
        return ref;
    }

    private void connect(
            Conversation conversation,
            ContainerRef ref,
            StreamOptions options,
            Function<Outflow, CompletionStage<Session>> opening) {
        HttpServerRequest request = conversation.request();
        ChannelProtocol protocol = protocol(request);
        Status gone = PodContainers.notFound(ref.container(), "");
        request.toWebSocket()
                .onSuccess(socket -> {
                    conversation.began(101);
                    RemoteTerminal terminal =
                            new RemoteTerminal(conversation, socket, protocol, options.streams(), this::ended);
                    began(terminal);
                    terminal.begin(opening, gone);
                })
                .onFailure(conversation::fail);
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
                .orElseThrow(() -> bad("unable to upgrade connection: Expected one of the WebSocket protocols "
                        + String.join(", ", protocols()) + ", but the client offers "
                        + (offered.isEmpty() ? "none" : offered)));
    }

    private static StatusException bad(String message) {
        return new StatusException(Status.badRequest(message));
    }

    private void began(Live one) {
        live.add(one);
        if (timer < 0) {
            timer = vertx.setPeriodic(tick.toMillis(), id -> List.copyOf(live).forEach(Live::tick));
        }
    }

    private void ended(Live one) {
        live.remove(one);
        if (live.isEmpty() && timer >= 0) {
            vertx.cancelTimer(timer);
            timer = -1;
        }
    }

    /** Ends what is under way, as a server that stops does. */
    public void close() {
        List.copyOf(live).forEach(Live::shutDown);
    }
}
