package dev.mooring.sim.user;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.resource.WriteResponse;
import dev.mooring.model.StoredObject;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.sim.SimApi;
import dev.mooring.sim.SimSerialExecutor;
import dev.mooring.sim.SimTaskGroup;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The client of one user. Requests arrive on the API's event loop; responses are recorded there, whether or not the
 * user receives them. A killed server sends no further responses.
 */
final class SimClient {
    /**
     * Dependencies shared by all users.
     *
     * @param taskGroup of the users, which outlive servers
     * @param log sent requests, for people
     */
    record ClientContext(
            SimTaskGroup taskGroup,
            Supplier<Optional<SimApi>> api,
            AcknowledgedWrites acks,
            List<String> log,
            InvariantViolations violations,
            Coverage coverage,
            TenantChecks tenantChecks) {}

    private final User user;
    private final ClientContext context;
    private final SimSerialExecutor executor;
    private Disposable watch = Disposable.disposed();

    SimClient(User user, ClientContext context) {
        this.user = user;
        this.context = context;
        this.executor = context.taskGroup().executor(user.name());
    }

    String name() {
        return user.name();
    }

    /** Returns the namespaces of the user's role, sorted; empty for all. */
    List<String> namespaces() {
        return user.grant().isEverywhere()
                ? List.of()
                : user.grant().namespaces().stream().sorted().toList();
    }

    /** Returns the World that a read shows now; empty if no server runs. */
    Optional<World> world() {
        return context.api().get().map(server -> {
            World world = server.stateStore().ledger().world();
            if (world.revision() < context.acks().newest()) {
                context.violations()
                        .report(
                                "I1",
                                "revision " + context.acks().newest()
                                        + " was acknowledged, but a read afterwards shows " + world.revision());
            }
            return world;
        });
    }

    /** Runs a task after a delay. */
    void later(Duration delay, Runnable task) {
        Disposable unused = context.taskGroup().after(delay, executor, task);
    }

    void send(SimRequest request) {
        send(request, reply -> {});
    }

    /**
     * Sends a request.
     *
     * @param then receives the response, if there is one
     */
    void send(SimRequest request, Consumer<SimReply> then) {
        Optional<SimApi> server = context.api().get();
        if (server.isEmpty()) {
            context.coverage().hit("user " + request.description(), "no server");
            return;
        }
        AcknowledgedWrites.Entry entry = context.acks().sent(user.name(), request);
        context.log().add(entry.toString());
        server.get().loop().execute(() -> receive(server.get(), request, entry, then));
    }

    private void receive(SimApi server, SimRequest request, AcknowledgedWrites.Entry entry, Consumer<SimReply> then) {
        CompletionStage<WriteResponse> stage;
        try {
            ResourceRef target =
                    target(server, request.resource(), request.namespace(), request.name(), request.subresource());
            server.access().require(user, request.verb().text(), target);
            WriteOptions options =
                    new WriteOptions(user, user.name(), entry.id(), request.mode(), request.validation());
            stage = request.call().on(server.writer(), target, options, server.loop());
        } catch (RuntimeException e) {
            answered(request, entry, failed(request, e), then);
            return;
        }
        CompletionStage<WriteResponse> unused = stage.whenComplete((answer, failure) ->
                answered(request, entry, failure == null ? SimReply.of(answer) : failed(request, failure), then));
    }

    private static ResourceRef target(
            SimApi server, String resource, Optional<String> namespace, Optional<String> name, String subresource) {
        return new ResourceRef(server.catalog().ofResource(resource).orElseThrow(), namespace, name, subresource);
    }

    /**
     * Reads an object, or a list if the name is empty.
     *
     * @param at whether the revision is requested as history
     */
    void read(String resource, Optional<String> namespace, Optional<String> name, OptionalLong revision, boolean at) {
        String what = "reads " + resource + (revision.isPresent() ? at ? " at" : " as of" : "");
        attempt(what + ' ' + revision + ' ' + namespace + ' ' + name, what, server -> {
            List<StoredObject> shown =
                    server.access().read(user, target(server, resource, namespace, name, ""), revision, at);
            World now = server.stateStore().ledger().world();
            context.tenantChecks().shown(user, shown, now, at && revision.isPresent());
            return shown.isEmpty() ? "nothing" : "done";
        });
    }

    /** Requests to run a command in a container, without running it. */
    void exec(String namespace, String pod) {
        attempt("runs a command in " + namespace + '/' + pod, "runs a command", server -> {
            ResourceRef target = target(server, NamePools.PODS, Optional.of(namespace), Optional.of(pod), "exec");
            server.access().require(user, "create", target);
            context.tenantChecks().executed(user, namespace);
            return "done";
        });
    }

    /** Watches from a revision and ends the previous watch. */
    void watch(String resource, String namespace, long from) {
        attempt("watches " + resource + " of " + namespace + " from " + from, "watches " + resource, server -> {
            watch.dispose();
            ResourceRef target = target(server, resource, Optional.of(namespace), Optional.empty(), "");
            server.access().requireWatch(user, target, from);
            TenantChecks checks = context.tenantChecks();
            long since = checks.since(namespace);
            watch = server.stateStore()
                    .hub()
                    .events(
                            from,
                            target.kind().scope(target.namespace()),
                            server.taskGroup().scheduler(user.name()))
                    .subscribe(event -> checks.watched(user, namespace, since, event.revision()), error -> {});
            return "done";
        });
    }

    /** A read on the API's event loop. */
    private interface Attempt {
        /**
         * Executes the read.
         *
         * @return the result, for the coverage
         */
        String on(SimApi server) throws IOException;
    }

    private void attempt(String description, String what, Attempt attempt) {
        context.log().add(user.name() + ' ' + description);
        context.api()
                .get()
                .ifPresent(server -> server.loop().execute(() -> {
                    String result;
                    try {
                        result = attempt.on(server);
                    } catch (StatusException e) {
                        result = SimReply.refused(e.status()).text();
                    } catch (IOException e) {
                        result = "the log cannot be read";
                    }
                    context.coverage().hit("tenant " + what, result);
                }));
    }

    private SimReply failed(SimRequest request, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StatusException refused) {
            return SimReply.refused(refused.status());
        }
        context.violations()
                .report("API", user.name() + " " + request.description() + ", but the server failed: " + cause);
        return SimReply.refused(Status.internalError());
    }

    private void answered(SimRequest request, AcknowledgedWrites.Entry entry, SimReply reply, Consumer<SimReply> then) {
        context.acks().answered(entry, reply);
        context.tenantChecks().answered(user, request, reply);
        context.coverage().hit("user " + request.description(), reply.text());
        require(
                request.expected() == SimRequest.ExpectedResult.ANY || !reply.isSuccess(),
                "API",
                () -> user.name() + " " + request.description() + ", which must be rejected, but succeeded");
        reply.refusal()
                .filter(status -> status.code() >= 500 && status.code() != 503)
                .ifPresent(status -> context.violations()
                        .report("API", user.name() + " " + request.description() + ", and was answered " + status));
        executor.execute(() -> then.accept(reply));
    }

    private void require(boolean holds, String invariant, Supplier<String> message) {
        if (!holds) {
            context.violations().report(invariant, message.get());
        }
    }
}
