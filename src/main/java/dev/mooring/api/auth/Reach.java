package dev.mooring.api.auth;

import java.util.Optional;

/** Where a {@link Rule} holds. */
enum Reach {
    /** In the namespaces of the grant. Cluster-wide, or in all namespaces at once, only if the grant says everywhere. */
    GRANTED {
        @Override
        boolean covers(User user, Attributes.Resource wanted) {
            Optional<String> namespace = wanted.effectiveNamespace();
            return user.grant().isEverywhere()
                    || (namespace.isPresent() && user.grant().covers(namespace.get()));
        }
    },
    /** Anywhere: meant for what is cluster-wide. */
    ANYWHERE {
        @Override
        boolean covers(User user, Attributes.Resource wanted) {
            return true;
        }
    },
    /** Only the object that bears the name of the agent's Node. */
    OWN_NODE {
        @Override
        boolean covers(User user, Attributes.Resource wanted) {
            Optional<String> node = user.nodeName();
            return node.isPresent() && wanted.name().equals(node);
        }
    };

    abstract boolean covers(User user, Attributes.Resource wanted);
}
