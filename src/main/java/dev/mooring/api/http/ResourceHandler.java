package dev.mooring.api.http;

import dev.mooring.api.ApiCore;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.Decision;
import dev.mooring.api.auth.Role;
import dev.mooring.api.catalog.Catalog;
import dev.mooring.api.resource.Target;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds out what a request on a resource wants, whether its user may have it, and who sees to it. For one event loop. */
final class ResourceHandler {
    private static final String EVICTION = "eviction";
    private static final String TOKEN = "token";

    private final Reception reception;
    private final Catalog catalog;
    private final ReadHandler reads;
    private final WriteHandler writes;
    private final Watches watches;
    private final TokenHandler tokens;
    private final ContainerHandler containers;
    private final Callers callers;

    ResourceHandler(
            Reception reception,
            ApiCore core,
            ReadHandler reads,
            Watches watches,
            TokenHandler tokens,
            ContainerHandler containers,
            Callers callers) {
        this.reception = reception;
        this.catalog = core.catalog();
        this.reads = reads;
        this.writes = new WriteHandler(core.writer());
        this.watches = watches;
        this.tokens = tokens;
        this.containers = containers;
        this.callers = callers;
    }

    /** Whether the path names a resource; if so, the request is answered. */
    boolean handle(Exchange exchange) {
        Optional<Target> target = ResourcePath.parse(exchange.request().path(), catalog);
        if (target.isEmpty() || !isKnown(target.get())) {
            return false;
        }
        String verb = verb(exchange, target.get());
        Attributes wanted = attributes(verb, target.get());
        if (!isDecidedByName(exchange, verb, target.get())) {
            require(exchange, target.get(), wanted);
        }
        dispatch(exchange, target.get(), verb);
        return true;
    }

    /** A node's agent may only create what bears its own name, and that is known when the body is read. */
    private static boolean isDecidedByName(Exchange exchange, String verb, Target target) {
        return exchange.user().grant().role() == Role.NODE
                && verb.equals("create")
                && target.name().isEmpty();
    }

    private static void require(Exchange exchange, Target target, Attributes wanted) {
        if (Authorizer.decide(exchange.user(), wanted) instanceof Decision.Denied denied) {
            throw new StatusException(forbidden(target, denied));
        }
    }

    private static boolean isKnown(Target target) {
        String kind = target.kind().names().kind();
        return switch (target.subresource()) {
            case "" -> true;
            case Target.STATUS -> target.kind().hasStatus();
            case Target.FINALIZE -> kind.equals("Namespace");
            case EVICTION -> kind.equals("Pod");
            case TOKEN -> kind.equals("ServiceAccount");
            default -> ContainerHandler.isAbout(target);
        };
    }

    /** The verb of Kubernetes' authorization. */
    private static String verb(Exchange exchange, Target target) {
        HttpMethod method = exchange.method();
        if (ContainerHandler.isAbout(target)) {
            return ContainerHandler.verb(method, target);
        }
        boolean one = target.name().isPresent();
        boolean creates = Set.of(EVICTION, TOKEN).contains(target.subresource());
        if (method.equals(HttpMethod.GET) && !creates && !target.subresource().equals(Target.FINALIZE)) {
            if (exchange.query().flag("watch")) {
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
                && !target.subresource().equals(Target.FINALIZE)) {
            return "patch";
        }
        if (method.equals(HttpMethod.DELETE) && target.subresource().isEmpty() && !anyNamespace) {
            return one ? "delete" : "deletecollection";
        }
        throw new StatusException(Status.methodNotAllowed());
    }

    private static Attributes attributes(String verb, Target target) {
        return new Attributes.Resource(
                verb,
                target.kind().names().group(),
                target.kind().names().plural(),
                target.subresource(),
                target.namespace(),
                target.name());
    }

    private static Status forbidden(Target target, Decision.Denied denied) {
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

    private void dispatch(Exchange exchange, Target target, String verb) {
        if (ContainerHandler.isAbout(target)) {
            containers.handle(exchange, target, () -> callers.isStill(exchange, attributes(verb, target)));
            return;
        }
        switch (verb) {
            case "get" -> reads.get(exchange, target);
            case "list" -> reads.list(exchange, target);
            case "watch" -> watches.begin(exchange, target, () -> callers.isStill(exchange, attributes(verb, target)));
            default -> reception.receive(exchange, body -> write(exchange, target, verb, body));
        }
    }

    private void write(Exchange exchange, Target target, String verb, byte[] body) {
        switch (verb) {
            case "create" -> {
                switch (target.subresource()) {
                    case EVICTION -> writes.evict(exchange, target, body);
                    case TOKEN -> tokens.issue(exchange, target, body);
                    default ->
                        writes.create(exchange, target, body, name -> {
                            if (isDecidedByName(exchange, verb, target)) {
                                Target named = new Target(target.kind(), target.namespace(), Optional.of(name), "");
                                require(exchange, target, attributes(verb, named));
                            }
                        });
                }
            }
            case "update" -> writes.replace(exchange, target, body);
            case "patch" -> writes.patch(exchange, target, body);
            case "delete" -> writes.delete(exchange, target, body);
            default -> writes.deleteAll(exchange, target, body);
        }
    }
}
