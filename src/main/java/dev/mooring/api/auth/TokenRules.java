package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Rules;
import dev.mooring.api.rules.Violations;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Validates Tokens by the conditions that {@link TokenObject} checks during authentication. */
public final class TokenRules implements Rules {
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final int MAX_USER = 253;
    private static final List<String> ROLES = List.of("admin", "edit", "node", "view");

    /** Defaults the user name to the token's name. */
    @Override
    public void applyDefaults(ObjectNode object) {
        if (object.path("spec") instanceof ObjectNode spec
                && text(spec, "user").isEmpty()
                && !spec.path("serviceAccount").isObject()) {
            String name = object.path("metadata").path("name").asText("");
            spec.put("user", text(spec, "role").equals(Role.NODE.text()) ? User.NODE_PREFIX + name : name);
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = object.path("spec");
        validateHash(text(spec, "sha256"), violations);
        validateExpiry(spec.path("expires"), violations);
        if (spec.path("serviceAccount").isObject()) {
            validateAccount(spec, violations);
        } else {
            validateGrant(spec, violations);
        }
    }

    private static void validateHash(String hash, Violations violations) {
        if (hash.isEmpty()) {
            violations.required("spec.sha256", "the SHA-256 of the token in hexadecimal digits");
        } else if (!HASH.matcher(hash).matches()) {
            // The message omits the value, which might be the token itself.
            violations.forbidden("spec.sha256", "must be 64 lower-case hexadecimal digits");
        }
    }

    private static void validateExpiry(JsonNode expires, Violations violations) {
        if (expires.isMissingNode() || expires.isNull()) {
            return;
        }
        try {
            Rfc3339.parse(expires.asText(""));
        } catch (DateTimeParseException e) {
            violations.invalid("spec.expires", expires, "must be a time such as 2026-01-31T12:00:00Z");
        }
    }

    private static void validateAccount(JsonNode spec, Violations violations) {
        JsonNode account = spec.path("serviceAccount");
        for (String field : List.of("namespace", "name", "uid")) {
            if (text(account, field).isEmpty()) {
                violations.required("spec.serviceAccount." + field, "");
            }
        }
        for (String field : List.of("role", "namespaces")) {
            if (spec.hasNonNull(field)) {
                violations.forbidden(
                        "spec." + field,
                        "the role of a service account is set by its annotation " + Authenticator.ROLE_ANNOTATION);
            }
        }
        String user = text(spec, "user");
        if (!user.isEmpty()
                && !user.equals(User.serviceAccountName(text(account, "namespace"), text(account, "name")))) {
            violations.invalid("spec.user", user, "must be the name of the service account");
        }
    }

    private static void validateGrant(JsonNode spec, Violations violations) {
        Optional<Role> role = Role.parse(text(spec, "role"));
        if (text(spec, "role").isEmpty()) {
            violations.required("spec.role", "");
        } else if (role.isEmpty()) {
            violations.notSupported("spec.role", text(spec, "role"), ROLES);
        }
        if (role.isEmpty()) {
            return;
        }
        validateUser(text(spec, "user"), role.get(), violations);
        List<String> namespaces = new ArrayList<>();
        spec.path("namespaces").forEach(item -> namespaces.add(item.asText("")));
        if (!TokenObject.isPermitted(namespaces, role.get())) {
            violations.forbidden("spec.namespaces", "role \"" + role.get().text() + "\" applies to all namespaces");
        } else if (namespaces.isEmpty() && role.get() == Role.EDIT) {
            violations.required("spec.namespaces", "name at least one, or \"*\" for all");
        }
        for (int i = 0; i < namespaces.size(); i++) {
            String namespace = namespaces.get(i);
            if (!namespace.equals(Grant.EVERYWHERE)
                    && !NAMESPACE.matcher(namespace).matches()) {
                violations.invalid(
                        "spec.namespaces[" + i + "]", namespace, "must be the name of a namespace, or \"*\"");
            }
        }
    }

    private static void validateUser(String user, Role role, Violations violations) {
        if (user.isEmpty()) {
            violations.required("spec.user", "");
        } else if (user.length() > MAX_USER) {
            violations.tooLong("spec.user", MAX_USER);
        } else if (user.chars().anyMatch(Character::isISOControl)) {
            violations.invalid("spec.user", user, "must not contain control characters");
        } else if (!TokenObject.isPermitted(user, role)) {
            violations.invalid(
                    "spec.user",
                    user,
                    role == Role.NODE
                            ? "must be system:node: and the name of the Node"
                            : "must not begin with \"system:\"");
        }
    }

    private static String text(JsonNode object, String field) {
        return object.path(field).asText("");
    }
}
