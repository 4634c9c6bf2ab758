package dev.mooring.api.resource;

import dev.mooring.api.kind.Kind;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.ObjectKey;
import java.util.List;
import java.util.Optional;

/**
 * What a request is about: a collection or an object, and perhaps one side of it.
 *
 * @param namespace nothing for all namespaces, or for a cluster-wide kind
 * @param name nothing for the collection
 * @param subresource {@code status}, …; "" for the object itself
 */
public record Target(Kind kind, Optional<String> namespace, Optional<String> name, String subresource) {
    public static final String STATUS = "status";
    public static final String FINALIZE = "finalize";

    public ObjectKey key() {
        return key(name.orElseThrow());
    }

    /** The key of an object of this name here; a name that can be no key names nothing. */
    public ObjectKey key(String named) {
        try {
            return kind.key(namespace, named);
        } catch (IllegalArgumentException e) {
            throw new StatusException(notFound(named));
        }
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

    /** @param why follows the colon of Kubernetes' sentence */
    public Status conflict(String why) {
        String named = name.orElse("");
        return new Status(
                409,
                "Conflict",
                "Operation cannot be fulfilled on " + kind.resource() + " \"" + named + "\": " + why,
                details(named));
    }

    public Status forbidden(String named, String why, Status.Cause... causes) {
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
