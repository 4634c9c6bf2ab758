package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Rules;
import dev.mooring.api.kind.Violations;

/** Rules of ServiceAccounts: there are none beyond those of metadata. Stateless; any thread. */
public final class ServiceAccountRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        // As in Kubernetes: secrets that are named need not exist.
    }
}
