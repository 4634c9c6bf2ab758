package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;

/** Rules of {@code metadata.ownerReferences}. Stateless; thread-safe. */
final class OwnerRules {
    private OwnerRules() {}

    static void validate(JsonNode owners, String path, Violations violations) {
        String controller = "";
        for (JsonNode owner : owners) {
            complete(owner, path, violations);
            if (JsonFields.isTrue(owner, "controller")) {
                String name = JsonFields.text(owner, "kind") + '/' + JsonFields.text(owner, "name");
                if (controller.isEmpty()) {
                    controller = name;
                } else {
                    violations.invalid(path, owners, severalControllers(controller, name));
                }
            }
        }
    }

    private static void complete(JsonNode owner, String path, Violations violations) {
        String apiVersion = JsonFields.text(owner, "apiVersion");
        if (apiVersion.isEmpty() || apiVersion.endsWith("/")) {
            violations.invalid(path + ".apiVersion", apiVersion, "version must not be empty");
        }
        notEmpty(owner, "kind", path, violations);
        notEmpty(owner, "name", path, violations);
        notEmpty(owner, "uid", path, violations);
        if (apiVersion.equals("v1") && JsonFields.text(owner, "kind").equals("Event")) {
            violations.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner");
        }
    }

    private static void notEmpty(JsonNode owner, String field, String path, Violations violations) {
        if (JsonFields.text(owner, field).isEmpty()) {
            violations.invalid(path + '.' + field, "", "must not be empty");
        }
    }

    private static String severalControllers(String one, String other) {
        return "Only one reference can have Controller set to true. Found \"true\" in references for " + one + " and "
                + other;
    }
}
