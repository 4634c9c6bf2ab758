package dev.mooring.api.resource;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.ObjectKey;
import java.util.List;
import java.util.Optional;

/**
 * The target of a request: a collection, an object or a subresource.
 *
 * @param namespace empty for all namespaces, or for a cluster-scoped kind
 * @param name empty for the collection
 * @param subresource {@code status}, …; "" for the object itself
 */
public record ResourceRef(KindDefinition kind, Optional<String> namespace, Optional<String> name, String subresource) {
    public static final String STATUS = "status";
    public static final String FINALIZE = "finalize";
    public static final String SCALE = "scale";

    public ObjectKey key() {
        return key(name.orElseThrow());
    }

    /** Returns the key of an object of this name; not found if the name cannot be a key. */
    public ObjectKey key(String named) {
        try {
            return kind.key(namespace, named);
        } catch (IllegalArgumentException e) {
            throw new StatusException(notFound(named));
        }
    }

    public boolean isScale() {
        return subresource.equals(SCALE);
    }

    /** Returns the kind of bodies in requests: that of the object, except for the subresource scale. */
    public KindDefinition bodyKind() {
        return isScale() ? kind.scale().orElseThrow() : kind;
    }

    public boolean isStatus() {
        return subresource.equals(STATUS);
    }

    public Status notFound() {
        return notFound(name.orElse(""));
    }

    public Status notFound(String named) {
        return new Status(404, "NotFound", kind.resource() + " \"" + named + "\" not found", details(named));
    }

    public Status alreadyExists(String named) {
        return new Status(409, "AlreadyExists", kind.resource() + " \"" + named + "\" already exists", details(named));
    }

    /** @param why the text after the colon of Kubernetes' message */
    public Status conflict(String why) {
        String named = name.orElse("");
        return new Status(
                409,
                "Conflict",
                "Operation cannot be fulfilled on " + kind.resource() + " \"" + named + "\": " + why,
                details(named));
    }

    public Status forbidden(String named, String why, Status.StatusCause... causes) {
        Status.Details about = details(named);
        return new Status(
                403,
                "Forbidden",
                kind.resource() + (named.isEmpty() ? "" : " \"" + named + "\"") + " is forbidden: " + why,
                new Status.Details(about.name(), about.group(), about.kind(), "", List.of(causes), 0));
    }

    Status.Details details(String named) {
        return new Status.Details(named, kind.names().group(), kind.names().plural(), "", List.of(), 0);
    }
}
