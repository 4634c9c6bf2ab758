package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Rules;
import dev.mooring.api.kind.Violations;
import dev.mooring.api.rules.Fields;

/** Pods. Stateless; any thread. */
public final class PodRules implements Rules {
    @Override
    public void normalize(ObjectNode pod) {
        OlderSpelling.translate(pod);
    }

    @Override
    public void prepareForCreate(ObjectNode pod) {
        PodStatusRules.begin(pod);
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        Fields.takeFrom(before, "status", next);
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {
        Fields.takeFrom(before, "spec", next);
        PodStatusRules.complete(next, before);
    }

    @Override
    public void applyDefaults(ObjectNode pod) {
        PodDefaults.apply(pod);
    }

    @Override
    public void validate(ObjectNode pod, Violations violations) {
        PodSpecRules.check(Spot.root(pod, violations));
    }

    @Override
    public void validateCreate(ObjectNode pod, Violations violations) {
        Spot spec = Spot.root(pod, violations).at("spec");
        if (spec.size("ephemeralContainers") > 0) {
            spec.at("ephemeralContainers").forbidden("cannot be set on create");
        }
        if (!spec.text("nodeName").isEmpty() && spec.size("schedulingGates") > 0) {
            spec.at("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        PodUpdateRules.check(Spot.root(next, violations), before);
    }

    /** A write of the subresource {@code ephemeralcontainers}; {@link #validate} is to be asked too. */
    public void validateEphemeralContainersUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        PodUpdateRules.checkEphemeral(Spot.root(next, violations), before);
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        PodStatusRules.check(Spot.root(next, violations), before);
    }
}
