package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.ReviewResponse;
import dev.mooring.api.auth.SelfSubjectReviews;
import dev.mooring.api.auth.TokenRequests;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.api.resource.WriteResponse;
import dev.mooring.api.table.AcceptHeader;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Ledger;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/** Handles self-reviews of users and token requests for service accounts. */
final class TokenHandler {
    private static final String AUTHORIZATION = "/apis/authorization.k8s.io/v1/";
    private static final String AUTHENTICATION = "/apis/authentication.k8s.io/v1/";

    private final RequestBodyReader bodyReader;
    private final Ledger ledger;
    private final ResourceWriter writer;
    private final TokenRequests requests;
    private final KindDefinition tokenKind;
    private final Map<String, BiFunction<ObjectNode, User, ReviewResponse<ObjectNode>>> reviews;

    TokenHandler(RequestBodyReader bodyReader, ApiCore core) {
        this.bodyReader = bodyReader;
        this.ledger = core.stateStore().ledger();
        this.writer = core.writer();
        this.requests = core.tokenRequests();
        this.tokenKind = core.catalog().ofResource("tokens.mooring.dev").orElseThrow();
        this.reviews = Map.of(
                AUTHORIZATION + "selfsubjectaccessreviews",
                        (review, user) -> SelfSubjectReviews.accessReview(review, user, core.authorizer()),
                AUTHORIZATION + "selfsubjectrulesreviews", SelfSubjectReviews::rulesReview,
                AUTHENTICATION + "tokenreviews",
                        (review, user) -> {
                            Attributes wanted = Attributes.resource("create", "authentication.k8s.io", "tokenreviews");
                            if (core.authorizer().decide(user, wanted)
                                    instanceof Authorizer.AuthorizationDecision.Denied denied) {
                                throw new StatusException(Status.forbidden(denied.message()));
                            }
                            return SelfSubjectReviews.tokenReview(review, core.authenticator(), ledger.world());
                        },
                AUTHENTICATION + "selfsubjectreviews",
                        (review, user) -> SelfSubjectReviews.selfReview(
                                review, user, core.clock().instant()));
    }

    /** Handles the request and returns true if the path is a review. */
    boolean review(ApiRequest request) {
        BiFunction<ObjectNode, User, ReviewResponse<ObjectNode>> review =
                reviews.get(request.request().path());
        if (review == null) {
            return false;
        }
        if (!request.method().equals(HttpMethod.POST)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        requirePlain(request);
        bodyReader.read(request, body -> {
            ObjectNode asked = RequestBodyDecoder.decodeUntyped(request.header(HttpHeaders.CONTENT_TYPE), body);
            ObjectNode answer = require(review.apply(asked, request.user()));
            request.respond(201, answer.toString().getBytes(StandardCharsets.UTF_8));
        });
        return true;
    }

    /** Handles {@code kubectl create token}. */
    void issue(ApiRequest request, ResourceRef target, byte[] body) {
        requirePlain(request);
        ResourceRef account = new ResourceRef(target.kind(), target.namespace(), target.name(), "");
        StoredObject stored =
                ledger.world().get(account.key()).orElseThrow(() -> new StatusException(account.notFound()));
        ObjectNode asked = RequestBodyDecoder.decodeUntyped(request.header(HttpHeaders.CONTENT_TYPE), body);
        TokenRequests.AccountToken issued = require(requests.issue(asked, stored, ledger.world()));
        byte[] response = issued.response().toString().getBytes(StandardCharsets.UTF_8);
        request.respond(
                new WriteResponse(201, response, issued.warning().map(List::of).orElse(List.of())));
    }

    /** Issues a token for the web page to a client whose sign-in code was valid. */
    void signIn(ApiRequest request) {
        TokenRequests.IssuedToken issued = requests.signIn();
        request.audit()
                .setResource(
                        Attributes.resource("create", "mooring.dev", "tokens")
                                .withName(issued.key().name()),
                        "v1");
        create(request, issued);
    }

    private void create(ApiRequest request, TokenRequests.IssuedToken issued) {
        ResourceRef tokens = new ResourceRef(tokenKind, Optional.empty(), Optional.empty(), "");
        writer.create(
                        tokens,
                        new KindDecoder.DecodedBody(issued.object(), List.of()),
                        WriteHandler.options(request),
                        request.contextExecutor())
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        byte[] response = issued.response().toString().getBytes(StandardCharsets.UTF_8);
                        request.respond(new WriteResponse(201, response, List.of()));
                    } else {
                        request.fail(failure);
                    }
                });
    }

    /** Refuses Tables and other forms, which reviews and tokens do not have. */
    private static void requirePlain(ApiRequest request) {
        if (!(AcceptHeader.parse(request.header("Accept")) instanceof AcceptHeader.NegotiatedFormat.PlainFormat)) {
            throw new StatusException(
                    new Status(406, "NotAcceptable", AcceptHeader.NegotiatedFormat.NotAcceptable.MESSAGE));
        }
    }

    private static <T> T require(ReviewResponse<T> reply) {
        if (reply instanceof ReviewResponse.Created<T> answer) {
            return answer.content();
        }
        if (reply instanceof ReviewResponse.Invalid<T> invalid) {
            List<Status.StatusCause> causes = invalid.violations().all().stream()
                    .map(each -> new Status.StatusCause(each.reason(), each.message(), each.field()))
                    .toList();
            throw new StatusException(new Status(
                    422,
                    "Invalid",
                    invalid.kind() + "." + invalid.group() + " \"" + invalid.name() + "\" is invalid: "
                            + invalid.violations().text(),
                    new Status.Details(invalid.name(), invalid.group(), invalid.kind(), "", causes, 0)));
        }
        throw new StatusException(Status.badRequest(((ReviewResponse.BadRequest<T>) reply).message()));
    }
}
