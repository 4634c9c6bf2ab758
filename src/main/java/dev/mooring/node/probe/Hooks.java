package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * Runs what a container has asked to be run after its start and before its end. Blocks the caller's thread until that is done; any thread.
 *
 * <p>Events of it say only that it failed ({@link #POST_START_FAILED}, {@link #PRE_STOP_FAILED}), because what a hook writes may be secret.
 */
public final class Hooks implements AutoCloseable {
    /** Reason of the Event when a postStart hook has failed. */
    public static final String POST_START_REASON = "FailedPostStartHook";
    /** Message of that Event. */
    public static final String POST_START_FAILED = "PostStartHook failed";
    /** Reason of the Event when a preStop hook has failed. */
    public static final String PRE_STOP_REASON = "FailedPreStopHook";
    /** Message of that Event. */
    public static final String PRE_STOP_FAILED = "PreStopHook failed";

    private final WorkParts work;
    private final Commands commands;
    private final Network network;

    public Hooks(ContainerRuntime runtime, WorkParts work) {
        this.work = work;
        this.commands = Commands.byCallers(runtime, work.timers());
        this.network = new Network(work.threads());
    }

    /**
     * Runs a hook to its end.
     *
     * @param handler {@code lifecycle.postStart} or {@code lifecycle.preStop} of one of the Pod's containers
     * @param podAddress "" if it has none
     * @param limit after which nobody waits for it any longer
     */
    public void run(Pod pod, String containerId, String podAddress, JsonNode handler, Duration limit)
            throws HookException, InterruptedException {
        JsonNode container = owner(pod, handler);
        Whose whose = new Whose(pod, container.path("name").asText(""));
        Outcome outcome;
        if (handler.hasNonNull("exec")) {
            outcome = await(exec(whose, containerId, handler.path("exec").path("command"), limit));
        } else if (handler.hasNonNull("httpGet")) {
            Checker.Target target = new Checker.Target(container, containerId, podAddress);
            outcome = http(whose, target, handler.path("httpGet"), limit);
        } else if (handler.hasNonNull("sleep")) {
            outcome = sleep(handler.path("sleep").path("seconds").asLong(0), limit);
        } else {
            outcome = Outcome.failed("Cannot run handler: invalid handler: " + handler);
        }
        if (outcome.problem().isPresent()) {
            throw new HookException(outcome.problem().get(), outcome.message());
        }
    }

    /** What a message says whose hook it was. */
    private record Whose(Pod pod, String container) {
        String failed(String hook, String error) {
            return hook + " for Container " + Words.quoted(container) + " in Pod "
                    + Words.quoted(pod.name() + '_' + pod.namespace() + '(' + pod.uid() + ')') + " failed - error: "
                    + error;
        }
    }

    private record Outcome(Optional<HookException.Kind> problem, String message) {
        static Outcome done() {
            return new Outcome(Optional.empty(), "");
        }

        static Outcome failed(String message) {
            return new Outcome(Optional.of(HookException.Kind.FAILED), message);
        }

        static Outcome tooLate(Duration limit) {
            return new Outcome(
                    Optional.of(HookException.Kind.TOO_LATE),
                    "lifecycle hook not completed within " + Words.time(limit));
        }
    }

    private CompletionStage<Outcome> exec(Whose whose, String containerId, JsonNode command, Duration limit) {
        List<String> words = new ArrayList<>();
        command.forEach(word -> words.add(word.asText("")));
        String hook = "Exec lifecycle hook ([" + String.join(" ", words) + "])";
        return commands.run(containerId, words, limit).thenApply(ran -> {
            if (ran instanceof Commands.Ran.Exited exited) {
                String error = "command '" + String.join(" ", words) + "' exited with " + exited.code() + ": "
                        + exited.errors();
                return exited.code() == 0
                        ? Outcome.done()
                        : Outcome.failed(whose.failed(hook, error) + ", message: " + Words.quoted(exited.output()));
            }
            if (ran instanceof Commands.Ran.Unknown unknown) {
                return Outcome.failed(
                        whose.failed(hook, unknown.why().getMessage()) + ", message: " + Words.quoted(""));
            }
            return Outcome.tooLate(limit);
        });
    }

    /** Any answer will do. A server that was said to speak TLS and does not is asked without, as people rely on it. */
    private Outcome http(Whose whose, Checker.Target target, JsonNode httpGet, Duration limit)
            throws InterruptedException {
        String hook = "HTTP lifecycle hook (" + httpGet.path("path").asText("") + ")";
        try {
            HttpGet get = HttpGet.of(httpGet, target, "lifecycle");
            if (get.target().host().isEmpty()) {
                return Outcome.failed(whose.failed(hook, "failed to find networking container: no address"));
            }
            Outcome outcome = await(http(whose, hook, get, limit));
            if (get.target().isSecure() && outcome.message().endsWith(TlsWire.PLAIN_HTTP)) {
                HttpTarget secure = get.target();
                HttpTarget plain = HttpTarget.of("http", secure.host(), secure.port(), secure.path());
                return await(http(whose, hook, new HttpGet(plain, get.host(), get.headers()), limit));
            }
            return outcome;
        } catch (Ports.UnknownPortException e) {
            return Outcome.failed(whose.failed(hook, e.getMessage()));
        }
    }

    private CompletionStage<Outcome> http(Whose whose, String hook, HttpGet get, Duration limit) {
        Attempt<Outcome> attempt = new Attempt<>(work.timers(), limit, () -> Outcome.tooLate(limit));
        HttpExchange exchange = new HttpExchange(network, attempt);
        String said = "Get " + Words.quoted(get.target().toString()) + ": ";
        attempt.endWith(
                exchange.run(get),
                (reply, failure) -> failure == null || exchange.isAnswered()
                        ? Outcome.done()
                        : Outcome.failed(whose.failed(hook, said + Words.broken(failure))));
        return attempt.result();
    }

    private Outcome sleep(long seconds, Duration limit) throws InterruptedException {
        Duration wanted = Duration.ofSeconds(Math.max(0, seconds));
        boolean whole = wanted.compareTo(limit) <= 0;
        Attempt<Outcome> attempt = new Attempt<>(
                work.timers(), whole ? wanted : limit, () -> whole ? Outcome.done() : Outcome.tooLate(limit));
        return await(attempt.result());
    }

    private static Outcome await(CompletionStage<Outcome> outcome) throws InterruptedException {
        try {
            return outcome.toCompletableFuture().get();
        } catch (ExecutionException e) {
            return Outcome.failed(String.valueOf(e.getCause().getMessage()));
        }
    }

    /** The container that has this very hook; of two with the same words, the one whose it is. */
    @SuppressWarnings("ReferenceEquality")
    private static JsonNode owner(Pod pod, JsonNode handler) {
        JsonNode alike = MissingNode.getInstance();
        for (String field : List.of("containers", "initContainers")) {
            for (JsonNode container : pod.spec().path(field)) {
                for (JsonNode hook : container.path("lifecycle")) {
                    if (hook == handler) {
                        return container;
                    }
                    if (alike.isMissingNode() && hook.equals(handler)) {
                        alike = container;
                    }
                }
            }
        }
        return alike;
    }

    @Override
    public void close() {
        network.close();
    }
}
