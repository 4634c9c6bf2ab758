package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.auth.User;
import dev.mooring.api.policy.Privileges.Privilege;
import dev.mooring.api.rules.Fields;
import dev.mooring.api.status.Status;
import dev.mooring.model.host.GuardedPlaces;
import dev.mooring.model.host.HostPathGrant;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What users may have of the machine through their Pods. Admins: everything but {@link GuardedPlaces}. All others: what the administrator's
 * {@link PodGrants} name. Goes by the words of paths; where they lead is for the node to see, which is told in an annotation what was granted
 * ({@link HostPathGrant}). Immutable; any thread.
 */
public final class PodPolicy {
    /** Nothing is granted. */
    public static final PodPolicy CLOSED = new PodPolicy(PodGrants.NOTHING, GuardedPlaces.usual());

    private static final FieldWay HOST_PATHS = FieldWay.of("volumes[].hostPath.path");
    private static final String FORBIDDEN = "FieldValueForbidden";

    private final PodGrants grants;
    private final GuardedPlaces guarded;

    public PodPolicy(PodGrants grants, GuardedPlaces guarded) {
        this.grants = grants;
        this.guarded = guarded;
    }

    /** Writes down in a new Pod which paths of the machine it is granted; whatever the user wrote there goes. */
    public void stamp(ObjectNode pod, User user, String namespace) {
        Optional<HostPathGrant> granted = hasHostPaths(pod) ? Optional.of(grant(user, namespace)) : Optional.empty();
        write(pod, granted.map(HostPathGrant::text));
    }

    /** What was granted when a Pod was created stays, whatever the user writes. */
    public void keepStamp(ObjectNode next, ObjectNode before) {
        JsonNode was = before.path("metadata").path("annotations").path(HostPathGrant.ANNOTATION);
        write(next, was.isTextual() ? Optional.of(was.textValue()) : Optional.empty());
    }

    private static void write(ObjectNode pod, Optional<String> text) {
        ObjectNode metadata = Fields.object(pod, "metadata");
        if (text.isPresent()) {
            Fields.object(metadata, "annotations").put(HostPathGrant.ANNOTATION, text.get());
        } else if (metadata.get("annotations") instanceof ObjectNode annotations
                && annotations.remove(HostPathGrant.ANNOTATION) != null
                && annotations.isEmpty()) {
            metadata.remove("annotations");
        }
    }

    private HostPathGrant grant(User user, String namespace) {
        return user.isAdmin() ? HostPathGrant.ofAdmin() : HostPathGrant.below(grants.prefixes(namespace));
    }

    private static boolean hasHostPaths(JsonNode pod) {
        boolean[] has = {false};
        HOST_PATHS.visit("spec", pod.path("spec"), (field, name, value) -> has[0] = true);
        return has[0];
    }

    /** What of a new Pod this user may not have; nothing if all is allowed. */
    public List<Status.Cause> refusals(User user, String namespace, ObjectNode pod) {
        List<Status.Cause> refusals = new ArrayList<>();
        if (!user.isAdmin() && !grants.mayBePrivileged(namespace)) {
            for (Privilege each : Privileges.of(pod)) {
                refusals.add(cause(
                        each.field(),
                        each.value() + " is not allowed for role " + role(user) + " in namespace \"" + namespace
                                + "\": only for admins, and where the setting policy.privileged names the namespace"));
            }
        }
        HOST_PATHS.visit(
                "spec",
                pod.path("spec"),
                (field, name, value) ->
                        refusal(user, namespace, value).ifPresent(why -> refusals.add(cause(field, why))));
        return refusals;
    }

    /**
     * What of a changed Pod this user may not have. Who may not create a Pod may not have another program run in it either; labels and the
     * like are free.
     */
    public List<Status.Cause> refusals(User user, String namespace, ObjectNode next, ObjectNode before) {
        if (Fields.same(next.path("spec"), before.path("spec"))) {
            return List.of();
        }
        List<Status.Cause> refusals = new ArrayList<>(refusals(user, namespace, next));
        if (refusals.isEmpty() && isOnlyForAdmins(user, before)) {
            refusals.add(cause(
                    "spec",
                    "may only be changed by admins: one of them created the Pod, and its host paths were granted to"
                            + " him"));
        }
        return refusals;
    }

    private static boolean isOnlyForAdmins(User user, JsonNode pod) {
        return !user.isAdmin()
                && hasHostPaths(pod)
                && HostPathGrant.of(pod).filter(each -> !each.isAnywhere()).isEmpty();
    }

    /**
     * Why a user who may exec in this namespace may not do so in this Pod, to follow "forbidden: "; nothing if he may. Whoever works inside a
     * Pod has what the Pod has.
     */
    public Optional<String> entryRefusal(User user, String namespace, ObjectNode pod) {
        List<Status.Cause> refusals = refusals(user, namespace, pod);
        if (refusals.isEmpty() && !isOnlyForAdmins(user, pod)) {
            return Optional.empty();
        }
        return Optional.of("cannot exec into or attach to a Pod with more rights than role " + role(user)
                + " can give it"
                + refusals.stream()
                        .map(each -> each.field() + ": " + each.message())
                        .collect(Collectors.joining(", ", refusals.isEmpty() ? "" : ": ", "")));
    }

    private Optional<String> refusal(User user, String namespace, JsonNode value) {
        Path path;
        try {
            path = Path.of(value.asText()).normalize();
        } catch (InvalidPathException e) {
            return Optional.of(value + " is no path: " + e.getReason());
        }
        if (!user.isAdmin() && grants.prefixes(namespace).stream().noneMatch(path::startsWith)) {
            return Optional.of(value + " is not allowed for role " + role(user) + " in namespace \"" + namespace
                    + "\": only for admins, and at or below the paths that the setting policy.hostPath names for the"
                    + " namespace (" + prefixes(namespace) + ')');
        }
        return guarded.refusal(path).map(why -> value + " " + why);
    }

    private String prefixes(String namespace) {
        List<Path> prefixes = grants.prefixes(namespace);
        return prefixes.isEmpty()
                ? "none"
                : prefixes.stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    private static String role(User user) {
        return user.grant().role().text();
    }

    private static Status.Cause cause(String field, String message) {
        return new Status.Cause(FORBIDDEN, message, field);
    }
}
