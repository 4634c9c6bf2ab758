package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Rules of RuntimeClasses. Stateless; thread-safe. */
public final class RuntimeClassRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        String handler = JsonFields.text(object, "handler");
        LabelRules.invalid("handler", handler, NameSyntax.dns1123Label(handler), violations);
        QuantityRules.capacity(JsonFields.get(object, "overhead", "podFixed"), "overhead.podFixed", violations);
        LabelRules.labels(JsonFields.get(object, "scheduling", "nodeSelector"), "scheduling.nodeSelector", violations);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        if (!JsonFields.text(next, "handler").equals(JsonFields.text(before, "handler"))) {
            violations.invalid("handler", JsonFields.text(next, "handler"), "field is immutable");
        }
    }
}
