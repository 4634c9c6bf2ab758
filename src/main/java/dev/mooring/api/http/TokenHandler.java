package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.ApiCore;
import dev.mooring.api.auth.Reply;
import dev.mooring.api.auth.Reviews;
import dev.mooring.api.auth.TokenRequests;
import dev.mooring.api.auth.User;
import dev.mooring.api.decode.Decoded;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.resource.Answer;
import dev.mooring.api.resource.Target;
import dev.mooring.api.resource.Writer;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Ledger;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/** Questions of users about themselves, and tokens for service accounts. */
final class TokenHandler {
    private static final String AUTHORIZATION = "/apis/authorization.k8s.io/v1/";
    private static final String AUTHENTICATION = "/apis/authentication.k8s.io/v1/";

    private final Reception reception;
    private final Ledger ledger;
    private final Writer writer;
    private final TokenRequests requests;
    private final Kind tokenKind;
    private final Map<String, BiFunction<ObjectNode, User, Reply<ObjectNode>>> reviews;

    TokenHandler(Reception reception, ApiCore core) {
        this.reception = reception;
        this.ledger = core.spine().ledger();
        this.writer = core.writer();
        this.requests = core.tokenRequests();
        this.tokenKind = core.catalog().ofResource("tokens.mooring.dev").orElseThrow();
        this.reviews = Map.of(
                AUTHORIZATION + "selfsubjectaccessreviews", Reviews::access,
                AUTHORIZATION + "selfsubjectrulesreviews", Reviews::rules,
                AUTHENTICATION + "selfsubjectreviews",
                        (review, user) ->
                                Reviews.self(review, user, core.clock().instant()));
    }

    /** Whether the path is one of the reviews; if so, the request is answered. */
    boolean review(Exchange exchange) {
        BiFunction<ObjectNode, User, Reply<ObjectNode>> review =
                reviews.get(exchange.request().path());
        if (review == null) {
            return false;
        }
        if (!exchange.method().equals(HttpMethod.POST)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        reception.receive(exchange, body -> {
            ObjectNode asked = Bodies.loose(exchange.header(HttpHeaders.CONTENT_TYPE), body);
            ObjectNode answer = require(review.apply(asked, exchange.user()));
            exchange.answer(201, answer.toString().getBytes(StandardCharsets.UTF_8));
        });
        return true;
    }

    /** {@code kubectl create token}: the answer goes out once the token's hash is durable. */
    void issue(Exchange exchange, Target target, byte[] body) {
        Target account = new Target(target.kind(), target.namespace(), target.name(), "");
        StoredObject stored =
                ledger.world().get(account.key()).orElseThrow(() -> new StatusException(account.notFound()));
        ObjectNode asked = Bodies.loose(exchange.header(HttpHeaders.CONTENT_TYPE), body);
        TokenRequests.Issued issued = require(requests.issue(asked, stored));
        Target tokens = new Target(tokenKind, Optional.empty(), Optional.empty(), "");
        writer.create(tokens, new Decoded(issued.object(), List.of()), WriteHandler.options(exchange), exchange.back())
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        byte[] response = issued.response().toString().getBytes(StandardCharsets.UTF_8);
                        exchange.answer(new Answer(
                                201, response, issued.warning().map(List::of).orElse(List.of())));
                    } else {
                        exchange.fail(failure);
                    }
                });
    }

    private static <T> T require(Reply<T> reply) {
        if (reply instanceof Reply.Answer<T> answer) {
            return answer.content();
        }
        if (reply instanceof Reply.Invalid<T> invalid) {
            List<Status.Cause> causes = invalid.violations().all().stream()
                    .map(each -> new Status.Cause(each.reason(), each.message(), each.field()))
                    .toList();
            throw new StatusException(new Status(
                    422,
                    "Invalid",
                    invalid.kind() + "." + invalid.group() + " \"" + invalid.name() + "\" is invalid: "
                            + invalid.violations().text(),
                    new Status.Details(invalid.name(), invalid.group(), invalid.kind(), "", causes, 0)));
        }
        throw new StatusException(Status.badRequest(((Reply.BadRequest<T>) reply).message()));
    }
}
