package dev.mooring.sim.user;

import dev.mooring.api.auth.User;
import dev.mooring.api.resource.Answer;
import dev.mooring.api.resource.Target;
import dev.mooring.api.resource.WriteOptions;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Living;
import dev.mooring.sim.SimApi;
import dev.mooring.sim.Strand;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One user's way to the server: what is sent arrives on the API's event loop, and what is answered there is remembered as said, whether or not
 * the user gets to read it. A server that dies answers nothing more.
 */
final class Client {
    /**
     * What all users share.
     *
     * @param life of the users, who outlive servers
     * @param news what they send, for people
     */
    record Surroundings(
            Living life,
            Supplier<Optional<SimApi>> api,
            Acks acks,
            List<String> news,
            Findings findings,
            Coverage coverage) {}

    private final User user;
    private final Surroundings around;
    private final Strand strand;

    Client(User user, Surroundings around) {
        this.user = user;
        this.around = around;
        this.strand = around.life().strand(user.name());
    }

    String name() {
        return user.name();
    }

    /** What a read shows now; nothing if no server runs. */
    Optional<World> world() {
        return around.api().get().map(server -> {
            World world = server.spine().ledger().world();
            if (world.revision() < around.acks().newest()) {
                around.findings()
                        .report(
                                "I1",
                                "revision " + around.acks().newest() + " was acknowledged, but a read afterwards shows "
                                        + world.revision());
            }
            return world;
        });
    }

    /** Does something after a while. */
    void later(Duration delay, Runnable task) {
        Disposable unused = around.life().after(delay, strand, task);
    }

    void send(Request request) {
        send(request, reply -> {});
    }

    /** @param then is told the answer, if one comes */
    void send(Request request, Consumer<Reply> then) {
        Optional<SimApi> server = around.api().get();
        if (server.isEmpty()) {
            around.coverage().hit("user " + request.what(), "no server");
            return;
        }
        Acks.Entry entry = around.acks().sent(user.name(), request);
        around.news().add(entry.toString());
        server.get().loop().execute(() -> receive(server.get(), request, entry, then));
    }

    private void receive(SimApi server, Request request, Acks.Entry entry, Consumer<Reply> then) {
        CompletionStage<Answer> stage;
        try {
            Target target = new Target(
                    server.catalog().ofResource(request.resource()).orElseThrow(),
                    request.namespace(),
                    request.name(),
                    request.subresource());
            WriteOptions options =
                    new WriteOptions(user, user.name(), entry.id(), request.mode(), request.validation());
            stage = request.call().on(server.writer(), target, options, server.loop());
        } catch (RuntimeException e) {
            answered(request, entry, failed(request, e), then);
            return;
        }
        CompletionStage<Answer> unused = stage.whenComplete((answer, failure) ->
                answered(request, entry, failure == null ? Reply.of(answer) : failed(request, failure), then));
    }

    private Reply failed(Request request, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StatusException refused) {
            return Reply.refused(refused.status());
        }
        around.findings().report("API", user.name() + " " + request.what() + ", and the server broke: " + cause);
        return Reply.refused(Status.internalError());
    }

    private void answered(Request request, Acks.Entry entry, Reply reply, Consumer<Reply> then) {
        around.acks().answered(entry, reply);
        around.coverage().hit("user " + request.what(), reply.text());
        require(
                request.hope() == Request.Hope.OPEN || !reply.isSuccess(),
                "API",
                () -> user.name() + " " + request.what() + ", which must be refused, but it was done");
        reply.refusal()
                .filter(status -> status.code() >= 500 && status.code() != 503)
                .ifPresent(status -> around.findings()
                        .report("API", user.name() + " " + request.what() + ", and was answered " + status));
        strand.execute(() -> then.accept(reply));
    }

    private void require(boolean holds, String invariant, Supplier<String> otherwise) {
        if (!holds) {
            around.findings().report(invariant, otherwise.get());
        }
    }
}
