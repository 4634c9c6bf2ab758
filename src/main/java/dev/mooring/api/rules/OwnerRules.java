package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Violations;

/** What {@code metadata.ownerReferences} may say. Stateless; any thread. */
final class OwnerRules {
    private OwnerRules() {}

    static void validate(JsonNode owners, String path, Violations violations) {
        String controller = "";
        for (JsonNode owner : owners) {
            complete(owner, path, violations);
            if (Fields.isTrue(owner, "controller")) {
                String name = Fields.text(owner, "kind") + '/' + Fields.text(owner, "name");
                if (controller.isEmpty()) {
                    controller = name;
                } else {
                    violations.invalid(path, owners, severalControllers(controller, name));
                }
            }
        }
    }

    private static void complete(JsonNode owner, String path, Violations violations) {
        String apiVersion = Fields.text(owner, "apiVersion");
        if (apiVersion.isEmpty() || apiVersion.endsWith("/")) {
            violations.invalid(path + ".apiVersion", apiVersion, "version must not be empty");
        }
        notEmpty(owner, "kind", path, violations);
        notEmpty(owner, "name", path, violations);
        notEmpty(owner, "uid", path, violations);
        if (apiVersion.equals("v1") && Fields.text(owner, "kind").equals("Event")) {
            violations.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner");
        }
    }

    private static void notEmpty(JsonNode owner, String field, String path, Violations violations) {
        if (Fields.text(owner, field).isEmpty()) {
            violations.invalid(path + '.' + field, "", "must not be empty");
        }
    }

    private static String severalControllers(String one, String other) {
        return "Only one reference can have Controller set to true. Found \"true\" in references for " + one + " and "
                + other;
    }
}
