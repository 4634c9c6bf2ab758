package dev.mooring.api.auth;

import java.util.Optional;

/** The scope of a {@link PolicyRule}. */
enum RuleScope {
    /**
     * The namespaces of the grant. Cluster-scoped resources and all namespaces at once require a grant for everywhere.
     */
    GRANTED {
        @Override
        boolean covers(User user, Attributes.Resource wanted, Relations relations) {
            Optional<String> namespace = wanted.effectiveNamespace();
            return user.grant().isEverywhere()
                    || (namespace.isPresent() && user.grant().covers(namespace.get()));
        }
    },
    /** Unrestricted; intended for cluster-scoped resources. */
    ANYWHERE {
        @Override
        boolean covers(User user, Attributes.Resource wanted, Relations relations) {
            return true;
        }
    },
    /** Objects that relate to the agent's node: see {@link NodeRelations}. */
    RELATED {
        @Override
        boolean covers(User user, Attributes.Resource wanted, Relations relations) {
            Optional<String> node = user.nodeName();
            return node.isPresent() && relations.cover(node.get(), wanted);
        }
    };

    /** Decides whether a request only concerns objects that relate to a node, in some World. */
    interface Relations {
        boolean cover(String node, Attributes.Resource wanted);
    }

    abstract boolean covers(User user, Attributes.Resource wanted, Relations relations);
}
