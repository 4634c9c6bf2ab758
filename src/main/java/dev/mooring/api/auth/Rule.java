package dev.mooring.api.auth;

import java.util.List;

/**
 * A line of the {@link Policy}: these verbs on these resources of a group, so far. As in RBAC, {@code *} is everything and
 * {@code *}{@code /status} is the status of everything; a subresource is not included in its resource.
 */
record Rule(Reach reach, List<String> verbs, String group, List<String> resources) {
    private static final String ALL = "*";

    boolean allows(User user, Attributes.Resource wanted) {
        return includes(verbs, wanted.verb())
                && (group.equals(wanted.group()) || group.equals(ALL))
                && includesResource(wanted)
                && reach.covers(user, wanted);
    }

    private boolean includesResource(Attributes.Resource wanted) {
        return includes(resources, wanted.qualified())
                || (!wanted.subresource().isEmpty() && resources.contains("*/" + wanted.subresource()));
    }

    private static boolean includes(List<String> list, String item) {
        return list.contains(item) || list.contains(ALL);
    }
}
