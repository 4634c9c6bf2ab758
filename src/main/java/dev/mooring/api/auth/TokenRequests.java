package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Creates tokens for service accounts: {@code kubectl create token SA --duration}. Returns the Token object to store
 * and the response; stores nothing. The token becomes invalid when it expires, and when its object or its service
 * account is deleted. Thread-safe.
 */
public final class TokenRequests {
    /** Maximum lifetime; longer requests are shortened to it, as in a Kubernetes cluster with a maximum. */
    public static final Duration DEFAULT_MAX = Duration.ofDays(90);

    /** Lifetime of a token for the web page. */
    private static final Duration SIGN_IN = Duration.ofHours(12);

    private static final Duration MIN = Duration.ofMinutes(10);
    private static final Duration DEFAULT = Duration.ofHours(1);
    private static final long LARGEST = 1L << 32;
    private static final String GROUP = "authentication.k8s.io";
    private static final String KIND = "TokenRequest";

    /** An issued token. Not a record, because its string form would reveal the token. */
    public static final class IssuedToken {
        private final ObjectKey key;
        private final ObjectNode object;
        private final ObjectNode response;
        private final Optional<String> warning;

        IssuedToken(ObjectKey key, ObjectNode object, ObjectNode response, Optional<String> warning) {
            this.key = key;
            this.object = object;
            this.response = response;
            this.warning = warning;
        }

        public ObjectKey key() {
            return key;
        }

        /**
         * Returns the Token object, which contains only the hash. The caller must store it before sending the response.
         */
        public ObjectNode object() {
            return object;
        }

        /** Returns the response, which contains the clear text. */
        public ObjectNode response() {
            return response;
        }

        /** Returns the text of the {@code Warning} header. */
        public Optional<String> warning() {
            return warning;
        }

        @Override
        public String toString() {
            return "issued " + key;
        }
    }

    private final TokenMint mint;
    private final Clock clock;
    private final Duration max;

    public TokenRequests(TokenMint mint, Clock clock, Duration max) {
        this.mint = mint;
        this.clock = clock;
        this.max = max;
    }

    public ReviewResponse<IssuedToken> issue(ObjectNode request, StoredObject serviceAccount) {
        String namespace = serviceAccount.key().namespace().orElseThrow();
        String name = serviceAccount.key().name();
        JsonNode spec = request.path("spec");
        Violations violations = new Violations();
        requireSame(violations, request, "name", name);
        requireSame(violations, request, "namespace", namespace);
        long asked = spec.path("expirationSeconds").asLong(DEFAULT.toSeconds());
        if (asked < MIN.toSeconds()) {
            violations.invalid(
                    "spec.expirationSeconds",
                    spec.path("expirationSeconds"),
                    "may not specify a duration less than 10 minutes");
        } else if (asked > LARGEST) {
            violations.invalid(
                    "spec.expirationSeconds",
                    spec.path("expirationSeconds"),
                    "may not specify a duration larger than 2^32 seconds");
        }
        if (!violations.isEmpty()) {
            return new ReviewResponse.Invalid<>(GROUP, KIND, "", violations);
        }
        JsonNode bound = spec.path("boundObjectRef");
        if (bound.isObject()) {
            // A token that outlives the object it is bound to would be unsafe.
            return new ReviewResponse.BadRequest<>("cannot bind token for serviceaccount to object of type "
                    + bound.path("kind").asText(""));
        }
        long seconds = Math.min(asked, max.toSeconds());
        Optional<String> warning = seconds == asked
                ? Optional.empty()
                : Optional.of("requested expiration of " + asked + " seconds shortened to " + seconds + " seconds");
        return new ReviewResponse.Created<>(
                issue(request, serviceAccount.key(), uidOf(serviceAccount), seconds, warning));
    }

    /** Returns a token of role view for the web page. Each sign-in is a user of its own. */
    public IssuedToken signIn() {
        String expires = Rfc3339.format(clock.instant().plus(SIGN_IN));
        TokenMint.MintedToken minted = mint.mint(mint.generateName("page-"));
        ObjectNode object = tokenObject(minted);
        ((ObjectNode) object.path("spec"))
                .put("user", minted.name())
                .put("role", Role.VIEW.text())
                .put("expires", expires)
                .put("note", "sign-in to the web page");
        ObjectNode response = Json.MAPPER
                .createObjectNode()
                .put("token", minted.text())
                .put("user", minted.name())
                .put("expires", expires);
        return new IssuedToken(
                ObjectKey.clusterWide(TokenObject.RESOURCE, minted.name()), object, response, Optional.empty());
    }

    private static ObjectNode tokenObject(TokenMint.MintedToken minted) {
        ObjectNode object = Json.MAPPER
                .createObjectNode()
                .put("apiVersion", "mooring.dev/v1")
                .put("kind", "Token");
        object.putObject("metadata").put("name", minted.name());
        object.putObject("spec").put("sha256", minted.sha256());
        return object;
    }

    private IssuedToken issue(
            ObjectNode request, ObjectKey account, String uid, long seconds, Optional<String> warning) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        String expires = Rfc3339.format(now.plusSeconds(seconds));
        TokenMint.MintedToken minted = mint.mint(mint.generateName("sa-"));
        String namespace = account.namespace().orElseThrow();

        ObjectNode object = tokenObject(minted);
        ObjectNode tokenSpec = ((ObjectNode) object.path("spec"))
                .put("user", User.serviceAccountName(namespace, account.name()))
                .put("expires", expires);
        tokenSpec
                .putObject("serviceAccount")
                .put("namespace", namespace)
                .put("name", account.name())
                .put("uid", uid);

        ObjectNode response = Json.MAPPER.createObjectNode().put("kind", KIND).put("apiVersion", GROUP + "/v1");
        response.putObject("metadata")
                .put("name", account.name())
                .put("namespace", namespace)
                .put("creationTimestamp", Rfc3339.format(now));
        ObjectNode spec = response.putObject("spec");
        JsonNode audiences = request.path("spec").path("audiences");
        spec.set("audiences", audiences.isArray() ? audiences : Json.MAPPER.createArrayNode());
        spec.put("expirationSeconds", seconds).putNull("boundObjectRef");
        response.putObject("status").put("token", minted.text()).put("expirationTimestamp", expires);
        return new IssuedToken(ObjectKey.clusterWide(TokenObject.RESOURCE, minted.name()), object, response, warning);
    }

    private static void requireSame(Violations violations, ObjectNode request, String field, String expected) {
        String found = request.path("metadata").path(field).asText("");
        if (!found.isEmpty() && !found.equals(expected)) {
            violations.invalid("metadata." + field, found, "must match the service account " + field + " if specified");
        }
    }

    private static String uidOf(StoredObject serviceAccount) {
        try {
            String uid = Json.MAPPER
                    .readTree(serviceAccount.json())
                    .path("metadata")
                    .path("uid")
                    .asText("");
            if (uid.isEmpty()) {
                throw new IllegalArgumentException("Stored object " + serviceAccount.key() + " has no uid");
            }
            return uid;
        } catch (IOException e) {
            throw new UncheckedIOException("Stored object " + serviceAccount.key() + " is not JSON", e);
        }
    }
}
