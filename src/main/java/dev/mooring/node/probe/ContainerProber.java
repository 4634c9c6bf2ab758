package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import io.reactivex.rxjava3.core.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The {@link Prober} that executes exec, httpGet, tcpSocket and grpc probes, with the kubelet's messages. Thread-safe.
 */
final class ContainerProber implements Prober, AutoCloseable {
    private static final String SLOW_HEAD =
            "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    private static final String SLOW_BODY =
            "context deadline exceeded (Client.Timeout or context cancellation while reading body)";

    private final Scheduler timers;
    private final ExecRunner commands;
    private final NetworkDialer network;

    ContainerProber(ContainerRuntime runtime, WorkContext work) {
        this.timers = work.timers();
        this.commands = new ExecRunner(runtime, work.timers(), work.threads());
        this.network = new NetworkDialer(work.threads());
    }

    @Override
    public CompletionStage<Prober.ProbeResult> probe(Target target, ProbeSpec probe) {
        JsonNode handler = probe.handler();
        try {
            if (handler.hasNonNull("exec")) {
                return exec(target, handler.path("exec"), probe.timeout());
            }
            if (handler.hasNonNull("httpGet")) {
                HttpGet get = HttpGet.of(handler.path("httpGet"), target, "probe");
                return get.target().host().isEmpty() ? noAddress() : http(get, probe.timeout());
            }
            if (handler.hasNonNull("tcpSocket")) {
                return tcp(target, handler.path("tcpSocket"), probe.timeout());
            }
            if (handler.hasNonNull("grpc")) {
                return grpc(target, handler.path("grpc"), probe.timeout());
            }
            return completed(Prober.ProbeResult.unknown("missing probe handler for container "
                    + target.container().path("name").asText("")));
        } catch (ContainerPorts.UnknownPortException e) {
            return completed(Prober.ProbeResult.unknown(e.getMessage()));
        }
    }

    private CompletionStage<Prober.ProbeResult> exec(Target target, JsonNode exec, Duration timeout) {
        List<String> command = StaticEnv.expand(exec.path("command"), target.container());
        return commands.run(target.containerId(), command, timeout).thenApply(ran -> {
            if (ran instanceof ExecRunner.ExecResult.Exited exited) {
                return exited.code() == 0 ? Prober.ProbeResult.success() : Prober.ProbeResult.failure(exited.output());
            }
            if (ran instanceof ExecRunner.ExecResult.Unknown unknown) {
                return unknown(unknown.cause());
            }
            return Prober.ProbeResult.failure("command timed out: " + ProbeMessages.quoted(String.join(" ", command))
                    + " timed out after " + ProbeMessages.duration(timeout));
        });
    }

    /** Returns a result without a message: other components report an absent engine or an ended container, once. */
    private static Prober.ProbeResult unknown(EngineException why) {
        boolean reportedElsewhere = why.isUnavailable()
                || why.kind() == EngineException.Kind.NOT_FOUND
                || why.kind() == EngineException.Kind.CONFLICT;
        return Prober.ProbeResult.unknown(reportedElsewhere ? "" : why.getMessage());
    }

    private CompletionStage<Prober.ProbeResult> http(HttpGet get, Duration timeout) {
        HttpProbe asking = new HttpProbe(get);
        TimedAttempt<Prober.ProbeResult> attempt = new TimedAttempt<>(timers, timeout, asking::timedOut);
        asking.exchange = new HttpExchange(network, attempt);
        attempt.completeWith(
                asking.exchange.run(get),
                (reply, failure) -> failure == null ? evaluate(reply) : asking.failed(failure));
        return attempt.result();
    }

    static Prober.ProbeResult evaluate(HttpExchange.HttpReply reply) {
        if (reply.status() >= 200 && reply.status() < 300) {
            return Prober.ProbeResult.success();
        }
        if (reply.status() >= 300 && reply.status() < 400) {
            return Prober.ProbeResult.warning("Probe terminated redirects");
        }
        return Prober.ProbeResult.failure("HTTP probe failed with statuscode: " + reply.status());
    }

    /** Describes why an httpGet probe got no response. */
    private static final class HttpProbe {
        private final HttpGet get;
        private volatile HttpExchange exchange;

        HttpProbe(HttpGet get) {
            this.get = get;
        }

