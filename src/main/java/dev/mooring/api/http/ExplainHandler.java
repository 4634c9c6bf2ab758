package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.ExplainService;
import dev.mooring.api.ExplainService.ExplanationReader;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.User;
import dev.mooring.api.http.ReadHandler.VisibleWorld;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.FieldSelector;
import dev.mooring.model.NearestMatch;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.world.Ledger;
import dev.mooring.world.World;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * Serves explanations: {@code GET …/explain/RESOURCE/[NAMESPACE/]NAME}, with {@code at} for a past revision. A user who
 * may get the object may read its explanation, which says nothing about other objects that the user may not get. Past
 * revisions are read and authorized by {@link ReadHandler#readWorld}. Confined to one event loop.
 */
final class ExplainHandler {
    private static final String ROOT = "/apis/mooring.dev/v1/explain/";
    private static final int FOUND = 200;

    /** Limit of names that are compared with one that does not exist. */
    private static final int MAX_NAMES = 1000;

    private final Catalog catalog;
    private final Authorizer authorizer;
    private final ReadHandler reads;
    private final Ledger ledger;
    private final Optional<ExplainService> service;

    ExplainHandler(ApiCore core, ReadHandler reads) {
        this.catalog = core.catalog();
        this.authorizer = core.authorizer();
        this.reads = reads;
        this.ledger = core.stateStore().ledger();
        this.service = core.services().explain();
    }

    /** Handles the request and returns true if it asks for an explanation. */
    boolean handle(ApiRequest request) {
        String path = request.request().path();
        if (service.isEmpty() || !path.startsWith(ROOT)) {
            return false;
        }
        if (!request.method().equals(HttpMethod.GET)) {
            throw new StatusException(Status.methodNotAllowed());
        }
        ResourceRef target = target(path.substring(ROOT.length()));
        authorize(request, target);
        reads.resolveTimes(request, () -> explain(request, target));
        return true;
    }

    private void explain(ApiRequest request, ResourceRef target) {
        OptionalLong revision = RevisionParameters.exact(request.query());
        ResourceHandler.refuseHistoryToNodes(request.user(), "get", target, () -> revision);
        reads.readWorld(
                request,
                target,
                revision,
                shown -> reads.runOnWorker(
                        request,
                        () -> explain(request.user(), target, shown),
                        explanation ->
                                request.respond(FOUND, explanation.toString().getBytes(StandardCharsets.UTF_8))));
    }

    private ResourceRef target(String path) {
        List<String> parts = List.of(path.split("/", -1));
        KindDefinition kind = catalog.named(decoded(parts.get(0)));
        int length = kind.isNamespaced() ? 3 : 2;
        if (parts.size() != length || parts.stream().anyMatch(String::isEmpty)) {
            throw new StatusException(new Status(
                    404,
                    "NotFound",
                    "the path of an explanation is " + ROOT + kind.names().plural()
                            + (kind.isNamespaced() ? "/NAMESPACE/NAME" : "/NAME")));
        }
        return new ResourceRef(
                kind,
                kind.isNamespaced() ? Optional.of(decoded(parts.get(1))) : Optional.empty(),
                Optional.of(decoded(parts.get(length - 1))),
                "");
    }

    private static String decoded(String segment) {
        try {
            return QueryStringDecoder.decodeComponent(segment.replace("+", "%2B"));
        } catch (IllegalArgumentException e) {
            throw new StatusException(Status.badRequest("the path is not valid: " + e.getMessage()));
        }
    }

    private void authorize(ApiRequest request, ResourceRef target) {
        Attributes.Resource wanted = ResourceHandler.attributes("get", target, FieldSelector.everything());
        request.audit().setResource(wanted, target.kind().names().version());
        Authorizer.AuthorizationDecision decision = authorizer.decide(request.user(), wanted);
        request.audit().setDecision(decision);
        if (decision instanceof Authorizer.AuthorizationDecision.Denied denied) {
            throw new StatusException(ResourceHandler.forbidden(target, denied));
        }
    }

    private ObjectNode explain(User user, ResourceRef target, VisibleWorld shown) throws IOException {
        World newest = ledger.world();
        World world = shown.world();
        Predicate<ObjectKey> mayRead = key -> mayRead(user, key, newest, world);
        return service.orElseThrow()
                .explain(world, target.key(), shown.now(), new ExplanationReader(mayRead, user.isAdmin()))
                .orElseThrow(() -> new StatusException(notFound(target, world, mayRead)));
    }

    private boolean mayRead(User user, ObjectKey key, World newest, World world) {
        Optional<KindDefinition> kind = catalog.ofResource(key.resource());
        return kind.isPresent()
                && HistoryAccess.isVisible(user, key, newest, world)
                && authorizer
                        .decide(
                                user,
                                ResourceHandler.attributes(
                                        "get",
                                        new ResourceRef(kind.get(), key.namespace(), Optional.of(key.name()), ""),
                                        FieldSelector.everything()))
                        .isAllowed();
    }

    private static Status notFound(ResourceRef target, World world, Predicate<ObjectKey> mayRead) {
        Status status = target.notFound();
        Scope scope = target.namespace()
                .map(namespace -> Scope.namespace(target.kind().resource(), namespace))
                .orElseGet(() -> Scope.resource(target.kind().resource()));
        List<String> names = world.stream(scope)
                .limit(MAX_NAMES)
                .filter(each -> mayRead.test(each.key()))
                .map(each -> each.key().name())
                .toList();
        return NearestMatch.ignoringCase(target.name().orElseThrow(), names)
                .map(near -> new Status(
                        status.code(),
                        status.reason(),
                        status.message() + "; did you mean \"" + near + "\"?",
                        status.details()))
                .orElse(status);
    }
}
