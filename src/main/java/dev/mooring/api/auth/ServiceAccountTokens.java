package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.tls.SigningKeys;
import dev.mooring.model.Digests;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Signs and verifies tokens of service accounts: JSON Web Tokens (ES256) with Kubernetes' claims. They are not stored.
 * A token becomes invalid when it expires, and when its service account or the object that it is bound to is deleted.
 * Thread-safe.
 */
public final class ServiceAccountTokens {
    /** The issuer, which is also the audience of this API. */
    public static final String ISSUER = "https://kubernetes.default.svc.cluster.local";

    /** Maximum length of a token; one with ten audiences needs less than 2 KiB. */
    private static final int MAX_LENGTH = 8 * 1024;

    /** Cache size; tokens beyond it work, but their signatures are verified more often. */
    private static final int MAX_CACHED = 4096;

    private static final String ALGORITHM = "SHA256withECDSAinP1363Format";
    private static final int COORDINATE_BYTES = 32;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();
    private static final Map<String, String> BOUND_RESOURCES = Map.of("Pod", "pods", "Secret", "secrets");

    private final SigningKeys keys;
    private final Clock clock;
    private final Supplier<String> ids;

    /** Claims of verified tokens by the hash of the token. */
    private final ConcurrentMap<String, JsonNode> verified = new ConcurrentHashMap<>();

    /** @param ids supplies unique ids of tokens */
    public ServiceAccountTokens(SigningKeys keys, Clock clock, Supplier<String> ids) {
        this.keys = keys;
        this.clock = clock;
        this.ids = ids;
    }

    /**
     * An object whose deletion invalidates a token.
     *
     * @param kind Pod or Secret
     */
    public record BoundObject(String kind, ObjectKey key, String uid) {
        /** Returns the object of a reference; empty if tokens cannot be bound to its kind. */
        static Optional<BoundObject> of(String kind, String namespace, String name, String uid) {
            return Optional.ofNullable(BOUND_RESOURCES.get(kind))
                    .flatMap(resource -> ObjectKey.ifValid(resource + '/' + namespace + '/' + name))
                    .map(key -> new BoundObject(kind, key, uid));
        }

        public static BoundObject pod(StoredObject pod) {
            return new BoundObject("Pod", pod.key(), uidOf(pod));
        }

        boolean existsIn(World world) {
            return world.get(key).filter(found -> uidOf(found).equals(uid)).isPresent();
        }
    }

    /** A signed token. Not a record, because its string form would reveal the token. */
    public static final class SignedToken {
        private final String text;
        private final Instant issued;
        private final Instant expires;

        private SignedToken(String text, Instant issued, Instant expires) {
            this.text = text;
            this.issued = issued;
            this.expires = expires;
        }

        public String text() {
            return text;
        }

        public Instant issued() {
            return issued;
        }

        public Instant expires() {
            return expires;
        }

        @Override
        public String toString() {
            return "token until " + expires;
        }
    }

