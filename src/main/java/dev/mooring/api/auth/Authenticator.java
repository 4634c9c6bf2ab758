package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.tls.TokenFile;
import dev.mooring.model.Digests;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates bearer tokens: signed ones of service accounts ({@link ServiceAccountTokens}) and those of Token
 * objects. Runs for every request, on any thread, without a lock.
 *
 * <p>A token of a Token object contains the name of its Token object, so no index is needed: the object is looked up in the World of the
 * request, and the hashes are compared. Parsed objects are cached by revision, so nothing outlives the commit that
 * changes or removes a token or its service account. No clear text is kept.
 */
public final class Authenticator {
    /** Annotation that gives a service account a role in its own namespace; only admins can write service accounts. */
    public static final String ROLE_ANNOTATION = "mooring.dev/role";

    /** Cache size; tokens beyond it work, but are parsed more often. */
    static final int MAX_CACHED = 4096;

    /** Maximum number of tokens without expiry that the log lists. */
    private static final int MAX_NAMED = 20;

    private static final Logger LOG = LoggerFactory.getLogger(Authenticator.class);
    private static final long NONE = 0;

    /** A token at a revision of its object, and its user at a revision of the service account. */
    private record CachedToken(
            ObjectKey key, long revision, TokenObject token, long accountRevision, Optional<User> user) {
        @Override
        public String toString() {
            return key + "@" + revision;
        }
    }

    private final TokenFile fileTokens;
    private final ServiceAccountTokens accountTokens;
    private final Clock clock;
    private final User admin = User.of(TokenFile.ADMIN, Grant.everywhere(Role.ADMIN));
    private final ConcurrentMap<String, CachedToken> cache = new ConcurrentHashMap<>();

    /** @param fileTokens holds the admin's token, which must work before a World exists */
    public Authenticator(TokenFile fileTokens, ServiceAccountTokens accountTokens, Clock clock) {
        this.fileTokens = fileTokens;
        this.accountTokens = accountTokens;
        this.clock = clock;
    }

    /** Logs the number of tokens that never expire, and the names of the first ones. */
    public void warnOfTokensWithoutExpiry(World world) {
        List<String> names = world.stream(Scope.resource(TokenObject.RESOURCE))
                .filter(stored -> TokenObject.parse(parse(stored))
                        .filter(token -> token.expires().equals(Instant.MAX))
                        .isPresent())
                .map(stored -> stored.key().name())
                .toList();
        if (!names.isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("count", names.size())
                    .addKeyValue("tokens", String.join(",", names.subList(0, Math.min(MAX_NAMED, names.size()))))
                    .log("Tokens without expiry exist; replace them (mooring token create) and revoke them");
        }
    }

    /** @param bearer the value after {@code Bearer} */
    public Optional<User> authenticate(String bearer, World world) {
        return authenticate(bearer, List.of(ServiceAccountTokens.ISSUER), world).map(Identity::user);
    }

    /**
     * A user and the audiences for which its token is valid.
     *
     * @param audiences those of the token that were asked for
     */
    record Identity(User user, List<String> audiences) {}

    /** @param audiences the token must be for one of them */
    Optional<Identity> authenticate(String bearer, List<String> audiences, World world) {
        if (bearer.indexOf('.') >= 0) {
            return accountTokens.authenticate(bearer, world).flatMap(found -> {
                List<String> common =
                        audiences.stream().filter(found.audiences()::contains).toList();
                return common.isEmpty()
                        ? Optional.empty()
                        : accountUser(found.account(), found.uid(), world).map(user -> new Identity(user, common));
            });
        }
        return audiences.contains(ServiceAccountTokens.ISSUER)
                ? authenticateOpaque(bearer, world)
                        .map(user -> new Identity(user, List.of(ServiceAccountTokens.ISSUER)))
                : Optional.empty();
    }

    private static Optional<User> accountUser(ObjectKey account, String uid, World world) {
        return world.get(account)
                .map(stored -> accountUser(account, uid, parse(stored)).since(stored.revision()));
    }

    private Optional<User> authenticateOpaque(String bearer, World world) {
        if (bearer.isEmpty() || bearer.length() > TokenFormat.MAX_LENGTH) {
            return Optional.empty();
        }
        Optional<User> user = TokenFormat.name(bearer).flatMap(name -> authenticateTokenObject(name, bearer, world));
        return user.isPresent()
                ? user
                : fileTokens.userOf(bearer).filter(TokenFile.ADMIN::equals).map(name -> admin);
    }

    private Optional<User> authenticateTokenObject(String name, String bearer, World world) {
        CachedToken found = lookUp(name, world);
        if (found == null
                || !MessageDigest.isEqual(found.token.sha256(), Digests.sha256(bearer))
                || !clock.instant().isBefore(found.token.expires())) {
            return Optional.empty();
        }
        return found.user;
    }

    /** Returns the token in the World; null if there is no valid one of that name. */
    private CachedToken lookUp(String name, World world) {
        CachedToken known = cache.get(name);
        ObjectKey key = known == null ? ObjectKey.clusterWide(TokenObject.RESOURCE, name) : known.key;
        StoredObject stored = world.get(key).orElse(null);
        if (stored == null) {
            cache.remove(name);
            return null;
        }
        if (known != null
                && known.revision == stored.revision()
                && known.accountRevision == accountRevision(known.token, world)) {
            return known;
        }
        TokenObject token = TokenObject.parse(parse(stored)).orElse(null);
        if (token == null) {
            return null;
        }
        long accountRevision = accountRevision(token, world);
        Optional<User> user =
                userOf(token, world).map(found -> found.since(Math.max(stored.revision(), accountRevision)));
        CachedToken fresh = new CachedToken(key, stored.revision(), token, accountRevision, user);
        if (cache.size() >= MAX_CACHED) {
            cache.clear();
        }
        cache.put(name, fresh);
        return fresh;
    }

    private static long accountRevision(TokenObject token, World world) {
        return token.account().isEmpty()
                ? NONE
                : world.get(token.account().get().key())
                        .map(StoredObject::revision)
                        .orElse(NONE);
    }

    private static Optional<User> userOf(TokenObject token, World world) {
        return token.account().isEmpty()
                ? Optional.of(token.user())
                : token.account()
                        .flatMap(account -> world.get(account.key())
                                .map(Authenticator::parse)
                                .filter(object -> object.path("metadata")
                                        .path("uid")
                                        .asText("")
                                        .equals(account.uid()))
                                .map(object -> accountUser(account.key(), account.uid(), object)));
    }

    private static User accountUser(ObjectKey account, String uid, JsonNode object) {
        String namespace = account.namespace().orElseThrow();
        String role = object.path("metadata")
                .path("annotations")
                .path(ROLE_ANNOTATION)
                .asText("");
        Grant grant = Role.parse(role)
                .filter(given -> given == Role.VIEW || given == Role.EDIT)
                .map(given -> Grant.of(given, List.of(namespace)))
                .orElse(Grant.NOTHING);
        return User.serviceAccount(namespace, account.name(), uid, grant);
    }

    private static JsonNode parse(StoredObject object) {
        try {
            return Json.MAPPER.readTree(object.json());
        } catch (IOException e) {
            throw new UncheckedIOException("Stored object " + object.key() + " is not JSON", e);
        }
    }
}
