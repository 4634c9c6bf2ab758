package dev.mooring.api.auth;

import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Authorizes requests by the {@link RolePolicy} and, for nodes, by the objects in the World that relate to them.
 * Thread-safe.
 */
public final class Authorizer {
    private final Supplier<World> world;

    /** @param world supplies the newest World */
    public Authorizer(Supplier<World> world) {
        this.world = world;
    }

    public AuthorizationDecision decide(User user, Attributes wanted) {
        if (wanted instanceof Attributes.Resource resource) {
            return decideResource(user, resource);
        }
        return decidePath(user, (Attributes.NonResourcePath) wanted);
    }

    private AuthorizationDecision decideResource(User user, Attributes.Resource wanted) {
        if (anyAllows(RolePolicy.of(user.grant().role()), user, wanted)) {
            return new AuthorizationDecision.Allowed(roleOf(user));
        }
        if (anyAllows(RolePolicy.AUTHENTICATED_RULES, user, wanted)) {
            return new AuthorizationDecision.Allowed("allowed for every authenticated user");
        }
        String message = ForbiddenMessages.message(user, wanted);
        boolean elsewhere = user.nodeName().isPresent()
                && RolePolicy.of(Role.NODE).stream().anyMatch(rule -> rule.matchesRequest(wanted));
        return new AuthorizationDecision.Denied(
                elsewhere
                        ? message + ": " + NodeRelations.refusal(user.nodeName().get(), wanted)
                        : message);
    }

    /** Returns whether any rule allows the request. A loop instead of a stream, because it runs for every request. */
    private boolean anyAllows(List<RolePolicy.PolicyRule> rules, User user, Attributes.Resource wanted) {
        for (RolePolicy.PolicyRule rule : rules) {
            if (rule.allows(user, wanted, this::isRelated)) {
                return true;
            }
        }
        return false;
    }

    private boolean isRelated(String node, Attributes.Resource wanted) {
        return NodeRelations.covers(world.get(), node, wanted);
    }

    private static AuthorizationDecision decidePath(User user, Attributes.NonResourcePath wanted) {
        if (user.isAdmin()) {
            return new AuthorizationDecision.Allowed(roleOf(user));
        }
        if (wanted.verb().equals("get")) {
            if (matches(RolePolicy.AUTHENTICATED_PATHS, wanted.path())) {
                return new AuthorizationDecision.Allowed("allowed for every authenticated user");
            }
            if (canViewAllNamespaces(user) && matches(RolePolicy.VIEW_PATHS, wanted.path())) {
                return new AuthorizationDecision.Allowed(roleOf(user));
            }
        }
        return new AuthorizationDecision.Denied(ForbiddenMessages.message(user, wanted));
    }

    static boolean canViewAllNamespaces(User user) {
        return user.grant().role() == Role.VIEW && user.grant().isEverywhere();
    }

    private static boolean matches(List<String> patterns, String path) {
        for (String pattern : patterns) {
            boolean below = pattern.endsWith("*");
            if (below ? path.startsWith(pattern.substring(0, pattern.length() - 1)) : path.equals(pattern)) {
                return true;
            }
        }
        return false;
    }

    private static String roleOf(User user) {
        return "role \"" + user.grant().role().text() + '"';
    }

    /** Messages of 403 responses. */
    private static final class ForbiddenMessages {
        private ForbiddenMessages() {}

        static String message(User user, Attributes.Resource wanted) {
            String what = wanted.group().isEmpty() ? wanted.resource() : wanted.resource() + '.' + wanted.group();
            String which = wanted.name().map(name -> " " + quoted(name)).orElse("");
            Optional<String> namespace = wanted.effectiveNamespace();
            return what + which + " is forbidden: "
                    + sanitized("User " + quoted(user.name()) + " cannot " + wanted.verb()
                            + " resource " + quoted(wanted.qualified())
                            + " in API group " + quoted(wanted.group())
                            + namespace
                                    .map(name -> " in the namespace " + quoted(name))
                                    .orElse(" at the cluster scope"))
                    + grant(user.grant());
        }

        /** States what the user has, after Kubernetes' message, where Kubernetes' authorizers state a reason. */
        private static String grant(Grant grant) {
            return switch (grant.role()) {
                case EDIT, VIEW ->
                    ": it has role " + quoted(grant.role().text())
                            + (grant.isEverywhere()
                                    ? ""
                                    : " in the namespaces [" + String.join(", ", grant.sortedNamespaces()) + ']')
                            + "; \"kubectl auth can-i --list\" shows what that permits, and an admin grants more with"
                            + " \"mooring token create\"";
                case ADMIN, NODE, NONE -> "";
            };
        }

        static String message(User user, Attributes.NonResourcePath wanted) {
            return "forbidden: "
                    + sanitized("User " + quoted(user.name()) + " cannot " + wanted.verb() + " path "
                            + quoted(wanted.path()));
        }

        /** Escapes paths and names from the client, because a browser may display them. */
        private static String sanitized(String text) {
            return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        }

        private static String quoted(String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
    }

    /** The result of an authorization. */
    public sealed interface AuthorizationDecision {
        /** @param reason explanation for users */
        record Allowed(String reason) implements AuthorizationDecision {}

        /** @param message the complete message of the 403, as in Kubernetes */
        record Denied(String message) implements AuthorizationDecision {}

        default boolean isAllowed() {
            return this instanceof Allowed;
        }
    }
}
