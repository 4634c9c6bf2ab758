package dev.mooring.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.RateLimit;
import dev.mooring.api.auth.SignInCodes;
import dev.mooring.api.discovery.Document;
import dev.mooring.model.Json;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Serves the web page without a token: its files, {@code config.json}, and the exchange of a one-time code for a token.
 * Confined to one event loop.
 */
final class UiHandler {
    static final String ROOT = "/ui/";

    /** Path at which a user with a token gets a code for a browser. */
    private static final String CODES = "/apis/mooring.dev/v1/signincodes";

    private static final int LOGIN_BODY_BYTES = 4096;

    /** A page of another origin can neither frame nor open this one, and this page loads nothing from other hosts. */
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                    + "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin");

    private final Vertx vertx;
    private final UiContext ui;
    private final Authorizer authorizer;
    private final RequestBodyReader bodyReader;
    private final TokenHandler tokens;

    UiHandler(Vertx vertx, UiContext ui, Authorizer authorizer, RequestBodyReader bodyReader, TokenHandler tokens) {
        this.vertx = vertx;
        this.ui = ui;
        this.authorizer = authorizer;
        this.bodyReader = bodyReader;
        this.tokens = tokens;
    }

    /** Returns whether the path belongs to the page; {@code /} does for browsers. */
    static boolean isForPage(String path, MultiMap headers) {
        return path.startsWith(ROOT)
                || path.equals("/ui")
                || (path.equals("/") && acceptsHtml(headers.get(HttpHeaders.ACCEPT)));
    }

    /** Returns the limit for the bytes of large files that clients have not read yet. */
    SharedLimit unreadBytes() {
        return ui.unreadBytes();
    }

    /** Handles a request of a client without a token. */
    void handle(ApiRequest request) {
        HEADERS.forEach(request.response()::putHeader);
        requireWithin(ui.requests(), request);
        String path = request.request().path();
        if (path.equals(ROOT + "login")) {
            signIn(request);
            return;
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        if (!path.startsWith(ROOT)) {
            request.response().putHeader(HttpHeaders.LOCATION, ROOT).setStatusCode(302);
            request.recordResponse(302);
            request.response().end();
        } else if (path.equals(ROOT + "config.json")) {
            request.respond(200, ui.config());
        } else {
            ui.files()
                    .ifLoaded()
                    .ifPresentOrElse(
                            files -> send(request, files),
                            () -> vertx.executeBlocking(ui.files()::load, false)
                                    .onSuccess(files -> send(request, files))
                                    .onFailure(request::fail));
        }
    }

    /** Handles a request for a new code and returns true if the path is that of codes. */
    boolean issueCode(ApiRequest request) {
        if (!request.request().path().equals(CODES)) {
            return false;
        }
        // A code is worth a token, so that it needs the same permission.
        Attributes.Resource wanted = Attributes.resource("create", "mooring.dev", "tokens");
        Authorizer.AuthorizationDecision decision = authorizer.decide(request.user(), wanted);
        request.audit().setResource(wanted, "v1");
        request.audit().setDecision(decision);
        if (decision instanceof Authorizer.AuthorizationDecision.Denied denied) {
            throw new StatusException(Status.forbidden(denied.message()));
        }
        if (!request.method().equals(HttpMethod.POST)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        ObjectNode response = Json.MAPPER.createObjectNode().put("kind", "SignInCode");
        response.put("apiVersion", "mooring.dev/v1")
                .put("path", ui.link())
                .put("expirationSeconds", SignInCodes.LIFETIME.toSeconds());
        request.respond(201, response.toString().getBytes(StandardCharsets.UTF_8));
        return true;
    }

    private static boolean acceptsHtml(String accept) {
        return accept != null && accept.contains("text/html");
    }

    private void send(ApiRequest request, Map<String, Document> files) {
        String name = request.request().path().substring(ROOT.length());
        Document file = files.get(name.isEmpty() ? "index.html" : name);
        if (file == null) {
            request.respond(Status.pathNotFound());
        } else {
            DocumentHandler.send(request, file);
        }
    }

    private void signIn(ApiRequest request) {
        if (!request.method().equals(HttpMethod.POST)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        requireWithin(ui.signIns(), request);
        bodyReader.read(request, LOGIN_BODY_BYTES, body -> {
            JsonNode code = RequestBodyDecoder.decodeUntyped(request.header(HttpHeaders.CONTENT_TYPE), body)
                    .path("code");
            if (!ui.codes().redeem(code.asText(""))) {
                throw new StatusException(new Status(
                        401,
                        "Unauthorized",
                        "The sign-in code is wrong, used or older than "
                                + SignInCodes.LIFETIME.toMinutes()
                                + " minutes; run \"mooring token page\" for a new link, or sign in with a token of"
                                + " \"mooring token create\""));
            }
            tokens.signIn(request);
        });
    }

    private static void requireWithin(RateLimit limit, ApiRequest request) {
        Optional<Duration> wait = limit.acquire(request.user().name());
        if (wait.isPresent()) {
            throw new StatusException(RequestAuthenticator.tooManyRequests(request.user(), wait.get()));
        }
    }
}
