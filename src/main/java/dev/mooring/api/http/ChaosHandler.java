package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.ApiCore;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.Decision;
import dev.mooring.api.chaos.ChaosDesk;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Faults on demand: {@code GET …/chaos} says how things stand, {@code POST …/chaos/ACTION} does something. For admins, since no policy names it for
 * anybody else. A server without it knows no such path.
 */
final class ChaosHandler {
    private static final String PATH = "/apis/mooring.dev/v1/chaos";
    private static final int DONE = 200;

    private final Reception reception;
    private final Optional<ChaosDesk> desk;

    ChaosHandler(Reception reception, ApiCore core) {
        this.reception = reception;
        this.desk = core.chaos();
    }

    /** Whether the path is about faults and there is a desk; if so, the request is answered. */
    boolean handle(Exchange exchange) {
        String path = exchange.request().path();
        if (desk.isEmpty() || !path.startsWith(PATH)) {
            return false;
        }
        String action = path.substring(PATH.length());
        if (action.isEmpty()) {
            require(exchange, HttpMethod.GET, "list", "");
            answer(exchange, desk.get().report());
            return true;
        }
        if (action.charAt(0) != '/' || action.length() == 1 || action.indexOf('/', 1) >= 0) {
            return false;
        }
        require(exchange, HttpMethod.POST, "create", action.substring(1));
        reception.receive(exchange, body -> perform(exchange, action.substring(1), body));
        return true;
    }

    private static void require(Exchange exchange, HttpMethod method, String verb, String action) {
        Attributes wanted = Attributes.resource(verb, "mooring.dev", "chaos").withName(action);
        if (Authorizer.decide(exchange.user(), wanted) instanceof Decision.Denied denied) {
            throw new StatusException(Status.forbidden(denied.message()));
        }
        if (!exchange.method().equals(method)) {
            throw new StatusException(Status.methodNotAllowed());
        }
    }

    private void perform(Exchange exchange, String action, byte[] body) {
        ObjectNode asked = Bodies.loose(exchange.header(HttpHeaders.CONTENT_TYPE), body);
        answer(
                exchange,
                desk.orElseThrow().perform(action, asked, exchange.user().name()));
    }

    private static void answer(Exchange exchange, CompletionStage<ObjectNode> answer) {
        answer.whenCompleteAsync(
                (content, failure) -> {
                    if (failure == null) {
                        exchange.answer(DONE, content.toString().getBytes(StandardCharsets.UTF_8));
                    } else {
                        exchange.fail(failure);
                    }
                },
                exchange.back());
    }
}
