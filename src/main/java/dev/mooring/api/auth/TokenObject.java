package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A Token of the World as authentication sees it. An invalid Token is ignored: {@link TokenRules} prevents writing one,
 * and this class prevents accepting one. Not a record, because its string form would reveal the hash.
 */
final class TokenObject {
    static final String RESOURCE = "tokens.mooring.dev";
    private static final int HASH_BYTES = 32;

    /** A service account, identified by key and uid. */
    record Account(ObjectKey key, String uid) {}

    private final String user;
    private final Grant grant;
    private final byte[] sha256;
    private final Instant expires;
    private final Optional<Account> account;

    private TokenObject(String user, Grant grant, byte[] sha256, Instant expires, Optional<Account> account) {
        this.user = user;
        this.grant = grant;
        this.sha256 = sha256;
        this.expires = expires;
        this.account = account;
    }

    static Optional<TokenObject> parse(JsonNode object) {
        JsonNode spec = object.path("spec");
        try {
            byte[] sha256 = HexFormat.of().parseHex(spec.path("sha256").asText(""));
            JsonNode expires = spec.path("expires");
            Instant end = expires.isMissingNode() || expires.isNull() ? Instant.MAX : Rfc3339.parse(expires.asText(""));
            if (sha256.length != HASH_BYTES) {
                return Optional.empty();
            }
            JsonNode account = spec.path("serviceAccount");
            return account.isObject() ? ofAccount(account, sha256, end) : ofUser(spec, sha256, end);
        } catch (IllegalArgumentException | DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static Optional<TokenObject> ofAccount(JsonNode account, byte[] sha256, Instant expires) {
        String namespace = account.path("namespace").asText("");
        String name = account.path("name").asText("");
        String uid = account.path("uid").asText("");
        if (uid.isEmpty()) {
            return Optional.empty();
        }
        Account bound = new Account(ObjectKey.namespaced("serviceaccounts", namespace, name), uid);
        return Optional.of(new TokenObject(
                User.serviceAccountName(namespace, name), Grant.NOTHING, sha256, expires, Optional.of(bound)));
    }

    private static Optional<TokenObject> ofUser(JsonNode spec, byte[] sha256, Instant expires) {
        String user = spec.path("user").asText("");
        Optional<Role> role = Role.parse(spec.path("role").asText(""));
        List<String> namespaces = new ArrayList<>();
        spec.path("namespaces").forEach(item -> namespaces.add(item.asText("")));
        if (role.isEmpty() || !isPermitted(user, role.get()) || !isPermitted(namespaces, role.get())) {
            return Optional.empty();
        }
        return Optional.of(new TokenObject(user, Grant.of(role.get(), namespaces), sha256, expires, Optional.empty()));
    }

    /** Returns whether the role may have this user name; the prefix {@code system:} is reserved. */
    static boolean isPermitted(String user, Role role) {
        return role == Role.NODE
                ? user.startsWith(User.NODE_PREFIX) && user.length() > User.NODE_PREFIX.length()
                : !user.isEmpty() && !user.startsWith(User.SYSTEM_PREFIX);
    }

    /**
     * Returns whether the role may have these namespaces; a namespace list on an admin would have no effect and is
     * refused.
     */
    static boolean isPermitted(List<String> namespaces, Role role) {
        return namespaces.isEmpty() || role == Role.EDIT || role == Role.VIEW;
    }

    User user() {
        return User.of(user, grant);
    }

    byte[] sha256() {
        return sha256;
    }

    Instant expires() {
        return expires;
    }

    Optional<Account> account() {
        return account;
    }

    @Override
    public String toString() {
        return "token of " + user;
    }
}
