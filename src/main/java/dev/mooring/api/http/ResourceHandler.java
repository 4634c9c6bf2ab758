package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.model.FieldSelector;
import dev.mooring.model.SelectorException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/** Authorizes requests on resources and dispatches them to their handlers. Confined to one event loop. */
final class ResourceHandler {
    private static final String EVICTION = "eviction";
    private static final String TOKEN = "token";

    private final RequestBodyReader bodyReader;
    private final Catalog catalog;
    private final Authorizer authorizer;
    private final ReadHandler reads;
    private final WriteHandler writes;
    private final WatchManager watches;
    private final TokenHandler tokens;
    private final ContainerHandler containers;
    private final RequestAuthenticator requestAuthenticator;
    private final SlowReaders slowReaders;

    ResourceHandler(
            RequestBodyReader bodyReader,
            ApiCore core,
            ReadHandler reads,
            WatchManager watches,
            TokenHandler tokens,
            ContainerHandler containers,
            RequestAuthenticator requestAuthenticator) {
        this.bodyReader = bodyReader;
        this.catalog = core.catalog();
        this.authorizer = core.authorizer();
        this.reads = reads;
        this.writes = new WriteHandler(core.writer());
        this.watches = watches;
        this.tokens = tokens;
        this.containers = containers;
        this.requestAuthenticator = requestAuthenticator;
        this.slowReaders = core.slowReaders();
    }

    /** Handles the request and returns true if the path names a resource. */
    boolean handle(ApiRequest request) {
        Optional<ResourceRef> target = ResourcePath.parse(request.request().path(), catalog);
        if (target.isEmpty() || !isKnown(target.get())) {
            return false;
        }
        String verb = verb(request, target.get());
        Attributes.Resource wanted =
                attributes(verb, target.get(), fields(request.query().text("fieldSelector")));
        request.audit().setResource(wanted, target.get().kind().names().version());
        if (!isDecidedByName(request, verb, target.get())) {
            require(request, target.get(), wanted);
        }
        if (verb.equals("get") || verb.equals("list")) {
            reads.resolveTimes(request, () -> {
                refuseHistoryToNodes(
                        request.user(), verb, target.get(), () -> RevisionParameters.exact(request.query()));
                dispatch(request, target.get(), verb, wanted);
            });
        } else {
            dispatch(request, target.get(), verb, wanted);
        }
        return true;
    }

    /**
     * Returns whether authorization depends on the name in the body: a node's agent may only create objects with the
     * node's name.
     */
    private static boolean isDecidedByName(ApiRequest request, String verb, ResourceRef target) {
        return request.user().grant().role() == Role.NODE
                && verb.equals("create")
                && target.name().isEmpty();
    }

    /**
     * Refuses past revisions to nodes. A node may only access objects that relate to it now; a past object of the same
     * name may have been for another node.
     */
    static void refuseHistoryToNodes(User user, String verb, ResourceRef target, Supplier<OptionalLong> revision) {
        if (user.nodeName().isPresent()
                && (verb.equals("get") || verb.equals("list"))
                && revision.get().isPresent()) {
            throw new StatusException(target.forbidden(
                    target.name().orElse(""), "nodes may read the current state only: omit the revision"));
        }
    }

    private void require(ApiRequest request, ResourceRef target, Attributes wanted) {
        Authorizer.AuthorizationDecision decision = authorizer.decide(request.user(), wanted);
        request.audit().setDecision(decision);
        if (decision instanceof Authorizer.AuthorizationDecision.Denied denied) {
            throw new StatusException(forbidden(target, denied));
        }
    }

    private static boolean isKnown(ResourceRef target) {
        String kind = target.kind().names().kind();
        return switch (target.subresource()) {
            case "" -> true;
            case ResourceRef.STATUS -> target.kind().hasStatus();
            case ResourceRef.FINALIZE -> kind.equals("Namespace");
            case ResourceRef.SCALE -> target.kind().scale().isPresent();
            case EVICTION -> kind.equals("Pod");
            case TOKEN -> kind.equals("ServiceAccount");
            default -> ContainerHandler.handles(target);
        };
    }

