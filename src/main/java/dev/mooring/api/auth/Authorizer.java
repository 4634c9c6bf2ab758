package dev.mooring.api.auth;

import java.util.List;
import java.util.Optional;

/** Holds a request against the {@link Policy}. Pure; any thread. */
public final class Authorizer {
    private Authorizer() {}

    public static Decision decide(User user, Attributes wanted) {
        if (wanted instanceof Attributes.Resource resource) {
            return decideResource(user, resource);
        }
        return decidePath(user, (Attributes.Path) wanted);
    }

    private static Decision decideResource(User user, Attributes.Resource wanted) {
        if (anyAllows(Policy.of(user.grant().role()), user, wanted)) {
            return new Decision.Allowed(roleOf(user));
        }
        if (anyAllows(Policy.EVERYBODY, user, wanted)) {
            return new Decision.Allowed("open to every authenticated user");
        }
        return new Decision.Denied(Forbidden.message(user, wanted));
    }

    /** A loop, not a stream: this is on the way of every request. */
    private static boolean anyAllows(List<Rule> rules, User user, Attributes.Resource wanted) {
        for (Rule rule : rules) {
            if (rule.allows(user, wanted)) {
                return true;
            }
        }
        return false;
    }

    private static Decision decidePath(User user, Attributes.Path wanted) {
        if (user.isAdmin()) {
            return new Decision.Allowed(roleOf(user));
        }
        if (wanted.verb().equals("get")) {
            if (matches(Policy.EVERYBODY_PATHS, wanted.path())) {
                return new Decision.Allowed("open to every authenticated user");
            }
            if (mayLookEverywhere(user) && matches(Policy.VIEW_PATHS, wanted.path())) {
                return new Decision.Allowed(roleOf(user));
            }
        }
        return new Decision.Denied(Forbidden.message(user, wanted));
    }

    static boolean mayLookEverywhere(User user) {
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

    /** What somebody is told who may not. */
    private static final class Forbidden {
        private Forbidden() {}

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
                                    .orElse(" at the cluster scope"));
        }

        static String message(User user, Attributes.Path wanted) {
            return "forbidden: "
                    + sanitized("User " + quoted(user.name()) + " cannot " + wanted.verb() + " path "
                            + quoted(wanted.path()));
        }

        /** Paths and names are the client's own words, and a browser may show them. */
        private static String sanitized(String text) {
            return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        }

        private static String quoted(String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
    }
}
