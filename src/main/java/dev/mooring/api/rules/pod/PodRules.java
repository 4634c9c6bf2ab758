package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Rules;
import dev.mooring.api.rules.Violations;

/** Rules of Pods. Stateless; thread-safe. */
public final class PodRules implements Rules {
    @Override
    public void normalize(ObjectNode pod) {
        Minik8sPodConversion.convert(pod);
    }

    @Override
    public void prepareForCreate(ObjectNode pod) {
        PodStatusRules.initialize(pod);
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        JsonFields.takeFrom(before, "status", next);
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {
        JsonFields.takeFrom(before, "spec", next);
        PodStatusRules.complete(next, before);
    }

    @Override
    public boolean hasGeneration() {
        return true;
    }

    @Override
    public void prepareForSubresource(String subresource, ObjectNode next, ObjectNode before) {
        JsonNode wanted = JsonFields.get(next, "spec", "ephemeralContainers");
        JsonFields.takeFrom(before, "status", next);
        next.set("spec", JsonFields.get(before, "spec").deepCopy());
        JsonFields.object(next, "spec").set("ephemeralContainers", wanted.isArray() ? wanted : next.arrayNode());
    }

    @Override
    public void applyDefaults(ObjectNode pod) {
        PodDefaults.apply(pod);
    }

    @Override
    public void validate(ObjectNode pod, Violations violations) {
        PodSpecRules.check(FieldCursor.root(pod, violations));
    }

    @Override
    public void validateCreate(ObjectNode pod, Violations violations) {
        FieldCursor spec = FieldCursor.root(pod, violations).at("spec");
        if (spec.size("ephemeralContainers") > 0) {
            spec.at("ephemeralContainers").forbidden("cannot be set on create");
        }
        if (!spec.text("nodeName").isEmpty() && spec.size("schedulingGates") > 0) {
            spec.at("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        PodUpdateRules.check(FieldCursor.root(next, violations), before);
    }

    @Override
    public void validateSubresource(String subresource, ObjectNode next, ObjectNode before, Violations violations) {
        PodUpdateRules.checkEphemeral(FieldCursor.root(next, violations), before);
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        PodStatusRules.check(FieldCursor.root(next, violations), before);
    }
}
