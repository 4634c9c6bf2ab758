package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.discovery.ApiDiscovery;
import dev.mooring.api.discovery.Document;
import dev.mooring.api.discovery.OpenApi;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import java.util.Locale;
import java.util.Optional;

/** Serves discovery and OpenAPI documents. They only change with the program, so clients cache them by ETag. */
final class DocumentHandler {
    /**
     * kubectl checks here whether an unknown kind is a custom resource. Without a response it aborts the whole file,
     * instead of reporting the kind and applying the rest.
     */
    private static final String CUSTOM_RESOURCE_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private static final Buffer NO_DEFINITIONS =
            Buffer.buffer("{\"kind\":\"CustomResourceDefinitionList\",\"apiVersion\":\"apiextensions.k8s.io/v1\","
                    + "\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}\n");

    private final Vertx vertx;
    private final ApiDiscovery discovery;
    private final OpenApi openApi;

    DocumentHandler(Vertx vertx, ApiDiscovery discovery, OpenApi openApi) {
        this.vertx = vertx;
        this.discovery = discovery;
        this.openApi = openApi;
    }

    /** Handles the request and returns true if there is a document at the path. */
    boolean handle(ApiRequest request) {
        String path = request.request().path();
        if (path.startsWith("/openapi/")) {
            requireGet(request);
            openApi(request, path);
            return true;
        }
        if (path.equals(CUSTOM_RESOURCE_DEFINITIONS)) {
            requireGet(request);
            request.respond(200, "application/json", NO_DEFINITIONS.copy());
            return true;
        }
        var answer = discovery.find(path, request.header(HttpHeaders.ACCEPT));
        if (answer.isEmpty()) {
            return false;
        }
        requireGet(request);
        if (!matchesEtag(request, answer.get().etag())) {
            HttpServerResponse response = request.response();
            response.putHeader(HttpHeaders.ETAG, answer.get().etag()).putHeader("Vary", "Accept");
            request.respond(
                    200, answer.get().contentType(), Buffer.buffer(answer.get().body()));
        }
        return true;
    }

    private static void requireGet(ApiRequest request) {
        if (!request.method().equals(HttpMethod.GET)) {
            throw new StatusException(Status.methodNotAllowed());
        }
    }

    /** Serves an OpenAPI document, which is built on first use off the event loop. */
    private void openApi(ApiRequest request, String path) {
        String hash = request.query().text("hash");
        String accept = request.header(HttpHeaders.ACCEPT);
        vertx.executeBlocking(
                        () -> openApi.find(path, hash.isEmpty() ? Optional.empty() : Optional.of(hash), accept), false)
                .onSuccess(document -> document.ifPresentOrElse(
                        found -> send(request, found), () -> request.respond(Status.pathNotFound())))
                .onFailure(request::fail);
    }

    /** Sends a document, compressed if the client accepts that, or 304 if the client has it. */
    static void send(ApiRequest request, Document document) {
        if (matchesEtag(request, document.etag())) {
            return;
        }
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        boolean packed = document.gzip().isPresent()
                && request.header(HttpHeaders.ACCEPT_ENCODING)
                        .toLowerCase(Locale.ROOT)
                        .contains("gzip");
        byte[] body = packed ? document.gzip().get() : document.body();
        boolean head = request.method().equals(HttpMethod.HEAD);
        if (!head && !request.reserve(body.length)) {
            return;
        }
        ApiRequest.setHeaders(response, document.contentType())
                .putHeader(HttpHeaders.ETAG, document.etag())
                .putHeader(HttpHeaders.CACHE_CONTROL, document.cacheControl())
                .putHeader("Vary", "Accept-Encoding, Accept");
        if (packed) {
            response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
        }
        request.recordResponse(200);
        if (head) {
            response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length))
                    .end();
        } else {
            request.releaseAfter(response.end(Buffer.buffer(body)));
        }
    }

    private static boolean matchesEtag(ApiRequest request, String etag) {
        boolean known = request.header(HttpHeaders.IF_NONE_MATCH).contains(etag);
        if (known) {
            request.response()
                    .setStatusCode(304)
                    .putHeader(HttpHeaders.ETAG, etag)
                    .end();
        }
        return known;
    }
}
