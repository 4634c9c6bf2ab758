package dev.mooring.node.probe;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One GET, with the redirects that stay on the same host. Used once. */
final class HttpExchange {
    private static final int MAX_REDIRECTS = 10;

    private final Network network;
    private final Attempt<?> attempt;
    private volatile boolean answered;

    HttpExchange(Network network, Attempt<?> attempt) {
        this.network = network;
        this.attempt = attempt;
    }

    /** Whether a status has come, whatever became of what was to come after it. */
    boolean isAnswered() {
        return answered;
    }

    /** The last answer. A redirect that is not followed is one. */
    CompletableFuture<HttpReply> run(HttpGet get) {
        return follow(get, 1);
    }

    private CompletableFuture<HttpReply> follow(HttpGet get, int requests) {
        return once(get).thenCompose(reply -> {
            Optional<HttpTarget> next = reply.location()
                    .flatMap(get.target()::resolve)
                    .filter(each -> each.host().equalsIgnoreCase(get.target().host()));
            if (next.isEmpty()) {
                return CompletableFuture.completedFuture(reply);
            }
            answered = false;
            return requests == MAX_REDIRECTS
                    ? CompletableFuture.failedFuture(new IOException("stopped after " + MAX_REDIRECTS + " redirects"))
                    : follow(get.at(next.get()), requests + 1);
        });
    }

    private CompletableFuture<HttpReply> once(HttpGet get) {
        HttpTarget target = get.target();
        byte[] request;
        try {
            request = get.bytes();
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
        return network.dial(attempt, target.host(), target.port())
                .thenCompose(wire -> target.isSecure()
                        ? TlsWire.over(wire, target.host(), target.port())
                        : CompletableFuture.completedFuture(wire))
                .thenCompose(wire -> wire.write(request)
                        .thenCompose(done -> reply(wire, new HttpReplyReader()))
                        .whenComplete((reply, failure) -> wire.close()));
    }

    private CompletableFuture<HttpReply> reply(Wire wire, HttpReplyReader reader) {
        return wire.read().thenCompose(bytes -> {
            try {
                Optional<HttpReply> reply = reader.feed(bytes);
                answered = reader.hasHead();
                return reply.map(CompletableFuture::completedFuture).orElseGet(() -> reply(wire, reader));
            } catch (IOException e) {
                answered = reader.hasHead();
                return CompletableFuture.failedFuture(e);
            }
        });
    }
}
