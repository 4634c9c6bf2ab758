package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Handles token requests: signed tokens for service accounts ({@code kubectl create token SA --duration}), which are
 * not stored, and tokens for the web page, whose objects the caller stores. Thread-safe.
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

        IssuedToken(ObjectKey key, ObjectNode object, ObjectNode response) {
            this.key = key;
            this.object = object;
            this.response = response;
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

        @Override
        public String toString() {
            return "issued " + key;
        }
    }

    /** The response to a TokenRequest. Not a record, because its string form would reveal the token. */
    public static final class AccountToken {
        private final ObjectNode response;
        private final Optional<String> warning;

        private AccountToken(ObjectNode response, Optional<String> warning) {
            this.response = response;
            this.warning = warning;
        }

        /** Returns the response, which contains the clear text. */
        public ObjectNode response() {
            return response;
        }

        /** Returns the text of the {@code Warning} header. */
        public Optional<String> warning() {
            return warning;
        }
    }

    private final TokenMint mint;
    private final ServiceAccountTokens accountTokens;
    private final Clock clock;
    private final Duration max;

    public TokenRequests(TokenMint mint, ServiceAccountTokens accountTokens, Clock clock, Duration max) {
        this.mint = mint;
        this.accountTokens = accountTokens;
        this.clock = clock;
        this.max = max;
    }

    /** Issues a signed token for {@code kubectl create token} and other clients. */
    public ReviewResponse<AccountToken> issue(ObjectNode request, StoredObject serviceAccount, World world) {
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
        Optional<ServiceAccountTokens.BoundObject> bound = Optional.empty();
        JsonNode reference = spec.path("boundObjectRef");
        if (reference.isObject()) {
            String kind = reference.path("kind").asText("");
            bound = ServiceAccountTokens.BoundObject.of(
                    kind,
                    namespace,
                    reference.path("name").asText(""),
                    reference.path("uid").asText(""));
            if (bound.isEmpty()) {
                return new ReviewResponse.BadRequest<>(
                        "cannot bind token for serviceaccount to object of type " + kind + "; use Pod or Secret");
            }
            Optional<StoredObject> object = world.get(bound.get().key());
            if (object.isEmpty()) {
                return new ReviewResponse.BadRequest<>(
                        bound.get().key().resource() + " \"" + bound.get().key().name() + "\" not found");
            }
            String uid = ServiceAccountTokens.uidOf(object.get());
            if (!bound.get().uid().isEmpty() && !bound.get().uid().equals(uid)) {
                return new ReviewResponse.BadRequest<>(
                        "the UID in the bound object reference (" + bound.get().uid()
                                + ") does not match the UID in record. The object might have been deleted and then"
                                + " recreated");
            }
            String account =
                    object.get().tree().path("spec").path("serviceAccountName").asText(name);
            if (kind.equals("Pod") && !account.equals(name)) {
                return new ReviewResponse.BadRequest<>("cannot bind token for serviceaccount \"" + name
                        + "\" to pod running with different serviceaccount name.");
            }
            bound = Optional.of(
                    new ServiceAccountTokens.BoundObject(kind, bound.get().key(), uid));
        }
        long seconds = Math.min(asked, max.toSeconds());
        Optional<String> warning = seconds == asked
                ? Optional.empty()
                : Optional.of("requested expiration of " + asked + " seconds shortened to " + seconds + " seconds");
        return new ReviewResponse.Created<>(issue(request, serviceAccount, bound, seconds, warning));
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
        return new IssuedToken(ObjectKey.clusterWide(TokenObject.RESOURCE, minted.name()), object, response);
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

    private AccountToken issue(
            ObjectNode request,
            StoredObject account,
            Optional<ServiceAccountTokens.BoundObject> bound,
            long seconds,
            Optional<String> warning) {
        List<String> audiences = new ArrayList<>();
        request.path("spec").path("audiences").forEach(each -> audiences.add(each.asText()));
        ServiceAccountTokens.SignedToken token =
                accountTokens.sign(account, bound, audiences, Duration.ofSeconds(seconds));
        ObjectNode response = Json.MAPPER.createObjectNode().put("kind", KIND).put("apiVersion", GROUP + "/v1");
        response.putObject("metadata")
                .put("name", account.key().name())
                .put("namespace", account.key().namespace().orElseThrow())
                .put("creationTimestamp", Rfc3339.format(token.issued()));
        ObjectNode spec = response.putObject("spec");
        ArrayNode listed = spec.putArray("audiences");
        (audiences.isEmpty() ? List.of(ServiceAccountTokens.ISSUER) : audiences).forEach(listed::add);
        spec.put("expirationSeconds", seconds);
        spec.set("boundObjectRef", bound.<JsonNode>map(TokenRequests::reference).orElse(NullNode.instance));
        response.putObject("status")
                .put("token", token.text())
                .put("expirationTimestamp", Rfc3339.format(token.expires()));
        return new AccountToken(response, warning);
    }

    private static ObjectNode reference(ServiceAccountTokens.BoundObject bound) {
        return Json.MAPPER
                .createObjectNode()
                .put("kind", bound.kind())
                .put("apiVersion", "v1")
                .put("name", bound.key().name())
                .put("uid", bound.uid());
    }

    private static void requireSame(Violations violations, ObjectNode request, String field, String expected) {
        String found = request.path("metadata").path(field).asText("");
        if (!found.isEmpty() && !found.equals(expected)) {
            violations.invalid("metadata." + field, found, "must match the service account " + field + " if specified");
        }
    }
}
