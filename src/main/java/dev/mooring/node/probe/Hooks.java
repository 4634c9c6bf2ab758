package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * Runs the postStart and preStop hooks of containers. Blocks the calling thread until the hook has ended; any thread.
 *
 * <p>Events only say that a hook failed ({@link #POST_START_FAILED}, {@link #PRE_STOP_FAILED}), because the output of a
 * hook may contain secrets.
 */
public final class Hooks implements AutoCloseable {
    /** Message of the Event when a postStart hook has failed. */
    public static final String POST_START_FAILED = "PostStartHook failed";
    /** Message of the Event when a preStop hook has failed. */
    public static final String PRE_STOP_FAILED = "PreStopHook failed";

    private final WorkContext work;
    private final ExecRunner commands;
    private final NetworkDialer network;

    public Hooks(ContainerRuntime runtime, WorkContext work) {
        this.work = work;
        this.commands = ExecRunner.onCallerThreads(runtime, work.timers());
        this.network = new NetworkDialer(work.threads());
    }

    /**
     * Runs a hook until it ends.
     *
     * @param handler {@code lifecycle.postStart} or {@code lifecycle.preStop} of one of the Pod's containers
     * @param podAddress "" if it has none
     * @param limit the time after which the hook has timed out
     */
    public void run(Pod pod, String containerId, String podAddress, JsonNode handler, Duration limit)
            throws HookException, InterruptedException {
        JsonNode container = owner(pod, handler);
        HookOwner owner = new HookOwner(pod, container.path("name").asText(""));
        HookResult outcome;
        if (handler.hasNonNull("exec")) {
            outcome = await(exec(owner, containerId, handler.path("exec").path("command"), limit));
        } else if (handler.hasNonNull("httpGet")) {
            Prober.Target target = new Prober.Target(container, containerId, podAddress);
            outcome = http(owner, target, handler.path("httpGet"), limit);
        } else if (handler.hasNonNull("sleep")) {
            outcome = sleep(handler.path("sleep").path("seconds").asLong(0), limit);
        } else {
            outcome = HookResult.failed("Cannot run handler: invalid handler: " + handler);
        }
        if (outcome.problem().isPresent()) {
            throw new HookException(outcome.problem().get(), outcome.message());
        }
    }

    /** Identifies the container of a hook in messages. */
    private record HookOwner(Pod pod, String container) {
        String failed(String hook, String error) {
            return hook + " for Container " + ProbeMessages.quoted(container) + " in Pod "
                    + ProbeMessages.quoted(pod.name() + '_' + pod.namespace() + '(' + pod.uid() + ')')
                    + " failed - error: "
                    + error;
        }
    }

    private record HookResult(Optional<HookException.Kind> problem, String message) {
        static HookResult done() {
            return new HookResult(Optional.empty(), "");
        }

        static HookResult failed(String message) {
            return new HookResult(Optional.of(HookException.Kind.FAILED), message);
        }

        static HookResult timedOut(Duration limit) {
            return new HookResult(
                    Optional.of(HookException.Kind.TIMED_OUT),
                    "lifecycle hook not completed within " + ProbeMessages.duration(limit));
        }
    }

    private CompletionStage<HookResult> exec(HookOwner owner, String containerId, JsonNode command, Duration limit) {
        List<String> words = new ArrayList<>();
        command.forEach(word -> words.add(word.asText("")));
        String hook = "Exec lifecycle hook ([" + String.join(" ", words) + "])";
        return commands.run(containerId, words, limit).thenApply(ran -> {
            if (ran instanceof ExecRunner.ExecResult.Exited exited) {
                String error = "command '" + String.join(" ", words) + "' exited with " + exited.code() + ": "
                        + exited.errors();
                return exited.code() == 0
                        ? HookResult.done()
                        : HookResult.failed(
                                owner.failed(hook, error) + ", message: " + ProbeMessages.quoted(exited.output()));
            }
            if (ran instanceof ExecRunner.ExecResult.Unknown unknown) {
                return HookResult.failed(
                        owner.failed(hook, unknown.cause().getMessage()) + ", message: " + ProbeMessages.quoted(""));
            }
            return HookResult.timedOut(limit);
        });
    }

    /**
     * Runs an httpGet hook; any response counts as success. If a server configured for TLS does not speak it, the
     * request is repeated without TLS, like the kubelet does.
     */
    private HookResult http(HookOwner owner, Prober.Target target, JsonNode httpGet, Duration limit)
            throws InterruptedException {
        String hook = "HTTP lifecycle hook (" + httpGet.path("path").asText("") + ")";
        try {
            HttpGet get = HttpGet.of(httpGet, target, "lifecycle");
            if (get.target().host().isEmpty()) {
                return HookResult.failed(owner.failed(hook, "failed to find networking container: no address"));
            }
            HookResult outcome = await(http(owner, hook, get, limit));
            if (get.target().isSecure() && outcome.message().endsWith(TlsConnection.PLAIN_HTTP)) {
                HttpTarget secure = get.target();
                HttpTarget plain = HttpTarget.of("http", secure.host(), secure.port(), secure.path());
                return await(http(owner, hook, new HttpGet(plain, get.host(), get.headers()), limit));
            }
            return outcome;
        } catch (ContainerPorts.UnknownPortException e) {
            return HookResult.failed(owner.failed(hook, e.getMessage()));
        }
    }

    private CompletionStage<HookResult> http(HookOwner owner, String hook, HttpGet get, Duration limit) {
        TimedAttempt<HookResult> attempt = new TimedAttempt<>(work.timers(), limit, () -> HookResult.timedOut(limit));
        HttpExchange exchange = new HttpExchange(network, attempt);
        String said = "Get " + ProbeMessages.quoted(get.target().toString()) + ": ";
        attempt.completeWith(
                exchange.run(get),
                (reply, failure) -> failure == null || exchange.isAnswered()
                        ? HookResult.done()
                        : HookResult.failed(owner.failed(hook, said + ProbeMessages.connectionError(failure))));
        return attempt.result();
    }

    private HookResult sleep(long seconds, Duration limit) throws InterruptedException {
        Duration wanted = Duration.ofSeconds(Math.max(0, seconds));
        boolean whole = wanted.compareTo(limit) <= 0;
        TimedAttempt<HookResult> attempt = new TimedAttempt<>(
                work.timers(), whole ? wanted : limit, () -> whole ? HookResult.done() : HookResult.timedOut(limit));
        return await(attempt.result());
    }

    private static HookResult await(CompletionStage<HookResult> outcome) throws InterruptedException {
        try {
            return outcome.toCompletableFuture().get();
        } catch (ExecutionException e) {
            return HookResult.failed(String.valueOf(e.getCause().getMessage()));
        }
    }

    /** Returns the container that owns this hook. Compares by identity, because two containers may have equal hooks. */
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

    /**
     * Thrown when a hook failed or timed out. The message is the kubelet's and meant for logs: it may contain the
     * hook's output.
     */
    public static final class HookException extends Exception {
        private final Kind kind;

        /** The kind of failure. */
        public enum Kind {
            /** The hook ran and failed, or could not be run. */
            FAILED,
            /**
             * The hook is still running after its time limit. This is not a failure of a preStop hook: its time is the
             * Pod's grace period.
             */
            TIMED_OUT
        }

        HookException(Kind kind, String message) {
            super(message);
            this.kind = kind;
        }

        public Kind kind() {
            return kind;
        }
    }
}
