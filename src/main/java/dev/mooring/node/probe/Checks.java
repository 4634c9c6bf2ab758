package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import io.reactivex.rxjava3.core.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Asks containers for real, as the kubelet does, in its words. Thread-safe. */
final class Checks implements Checker, AutoCloseable {
    private static final String SLOW_HEAD =
            "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    private static final String SLOW_BODY =
            "context deadline exceeded (Client.Timeout or context cancellation while reading body)";

    private final Scheduler timers;
    private final Commands commands;
    private final Network network;

    Checks(ContainerRuntime runtime, WorkParts work) {
        this.timers = work.timers();
        this.commands = new Commands(runtime, work.timers(), work.threads());
        this.network = new Network(work.threads());
    }

    @Override
    public CompletionStage<Answer> check(Target target, ProbeSpec probe) {
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
            return answer(Answer.unknown("missing probe handler for container "
                    + target.container().path("name").asText("")));
        } catch (Ports.UnknownPortException e) {
            return answer(Answer.unknown(e.getMessage()));
        }
    }

    private CompletionStage<Answer> exec(Target target, JsonNode exec, Duration timeout) {
        List<String> command = StaticEnv.expand(exec.path("command"), target.container());
        return commands.run(target.containerId(), command, timeout).thenApply(ran -> {
            if (ran instanceof Commands.Ran.Exited exited) {
                return exited.code() == 0 ? Answer.success() : Answer.failure(exited.output());
            }
            if (ran instanceof Commands.Ran.Unknown unknown) {
                return unknown(unknown.why());
            }
            return Answer.failure("command timed out: " + Words.quoted(String.join(" ", command)) + " timed out after "
                    + Words.time(timeout));
        });
    }

    /** That the engine is gone, or the container has just ended, is told elsewhere, and once. */
    private static Answer unknown(EngineException why) {
        boolean told = why.isAbsence()
                || why.kind() == EngineException.Kind.NOT_FOUND
                || why.kind() == EngineException.Kind.CONFLICT;
        return Answer.unknown(told ? "" : why.getMessage());
    }

    private CompletionStage<Answer> http(HttpGet get, Duration timeout) {
        HttpAsking asking = new HttpAsking(get);
        Attempt<Answer> attempt = new Attempt<>(timers, timeout, asking::late);
        asking.exchange = new HttpExchange(network, attempt);
        attempt.endWith(
                asking.exchange.run(get), (reply, failure) -> failure == null ? judge(reply) : asking.failed(failure));
        return attempt.result();
    }

    static Answer judge(HttpReply reply) {
        if (reply.status() >= 200 && reply.status() < 300) {
            return Answer.success();
        }
        if (reply.status() >= 300 && reply.status() < 400) {
            return Answer.warning("Probe terminated redirects, Response body: " + reply.body());
        }
        // The body stays out: it may hold what is not everybody's to read.
        return Answer.failure("HTTP probe failed with statuscode: " + reply.status());
    }

    /** Says why no answer came. */
    private static final class HttpAsking {
        private final HttpGet get;
        private volatile HttpExchange exchange;

        HttpAsking(HttpGet get) {
            this.get = get;
        }

        /** What goes wrong once the status is there does not count, as with the kubelet. */
        private Answer failed(Throwable failure) {
            String why = Words.broken(failure);
            return isAnswered() ? Answer.unknown(why) : Answer.failure(said(why));
        }

        private Answer late() {
            return isAnswered() ? Answer.unknown(SLOW_BODY) : Answer.failure(said(SLOW_HEAD));
        }

        private boolean isAnswered() {
            HttpExchange begun = exchange;
            return begun != null && begun.isAnswered();
        }

        private String said(String why) {
            return "Get " + Words.quoted(get.target().toString()) + ": " + why;
        }
    }

    private CompletionStage<Answer> tcp(Target target, JsonNode socket, Duration timeout)
            throws Ports.UnknownPortException {
        int port = Ports.number(socket.path("port"), target.container());
        String host = socket.path("host").asText("").isEmpty()
                ? target.podAddress()
                : socket.path("host").asText();
        if (host.isEmpty()) {
            return noAddress();
        }
        String authority = HttpTarget.of("http", host, port, "").authority();
        Attempt<Answer> attempt =
                new Attempt<>(timers, timeout, () -> Answer.failure("dial tcp " + authority + ": i/o timeout"));
        attempt.endWith(
                network.dial(attempt, host, port),
                (wire, failure) -> failure == null ? Answer.success() : Answer.failure(Words.broken(failure)));
        return attempt.result();
    }

    private CompletionStage<Answer> grpc(Target target, JsonNode grpc, Duration timeout)
            throws Ports.UnknownPortException {
        int port = Ports.number(grpc.path("port"), target.container());
        if (target.podAddress().isEmpty()) {
            return noAddress();
        }
        String authority = HttpTarget.of("http", target.podAddress(), port, "").authority();
        GrpcHealth health = new GrpcHealth(authority, grpc.path("service").asText(""));
        Attempt<Answer> attempt = new Attempt<>(timers, timeout, () -> health.late(timeout));
        attempt.endWith(
                network.dial(attempt, target.podAddress(), port).thenCompose(health::ask),
                (answer, failure) -> failure == null ? answer : health.failed(failure));
        return attempt.result();
    }

    /** A Pod that has no address yet cannot be asked. */
    private static CompletionStage<Answer> noAddress() {
        return answer(Answer.unknown(""));
    }

    private static CompletionStage<Answer> answer(Answer answer) {
        return CompletableFuture.completedFuture(answer);
    }

    @Override
    public void close() {
        network.close();
    }
}