    /** @param audiences empty for this API */
    public SignedToken sign(
            StoredObject account, Optional<BoundObject> bound, List<String> audiences, Duration lifetime) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        Instant expires = now.plus(lifetime);
        String namespace = account.key().namespace().orElseThrow();
        ObjectNode claims = Json.MAPPER.createObjectNode();
        ArrayNode audience = claims.putArray("aud");
        (audiences.isEmpty() ? List.of(ISSUER) : audiences).forEach(audience::add);
        claims.put("exp", expires.getEpochSecond())
                .put("iat", now.getEpochSecond())
                .put("iss", ISSUER)
                .put("jti", ids.get());
        ObjectNode own = claims.putObject("kubernetes.io").put("namespace", namespace);
        bound.ifPresent(object -> own.putObject(object.kind().equals("Pod") ? "pod" : "secret")
                .put("name", object.key().name())
                .put("uid", object.uid()));
        own.putObject("serviceaccount").put("name", account.key().name()).put("uid", uidOf(account));
        claims.put("nbf", now.getEpochSecond())
                .put("sub", User.serviceAccountName(namespace, account.key().name()));
        ObjectNode header = Json.MAPPER.createObjectNode().put("alg", "ES256").put("kid", keys.id());
        String content = encode(header) + '.' + encode(claims);
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(keys.signing().getPrivate());
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return new SignedToken(content + '.' + ENCODER.encodeToString(signature.sign()), now, expires);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Failed to sign token", e);
        }
    }

    /**
     * An authenticated token.
     *
     * @param audiences of the token
     */
    public record Authenticated(ObjectKey account, String uid, List<String> audiences) {}

    /** Returns the service account of a valid token; empty for any other text. */
    public Optional<Authenticated> authenticate(String token, World world) {
        if (token.length() > MAX_LENGTH || token.indexOf('.') < 0) {
            return Optional.empty();
        }
        Optional<JsonNode> found = claims(token);
        long now = clock.instant().getEpochSecond();
        if (found.isEmpty()
                || !found.get().path("iss").asText().equals(ISSUER)
                || found.get().path("exp").asLong() <= now
                || found.get().path("nbf").asLong(Long.MAX_VALUE) > now) {
            return Optional.empty();
        }
        JsonNode own = found.get().path("kubernetes.io");
        String namespace = own.path("namespace").asText();
        JsonNode account = own.path("serviceaccount");
        String uid = account.path("uid").asText();
        Optional<ObjectKey> key = ObjectKey.ifValid(
                "serviceaccounts/" + namespace + '/' + account.path("name").asText());
        boolean exists = key.flatMap(world::get)
                .filter(stored -> uidOf(stored).equals(uid))
                .isPresent();
        if (!exists || !isBoundTo(own, "Pod", "pod", world) || !isBoundTo(own, "Secret", "secret", world)) {
            return Optional.empty();
        }
        List<String> audiences = new ArrayList<>();
        found.get().path("aud").forEach(each -> audiences.add(each.asText()));
        return Optional.of(new Authenticated(key.get(), uid, List.copyOf(audiences)));
    }

    private static boolean isBoundTo(JsonNode claims, String kind, String claim, World world) {
        JsonNode bound = claims.path(claim);
        return bound.isMissingNode()
                || BoundObject.of(
                                kind,
                                claims.path("namespace").asText(),
                                bound.path("name").asText(),
                                bound.path("uid").asText())
                        .filter(object -> object.existsIn(world))
                        .isPresent();
    }

    /** Returns the claims if the signature is valid. */
    private Optional<JsonNode> claims(String token) {
        String hash = Digests.sha256Hex(token);
        JsonNode known = verified.get(hash);
        if (known != null) {
            return Optional.of(known);
        }
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try {
            JsonNode header = Json.MAPPER.readTree(DECODER.decode(parts[0]));
            PublicKey key = keys.accepted().get(header.path("kid").asText());
            if (key == null || !header.path("alg").asText().equals("ES256")) {
                return Optional.empty();
            }
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initVerify(key);
            signature.update((parts[0] + '.' + parts[1]).getBytes(StandardCharsets.US_ASCII));
            if (!signature.verify(DECODER.decode(parts[2]))) {
                return Optional.empty();
            }
            JsonNode claims = Json.MAPPER.readTree(DECODER.decode(parts[1]));
            if (verified.size() >= MAX_CACHED) {
                verified.clear();
            }
            verified.put(hash, claims);
            return Optional.of(claims);
        } catch (IOException | IllegalArgumentException | GeneralSecurityException e) {
            // Not one of our tokens; the text must not be logged.
            return Optional.empty();
        }
    }

    /** Returns the OpenID Connect discovery document. */
    public static ObjectNode openIdConfiguration() {
        ObjectNode document = Json.MAPPER.createObjectNode().put("issuer", ISSUER);
        document.put("jwks_uri", ISSUER + "/openid/v1/jwks");
        document.putArray("response_types_supported").add("id_token");
        document.putArray("subject_types_supported").add("public");
        document.putArray("id_token_signing_alg_values_supported").add("ES256");
        return document;
    }

    /** Returns the public keys as a JSON Web Key Set. */
    public ObjectNode keySet() {
        ObjectNode set = Json.MAPPER.createObjectNode();
        ArrayNode list = set.putArray("keys");
        keys.accepted().forEach((id, key) -> {
            ECPublicKey point = (ECPublicKey) key;
            list.addObject()
                    .put("use", "sig")
                    .put("kty", "EC")
                    .put("kid", id)
                    .put("crv", "P-256")
                    .put("alg", "ES256")
                    .put("x", coordinate(point.getW().getAffineX()))
                    .put("y", coordinate(point.getW().getAffineY()));
        });
        return set;
    }

    private static String coordinate(BigInteger value) {
        byte[] bytes = value.toByteArray();
        byte[] fixed = new byte[COORDINATE_BYTES];
        int length = Math.min(bytes.length, COORDINATE_BYTES);
        System.arraycopy(bytes, bytes.length - length, fixed, COORDINATE_BYTES - length, length);
        return ENCODER.encodeToString(fixed);
    }

    private static String encode(ObjectNode json) {
        return ENCODER.encodeToString(json.toString().getBytes(StandardCharsets.UTF_8));
    }

    static String uidOf(StoredObject object) {
        return object.tree().path("metadata").path("uid").asText("");
    }
}
