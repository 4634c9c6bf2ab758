package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Rules of ServiceAccounts, which only have those of metadata. Stateless; thread-safe. */
public final class ServiceAccountRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        // As in Kubernetes: referenced secrets need not exist.
    }
}
