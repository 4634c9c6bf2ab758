package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.ChaosService;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Handles fault injection: {@code GET …/chaos} returns the state, {@code POST …/chaos/ACTION} performs an action.
 * Admins only, because no policy rule names these paths. If fault injection is disabled, the paths do not exist.
 */
final class ChaosHandler {
    private static final String PATH = "/apis/mooring.dev/v1/chaos";
    private static final int DONE = 200;

    private final RequestBodyReader bodyReader;
    private final Authorizer authorizer;
    private final Optional<ChaosService> service;

    ChaosHandler(RequestBodyReader bodyReader, ApiCore core) {
        this.bodyReader = bodyReader;
        this.authorizer = core.authorizer();
        this.service = core.services().chaos();
    }

    /** Handles the request and returns true if it is for fault injection and that is enabled. */
    boolean handle(ApiRequest request) {
        String path = request.request().path();
        if (service.isEmpty() || !path.startsWith(PATH)) {
            return false;
        }
        String action = path.substring(PATH.length());
        if (action.isEmpty()) {
            require(request, HttpMethod.GET, "list", "");
            respond(request, service.get().report());
            return true;
        }
        if (action.charAt(0) != '/' || action.length() == 1 || action.indexOf('/', 1) >= 0) {
            return false;
        }
        require(request, HttpMethod.POST, "create", action.substring(1));
        bodyReader.read(request, body -> perform(request, action.substring(1), body));
        return true;
    }

    private void require(ApiRequest request, HttpMethod method, String verb, String action) {
        Attributes.Resource wanted =
                Attributes.resource(verb, "mooring.dev", "chaos").withName(action);
        Authorizer.AuthorizationDecision decision = authorizer.decide(request.user(), wanted);
        request.audit().setResource(wanted, "v1");
        request.audit().setDecision(decision);
        if (decision instanceof Authorizer.AuthorizationDecision.Denied denied) {
            throw new StatusException(Status.forbidden(denied.message()));
        }
        if (!request.method().equals(method)) {
            throw new StatusException(Status.methodNotAllowed());
        }
    }

    private void perform(ApiRequest request, String action, byte[] body) {
        ObjectNode asked = RequestBodyDecoder.decodeUntyped(request.header(HttpHeaders.CONTENT_TYPE), body);
        respond(
                request,
                service.orElseThrow().perform(action, asked, request.user().name()));
    }

    private static void respond(ApiRequest request, CompletionStage<ObjectNode> response) {
        response.whenCompleteAsync(
                (content, failure) -> {
                    if (failure == null) {
                        request.respond(DONE, content.toString().getBytes(StandardCharsets.UTF_8));
                    } else {
                        request.fail(failure);
                    }
                },
                request.contextExecutor());
    }
}
