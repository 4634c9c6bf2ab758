package dev.mooring.api.auth;

import java.util.List;

/**
 * A rule of the {@link RolePolicy}: verbs on resources of a group within a scope. As in RBAC, {@code *} is everything
 * and {@code *}{@code /status} is the status of everything; a resource does not include its subresources.
 */
record PolicyRule(RuleScope scope, List<String> verbs, String group, List<String> resources) {
    private static final String ALL = "*";

    boolean allows(User user, Attributes.Resource wanted, RuleScope.Relations relations) {
        return matchesRequest(wanted) && scope.covers(user, wanted, relations);
    }

    /** Returns whether the rule has this verb and resource, regardless of its scope. */
    boolean matchesRequest(Attributes.Resource wanted) {
        return includes(verbs, wanted.verb())
                && (group.equals(wanted.group()) || group.equals(ALL))
                && includesResource(wanted);
    }

    private boolean includesResource(Attributes.Resource wanted) {
        return includes(resources, wanted.qualified())
                || (!wanted.subresource().isEmpty() && resources.contains("*/" + wanted.subresource()));
    }

    private static boolean includes(List<String> list, String item) {
        return list.contains(item) || list.contains(ALL);
    }
}