        /** Ignores errors after the status line has arrived, like the kubelet. */
        private Prober.ProbeResult failed(Throwable failure) {
            String why = ProbeMessages.connectionError(failure);
            return isAnswered() ? Prober.ProbeResult.unknown(why) : Prober.ProbeResult.failure(describe(why));
        }

        private Prober.ProbeResult timedOut() {
            return isAnswered()
                    ? Prober.ProbeResult.unknown(SLOW_BODY)
                    : Prober.ProbeResult.failure(describe(SLOW_HEAD));
        }

        private boolean isAnswered() {
            HttpExchange current = exchange;
            return current != null && current.isAnswered();
        }

        private String describe(String why) {
            return "Get " + ProbeMessages.quoted(get.target().toString()) + ": " + why;
        }
    }

    private CompletionStage<Prober.ProbeResult> tcp(Target target, JsonNode socket, Duration timeout)
            throws ContainerPorts.UnknownPortException {
        int port = ContainerPorts.number(socket.path("port"), target.container());
        String host = socket.path("host").asText("").isEmpty()
                ? target.podAddress()
                : socket.path("host").asText();
        if (host.isEmpty()) {
            return noAddress();
        }
        String authority = HttpTarget.of("http", host, port, "").authority();
        TimedAttempt<Prober.ProbeResult> attempt = new TimedAttempt<>(
                timers, timeout, () -> Prober.ProbeResult.failure("dial tcp " + authority + ": i/o timeout"));
        attempt.completeWith(
                network.dial(attempt, host, port),
                (connection, failure) -> failure == null
                        ? Prober.ProbeResult.success()
                        : Prober.ProbeResult.failure(ProbeMessages.connectionError(failure)));
        return attempt.result();
    }

    private CompletionStage<Prober.ProbeResult> grpc(Target target, JsonNode grpc, Duration timeout)
            throws ContainerPorts.UnknownPortException {
        int port = ContainerPorts.number(grpc.path("port"), target.container());
        if (target.podAddress().isEmpty()) {
            return noAddress();
        }
        String authority = HttpTarget.of("http", target.podAddress(), port, "").authority();
        GrpcHealth health = new GrpcHealth(authority, grpc.path("service").asText(""));
        TimedAttempt<Prober.ProbeResult> attempt = new TimedAttempt<>(timers, timeout, () -> health.timedOut(timeout));
        attempt.completeWith(
                network.dial(attempt, target.podAddress(), port).thenCompose(health::check),
                (result, failure) -> failure == null ? result : health.failed(failure));
        return attempt.result();
    }

    /** Returns the result for a Pod without an address, which cannot be probed yet. */
    private static CompletionStage<Prober.ProbeResult> noAddress() {
        return completed(Prober.ProbeResult.unknown(""));
    }

    private static CompletionStage<Prober.ProbeResult> completed(Prober.ProbeResult result) {
        return CompletableFuture.completedFuture(result);
    }

    @Override
    public void close() {
        network.close();
    }

    /**
     * Expands references to environment variables with static values in an exec command: $(NAME) becomes the value, or
     * stays unchanged if the spec has none; $$ becomes $.
     */
    private static final class StaticEnv {
        private StaticEnv() {}

        static List<String> expand(JsonNode command, JsonNode container) {
            Map<String, String> values = new HashMap<>();
            for (JsonNode each : container.path("env")) {
                if (!each.hasNonNull("valueFrom")) {
                    values.put(each.path("name").asText(""), each.path("value").asText(""));
                }
            }
            List<String> words = new ArrayList<>();
            command.forEach(word -> words.add(expand(word.asText(""), values)));
            return words;
        }

        private static String expand(String word, Map<String, String> values) {
            StringBuilder text = new StringBuilder();
            int at = 0;
            while (at < word.length()) {
                int closer = word.startsWith("$(", at) ? word.indexOf(')', at + 2) : -1;
                if (word.startsWith("$$", at)) {
                    text.append('$');
                    at += 2;
                } else if (closer >= 0) {
                    text.append(values.getOrDefault(word.substring(at + 2, closer), word.substring(at, closer + 1)));
                    at = closer + 1;
                } else {
                    text.append(word.charAt(at));
                    at++;
                }
            }
            return text.toString();
        }
    }
}
