package dev.mooring.api.http;

import dev.mooring.api.discovery.Discovery;
import dev.mooring.api.openapi.Document;
import dev.mooring.api.openapi.OpenApi;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import java.util.Locale;
import java.util.Optional;

/** What the API says about itself: discovery and OpenAPI. Changes with the program only, so clients keep it by its ETag. */
final class DocumentHandler {
    private final Vertx vertx;
    private final Discovery discovery;
    private final OpenApi openApi;

    DocumentHandler(Vertx vertx, Discovery discovery, OpenApi openApi) {
        this.vertx = vertx;
        this.discovery = discovery;
        this.openApi = openApi;
    }

    /** Whether there is a document at the path; if so, the request is answered. */
    boolean handle(Exchange exchange) {
        String path = exchange.request().path();
        if (path.startsWith("/openapi/")) {
            requireGet(exchange);
            openApi(exchange, path);
            return true;
        }
        var answer = discovery.answer(path, exchange.header(HttpHeaders.ACCEPT));
        if (answer.isEmpty()) {
            return false;
        }
        requireGet(exchange);
        if (!isKnown(exchange, answer.get().etag())) {
            HttpServerResponse response = exchange.response();
            response.putHeader(HttpHeaders.ETAG, answer.get().etag()).putHeader("Vary", "Accept");
            exchange.answer(
                    200, answer.get().contentType(), Buffer.buffer(answer.get().body()));
        }
        return true;
    }

    private static void requireGet(Exchange exchange) {
        if (!exchange.method().equals(HttpMethod.GET)) {
            throw new StatusException(Status.methodNotAllowed());
        }
    }

    /** Made when somebody asks first, which takes a while. */
    private void openApi(Exchange exchange, String path) {
        String hash = exchange.query().text("hash");
        String accept = exchange.header(HttpHeaders.ACCEPT);
        vertx.executeBlocking(
                        () -> openApi.answer(path, hash.isEmpty() ? Optional.empty() : Optional.of(hash), accept),
                        false)
                .onSuccess(document -> document.ifPresentOrElse(
                        found -> send(exchange, found), () -> exchange.answer(Status.pathNotFound())))
                .onFailure(exchange::fail);
    }

    private static void send(Exchange exchange, Document document) {
        if (isKnown(exchange, document.etag())) {
            return;
        }
        HttpServerResponse response = exchange.response();
        if (response.ended() || response.closed()) {
            return;
        }
        Exchange.head(response, document.contentType())
                .putHeader(HttpHeaders.ETAG, document.etag())
                .putHeader(HttpHeaders.CACHE_CONTROL, document.cacheControl())
                .putHeader("Vary", "Accept-Encoding, Accept");
        boolean packed = exchange.header(HttpHeaders.ACCEPT_ENCODING)
                .toLowerCase(Locale.ROOT)
                .contains("gzip");
        if (packed && document.gzip().isPresent()) {
            response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
            response.end(Buffer.buffer(document.gzip().get()));
        } else {
            response.end(Buffer.buffer(document.body()));
        }
        exchange.access().answered(exchange.request(), 200);
    }

    private static boolean isKnown(Exchange exchange, String etag) {
        boolean known = exchange.header(HttpHeaders.IF_NONE_MATCH).contains(etag);
        if (known) {
            exchange.response()
                    .setStatusCode(304)
                    .putHeader(HttpHeaders.ETAG, etag)
                    .end();
        }
        return known;
    }
}