    /** Returns Kubernetes' authorization verb. */
    private static String verb(ApiRequest request, ResourceRef target) {
        HttpMethod method = request.method();
        if (ContainerHandler.handles(target)) {
            return ContainerHandler.verb(method, target);
        }
        boolean one = target.name().isPresent();
        boolean creates = Set.of(EVICTION, TOKEN).contains(target.subresource());
        if (method.equals(HttpMethod.GET) && !creates && !target.subresource().equals(ResourceRef.FINALIZE)) {
            if (request.query().flag("watch")) {
                return one ? "get" : "watch";
            }
            return one ? "get" : "list";
        }
        boolean anyNamespace =
                target.kind().isNamespaced() && target.namespace().isEmpty();
        if (method.equals(HttpMethod.POST) && (target.subresource().isEmpty() ? !anyNamespace : creates)) {
            return "create";
        }
        if (method.equals(HttpMethod.PUT) && one && !creates) {
            return "update";
        }
        if (method.equals(HttpMethod.PATCH)
                && one
                && !creates
                && !target.subresource().equals(ResourceRef.FINALIZE)) {
            return "patch";
        }
        if (method.equals(HttpMethod.DELETE) && target.subresource().isEmpty() && !anyNamespace) {
            return one ? "delete" : "deletecollection";
        }
        throw new StatusException(Status.methodNotAllowed());
    }

    static Attributes.Resource attributes(String verb, ResourceRef target, FieldSelector fields) {
        return new Attributes.Resource(
                verb,
                target.kind().names().group(),
                target.kind().names().plural(),
                target.subresource(),
                target.namespace(),
                target.name(),
                fields);
    }

    /** Parses a field selector. An invalid one restricts nothing here; an authorized user gets the error later. */
    private static FieldSelector fields(String text) {
        try {
            return text.isEmpty() ? FieldSelector.everything() : FieldSelector.parse(text);
        } catch (SelectorException e) {
            return FieldSelector.everything();
        }
    }

    static Status forbidden(ResourceRef target, Authorizer.AuthorizationDecision.Denied denied) {
        return new Status(
                403,
                "Forbidden",
                denied.message(),
                new Status.Details(
                        target.name().orElse(""),
                        target.kind().names().group(),
                        target.kind().names().plural(),
                        "",
                        List.of(),
                        0));
    }

    private void dispatch(ApiRequest request, ResourceRef target, String verb, Attributes wanted) {
        if (ContainerHandler.handles(target)) {
            containers.handle(request, target, () -> requestAuthenticator.isStillAllowed(request, wanted));
            return;
        }
        switch (verb) {
            case "get" -> reads.get(request, target);
            case "list" -> reads.list(request, target);
            case "watch" -> watches.start(request, target, () -> requestAuthenticator.isStillAllowed(request, wanted));
            default -> {
                request.onEnd(slowReaders::enforceLimits);
                bodyReader.read(request, body -> write(request, target, verb, body));
            }
        }
    }

    private void write(ApiRequest request, ResourceRef target, String verb, byte[] body) {
        request.audit().setBody(request.header(HttpHeaders.CONTENT_TYPE), body);
        switch (verb) {
            case "create" -> {
                switch (target.subresource()) {
                    case EVICTION -> writes.evict(request, target, body);
                    case TOKEN -> tokens.issue(request, target, body);
                    default ->
                        writes.create(request, target, body, name -> {
                            if (isDecidedByName(request, verb, target)) {
                                ResourceRef named =
                                        new ResourceRef(target.kind(), target.namespace(), Optional.of(name), "");
                                require(request, target, attributes(verb, named, FieldSelector.everything()));
                            }
                        });
                }
            }
            case "update" -> writes.replace(request, target, body);
            case "patch" -> writes.patch(request, target, body);
            case "delete" -> writes.delete(request, target, body);
            default -> writes.deleteAll(request, target, body);
        }
    }
}
