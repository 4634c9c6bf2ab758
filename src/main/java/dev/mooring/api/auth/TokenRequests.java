package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
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
 * Tokens for service accounts: {@code kubectl create token SA --duration}. Makes the Token object to be stored and the answer, and stores
 * nothing. The token ends with its time, with its object, and with the service account it was made for. Any thread.
 */
public final class TokenRequests {
    /** Who asks for more gets this, as in a Kubernetes that has a maximum. */
    public static final Duration DEFAULT_MAX = Duration.ofDays(90);

    private static final Duration MIN = Duration.ofMinutes(10);
    private static final Duration DEFAULT = Duration.ofHours(1);
    private static final long LARGEST = 1L << 32;
    private static final String GROUP = "authentication.k8s.io";
    private static final String KIND = "TokenRequest";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** A token that was made. No record: its text form would show it. */
    public static final class Issued {
        private final ObjectKey key;
        private final ObjectNode object;
        private final ObjectNode response;
        private final Optional<String> warning;

        Issued(ObjectKey key, ObjectNode object, ObjectNode response, Optional<String> warning) {
            this.key = key;
            this.object = object;
            this.response = response;
            this.warning = warning;
        }

        public ObjectKey key() {
            return key;
        }

        /** The Token to create before anybody gets the response; holds the hash only. */
        public ObjectNode object() {
            return object;
        }

        /** Holds the clear text. */
        public ObjectNode response() {
            return response;
        }

        /** For a {@code Warning} header. */
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

    public Reply<Issued> issue(ObjectNode request, StoredObject serviceAccount) {
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
            return new Reply.Invalid<>(GROUP, KIND, "", violations);
        }
        JsonNode bound = spec.path("boundObjectRef");
        if (bound.isObject()) {
            // A token that outlives what it was bound to would be worse than none.
            return new Reply.BadRequest<>("cannot bind token for serviceaccount to object of type "
                    + bound.path("kind").asText(""));
        }
        long seconds = Math.min(asked, max.toSeconds());
        Optional<String> warning = seconds == asked
                ? Optional.empty()
                : Optional.of("requested expiration of " + asked + " seconds shortened to " + seconds + " seconds");
        return new Reply.Answer<>(issue(request, serviceAccount.key(), uidOf(serviceAccount), seconds, warning));
    }

    private Issued issue(ObjectNode request, ObjectKey account, String uid, long seconds, Optional<String> warning) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        String expires = Rfc3339.format(now.plusSeconds(seconds));
        MintedToken minted = mint.mint(mint.anyName("sa-"));
        String namespace = account.namespace().orElseThrow();

        ObjectNode object =
                MAPPER.createObjectNode().put("apiVersion", "mooring.dev/v1").put("kind", "Token");
        object.putObject("metadata").put("name", minted.name());
        ObjectNode tokenSpec = object.putObject("spec")
                .put("user", User.serviceAccountName(namespace, account.name()))
                .put("sha256", minted.sha256())
                .put("expires", expires);
        tokenSpec
                .putObject("serviceAccount")
                .put("namespace", namespace)
                .put("name", account.name())
                .put("uid", uid);

        ObjectNode response = MAPPER.createObjectNode().put("kind", KIND).put("apiVersion", GROUP + "/v1");
        response.putObject("metadata")
                .put("name", account.name())
                .put("namespace", namespace)
                .put("creationTimestamp", Rfc3339.format(now));
        ObjectNode spec = response.putObject("spec");
        JsonNode audiences = request.path("spec").path("audiences");
        spec.set("audiences", audiences.isArray() ? audiences : MAPPER.createArrayNode());
        spec.put("expirationSeconds", seconds).putNull("boundObjectRef");
        response.putObject("status").put("token", minted.text()).put("expirationTimestamp", expires);
        return new Issued(ObjectKey.clusterWide(TokenObject.RESOURCE, minted.name()), object, response, warning);
    }

    private static void requireSame(Violations violations, ObjectNode request, String field, String expected) {
        String found = request.path("metadata").path(field).asText("");
        if (!found.isEmpty() && !found.equals(expected)) {
            violations.invalid("metadata." + field, found, "must match the service account " + field + " if specified");
        }
    }

    private static String uidOf(StoredObject serviceAccount) {
        try {
            String uid = MAPPER.readTree(serviceAccount.json())
                    .path("metadata")
                    .path("uid")
                    .asText("");
            if (uid.isEmpty()) {
                throw new IllegalArgumentException(
                        "Expected " + serviceAccount.key() + " to have a uid, but it has none");
            }
            return uid;
        } catch (IOException e) {
            throw new UncheckedIOException("Expected " + serviceAccount.key() + " to be JSON, but it is not", e);
        }
    }
}
