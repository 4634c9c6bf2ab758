package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.auth.User;
import dev.mooring.api.policy.Privileges.Privilege;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.model.HostPathGrant;
import dev.mooring.model.ProtectedHostPaths;
import dev.mooring.model.ServiceRange;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides which host resources users may access through their Pods. Admins: everything but {@link ProtectedHostPaths}.
 * All others: what {@link PodGrants} grant. Only compares paths as text; the node resolves them and enforces the
 * grants, which it gets in an annotation ({@link HostPathGrant}). Immutable; thread-safe.
 */
public final class PodPolicy {
    /** A policy without grants. */
    public static final PodPolicy DENY_ALL =
            new PodPolicy(PodGrants.NOTHING, NamespaceDefaults.NONE, ProtectedHostPaths.defaults());

    private static final FieldPathPattern NFS = FieldPathPattern.of("volumes[].nfs");
    private static final List<FieldPathPattern> HOST_PORTS = ofContainers("ports[].hostPort");
    private static final List<FieldPathPattern> ESCALATION = ofContainers("securityContext.allowPrivilegeEscalation");
    private static final FieldPathPattern HOST_PATHS = FieldPathPattern.of("volumes[].hostPath.path");
    private static final String FORBIDDEN = "FieldValueForbidden";

    private final PodGrants grants;
    private final NamespaceDefaults defaults;
    private final ProtectedHostPaths protectedPaths;
    private final Optional<ServiceRange> serviceRange;

    public PodPolicy(PodGrants grants, NamespaceDefaults defaults, ProtectedHostPaths protectedPaths) {
        this(grants, defaults, protectedPaths, Optional.of(ServiceRange.DEFAULT));
    }

    /** @param serviceRange addresses for Services; empty if the server offers none */
    public PodPolicy(
            PodGrants grants,
            NamespaceDefaults defaults,
            ProtectedHostPaths protectedPaths,
            Optional<ServiceRange> serviceRange) {
        this.serviceRange = serviceRange;
        this.grants = grants;
        this.defaults = defaults;
        this.protectedPaths = protectedPaths;
    }

    private static List<FieldPathPattern> ofContainers(String field) {
        return Stream.of("containers[].", "initContainers[].", "ephemeralContainers[].")
                .map(list -> FieldPathPattern.of(list + field))
                .toList();
    }

    public Optional<ServiceRange> serviceRange() {
        return serviceRange;
    }

    /** Returns the ports of the machine that only admins may open. */
    public Set<Integer> reservedPorts() {
        return grants.reservedPorts();
    }

    /** Returns the defaults for every Pod, regardless of its user. */
    public NamespaceDefaults defaults() {
        return defaults;
    }

    /** Sets the annotation with the host paths that a new Pod is granted; overwrites any value from the user. */
    public void writeGrantAnnotation(ObjectNode pod, User user, String namespace) {
        Optional<HostPathGrant> granted = hasHostPaths(pod) ? Optional.of(grant(user, namespace)) : Optional.empty();
        write(pod, granted.map(HostPathGrant::text));
    }

    /** Restores the grant annotation from the Pod's creation, regardless of the user's value. */
    public void keepGrantAnnotation(ObjectNode next, ObjectNode before) {
        JsonNode was = before.path("metadata").path("annotations").path(HostPathGrant.ANNOTATION);
        write(next, was.isTextual() ? Optional.of(was.textValue()) : Optional.empty());
    }

