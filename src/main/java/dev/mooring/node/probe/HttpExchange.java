package dev.mooring.node.probe;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One GET request that follows redirects on the same host. Used once. */
final class HttpExchange {
    private static final int MAX_REDIRECTS = 10;

    private final NetworkDialer network;
    private final TimedAttempt<?> attempt;
    private volatile boolean answered;

    HttpExchange(NetworkDialer network, TimedAttempt<?> attempt) {
        this.network = network;
        this.attempt = attempt;
    }

    /** Returns whether a status has arrived, even if a later step failed. */
    boolean isAnswered() {
        return answered;
    }

    /** Returns the last response, which may be a redirect that was not followed. */
    CompletableFuture<HttpReply> run(HttpGet get) {
        return followRedirects(get, 1);
    }

    private CompletableFuture<HttpReply> followRedirects(HttpGet get, int requests) {
        return sendOnce(get).thenCompose(reply -> {
            Optional<HttpTarget> next = reply.location()
                    .flatMap(get.target()::resolve)
                    .filter(each -> each.host().equalsIgnoreCase(get.target().host()));
            if (next.isEmpty()) {
                return CompletableFuture.completedFuture(reply);
            }
            answered = false;
            return requests == MAX_REDIRECTS
                    ? CompletableFuture.failedFuture(new IOException("stopped after " + MAX_REDIRECTS + " redirects"))
                    : followRedirects(get.withTarget(next.get()), requests + 1);
        });
    }

    private CompletableFuture<HttpReply> sendOnce(HttpGet get) {
        HttpTarget target = get.target();
        byte[] request;
        try {
            request = get.bytes();
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
        return network.dial(attempt, target.host(), target.port())
                .thenCompose(connection -> target.isSecure()
                        ? TlsConnection.over(connection, target.host(), target.port())
                        : CompletableFuture.completedFuture(connection))
                .thenCompose(connection -> connection
                        .write(request)
                        .thenCompose(done -> reply(connection, new HttpReplyReader()))
                        .whenComplete((reply, failure) -> connection.close()));
    }

    private CompletableFuture<HttpReply> reply(NetworkDialer.AsyncConnection connection, HttpReplyReader reader) {
        return connection.read().thenCompose(bytes -> {
            try {
                Optional<HttpReply> reply = reader.feed(bytes);
                answered = reader.hasHead();
                return reply.map(CompletableFuture::completedFuture).orElseGet(() -> reply(connection, reader));
            } catch (IOException e) {
                answered = reader.hasHead();
                return CompletableFuture.failedFuture(e);
            }
        });
    }

    /**
     * The status and headers of an HTTP response. Excludes the body, because results become Events, whose readers may
     * not be allowed to read responses.
     *
     * @param headers by lower-case name; the last one of each name
     */
    record HttpReply(int status, Map<String, String> headers) {
        HttpReply {
            headers = Map.copyOf(headers);
        }

        /** Returns the redirect target. */
        Optional<String> location() {
            return switch (status) {
                case 301, 302, 303, 307, 308 ->
                    Optional.ofNullable(headers.get("location")).filter(text -> !text.isEmpty());
                default -> Optional.empty();
            };
        }
    }
}
