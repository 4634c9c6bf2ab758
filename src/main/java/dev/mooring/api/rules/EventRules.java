package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Rules of core/v1 Events. Older reporters only have to match the namespace; reporters that set {@code eventTime} must
 * set all fields. Stateless; thread-safe.
 */
public final class EventRules implements Rules {
    private static final int SHORT_MAX = 128;
    private static final int MESSAGE_MAX = 1024;

    @Override
    public void validate(ObjectNode object, Violations violations) {
        String namespace = JsonFields.text(object, "metadata", "namespace");
        String involved = JsonFields.text(object, "involvedObject", "namespace");
        boolean clusterWide = namespace.isEmpty() || namespace.equals("default");
        if (involved.isEmpty() ? !clusterWide : !involved.equals(namespace)) {
            violations.invalid("involvedObject.namespace", involved, "does not match event.namespace");
        }
        if (JsonFields.has(object, "eventTime")) {
            validateComplete(object, violations);
        }
    }

    private static void validateComplete(JsonNode event, Violations violations) {
        String reporter = JsonFields.text(event, "reportingComponent");
        if (reporter.isEmpty()) {
            violations.required("reportingComponent", "");
        }
        LabelRules.key(reporter, "reportingComponent", violations);
        shortText(event, "reportingInstance", violations);
        shortText(event, "action", violations);
        shortText(event, "reason", violations);
        if (JsonFields.bytes(JsonFields.text(event, "message")) > MESSAGE_MAX) {
            violations.invalid("message", "", "can have at most " + MESSAGE_MAX + " characters");
        }
    }

    private static void shortText(JsonNode event, String field, Violations violations) {
        String text = JsonFields.text(event, field);
        if (text.isEmpty()) {
            violations.required(field, "");
        }
        if (JsonFields.bytes(text) > SHORT_MAX) {
            violations.invalid(field, "", "can have at most " + SHORT_MAX + " characters");
        }
    }
}