    private static void write(ObjectNode pod, Optional<String> text) {
        ObjectNode metadata = JsonFields.object(pod, "metadata");
        if (text.isPresent()) {
            JsonFields.object(metadata, "annotations").put(HostPathGrant.ANNOTATION, text.get());
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

    /** Returns the refused fields of a new Pod; empty if all is allowed. */
    public List<Status.StatusCause> refusals(User user, String namespace, ObjectNode pod) {
        List<Status.StatusCause> refusals = new ArrayList<>();
        if (!user.isAdmin()) {
            String notAllowed = " is not allowed for role " + role(user) + " in namespace \"" + namespace + "\": ";
            if (!grants.mayBePrivileged(namespace)) {
                for (Privilege each : Privileges.of(pod)) {
                    refusals.add(cause(
                            each.field(),
                            each.value() + notAllowed
                                    + "only for admins, and where the setting policy.privileged names the namespace"));
                }
                refuseReservedPorts(pod, notAllowed, refusals);
                refuseEscalation(namespace, pod, notAllowed, refusals);
            }
            refuseShares(namespace, pod, notAllowed, refusals);
        }
        HOST_PATHS.visit(
                "spec",
                pod.path("spec"),
                (field, name, value) ->
                        refusal(user, namespace, value).ifPresent(why -> refusals.add(cause(field, why))));
        return refusals;
    }

    private void refuseReservedPorts(ObjectNode pod, String notAllowed, List<Status.StatusCause> refusals) {
        for (FieldPathPattern pattern : HOST_PORTS) {
            pattern.visit("spec", pod.path("spec"), (field, name, value) -> {
                if (value.asInt() > 0 && grants.reservedPorts().contains(value.asInt())) {
                    refusals.add(cause(
                            field,
                            value + notAllowed + "the machine itself uses this port (setting policy.reservedPorts);"
                                    + " choose another one"));
                }
            });
        }
    }

    private void refuseEscalation(
            String namespace, ObjectNode pod, String notAllowed, List<Status.StatusCause> refusals) {
        if (!defaults.forbidsPrivilegeEscalation(namespace)) {
            return;
        }
        for (FieldPathPattern pattern : ESCALATION) {
            pattern.visit("spec", pod.path("spec"), (field, name, value) -> {
                if (value.asBoolean(false)) {
                    refusals.add(cause(
                            field, value + notAllowed + "the setting policy.noNewPrivileges names the namespace"));
                }
            });
        }
    }

    private void refuseShares(String namespace, ObjectNode pod, String notAllowed, List<Status.StatusCause> refusals) {
        NFS.visit("spec", pod.path("spec"), (field, name, value) -> {
            String server = value.path("server").asText("");
            String path = value.path("path").asText("");
            if (!grants.mayMount(namespace, server, path)) {
                refusals.add(cause(
                        field,
                        '"' + server + ':' + path + '"' + notAllowed
                                + "only for admins, and for the shares that the setting policy.nfs names for the"
                                + " namespace (" + grants.shares(namespace)
                                + "); use a PersistentVolumeClaim instead"));
            }
        });
    }

    /**
     * Returns the refused fields of a changed Pod. A user who may not create a Pod may not change its images either;
     * labels and other metadata are not restricted.
     */
    public List<Status.StatusCause> refusals(User user, String namespace, ObjectNode next, ObjectNode before) {
        if (JsonFields.same(next.path("spec"), before.path("spec"))) {
            return List.of();
        }
        List<Status.StatusCause> refusals = new ArrayList<>(refusals(user, namespace, next));
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
     * Returns why a user with exec permission in the namespace may not exec into this Pod, to follow "forbidden: ";
     * empty if they may. A process in a Pod has all access that the Pod has.
     */
    public Optional<String> execRefusal(User user, String namespace, ObjectNode pod) {
        List<Status.StatusCause> refusals = refusals(user, namespace, pod);
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
            return Optional.of(value + " is not a valid path: " + e.getReason());
        }
        if (!user.isAdmin() && grants.prefixes(namespace).stream().noneMatch(path::startsWith)) {
            return Optional.of(value + " is not allowed for role " + role(user) + " in namespace \"" + namespace
                    + "\": only for admins, and at or below the paths that the setting policy.hostPath names for the"
                    + " namespace (" + prefixes(namespace) + ')');
        }
        return protectedPaths.denialReason(path).map(why -> value + " " + why);
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

    private static Status.StatusCause cause(String field, String message) {
        return new Status.StatusCause(FORBIDDEN, message, field);
    }
}
