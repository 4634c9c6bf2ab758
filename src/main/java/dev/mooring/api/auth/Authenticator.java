package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.api.tls.Tokens;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Whose token is it? On the way of every request, on any thread, without a lock.
 *
 * <p>A token names its object, so there is nothing to search and no index to keep: the object is looked up in the World of the request, and
 * the hashes are compared. What was read from objects is remembered under their revision; another revision, or none, and it is
 * read again. So nothing outlives the commit that changes or removes a token or its service account. No clear text is kept.
 */
public final class Authenticator {
    /** The annotation that gives a service account a role in its own namespace; only admins write service accounts. */
    public static final String ROLE_ANNOTATION = "mooring.dev/role";

    /** Tokens beyond it still work, but are read again more often. */
    static final int MAX_REMEMBERED = 4096;

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long NONE = 0;

    /** A token as it was at a revision of its object, and the user as of a revision of the service account's object. */
    private record Remembered(
            ObjectKey key, long revision, TokenObject token, long accountRevision, Optional<User> user) {
        @Override
        public String toString() {
            return key + "@" + revision;
        }
    }

    private final Tokens fileTokens;
    private final Clock clock;
    private final User admin = User.of(Tokens.ADMIN, Grant.everywhere(Role.ADMIN));
    private final ConcurrentMap<String, Remembered> remembered = new ConcurrentHashMap<>();

    /** @param fileTokens where the admin's token is, which has to work before there is a World */
    public Authenticator(Tokens fileTokens, Clock clock) {
        this.fileTokens = fileTokens;
        this.clock = clock;
    }

    /** @param bearer what the client sent after {@code Bearer} */
    public Optional<User> authenticate(String bearer, World world) {
        if (bearer.isEmpty() || bearer.length() > TokenText.MAX_LENGTH) {
            return Optional.empty();
        }
        Optional<User> user = TokenText.name(bearer).flatMap(name -> vouchedFor(name, bearer, world));
        return user.isPresent()
                ? user
                : fileTokens.userOf(bearer).filter(Tokens.ADMIN::equals).map(name -> admin);
    }

    private Optional<User> vouchedFor(String name, String bearer, World world) {
        Remembered found = recall(name, world);
        if (found == null
                || !MessageDigest.isEqual(found.token.sha256(), TokenText.sha256(bearer))
                || !clock.instant().isBefore(found.token.expires())) {
            return Optional.empty();
        }
        return found.user;
    }

    /** What the World says of a token; null if it has none of that name that could be good. */
    private Remembered recall(String name, World world) {
        Remembered known = remembered.get(name);
        ObjectKey key = known == null ? ObjectKey.clusterWide(TokenObject.RESOURCE, name) : known.key;
        StoredObject stored = world.get(key).orElse(null);
        if (stored == null) {
            remembered.remove(name);
            return null;
        }
        if (known != null
                && known.revision == stored.revision()
                && known.accountRevision == accountRevision(known.token, world)) {
            return known;
        }
        TokenObject token = TokenObject.read(parse(stored)).orElse(null);
        if (token == null) {
            return null;
        }
        Remembered fresh =
                new Remembered(key, stored.revision(), token, accountRevision(token, world), userOf(token, world));
        if (remembered.size() >= MAX_REMEMBERED) {
            remembered.clear();
        }
        remembered.put(name, fresh);
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
                                .map(object -> accountUser(account, object)));
    }

    private static User accountUser(TokenObject.Account account, JsonNode object) {
        String namespace = account.key().namespace().orElseThrow();
        String role = object.path("metadata")
                .path("annotations")
                .path(ROLE_ANNOTATION)
                .asText("");
        Grant grant = Role.named(role)
                .filter(given -> given == Role.VIEW || given == Role.EDIT)
                .map(given -> Grant.of(given, List.of(namespace)))
                .orElse(Grant.NOTHING);
        return User.serviceAccount(namespace, account.key().name(), account.uid(), grant);
    }

    private static JsonNode parse(StoredObject object) {
        try {
            return MAPPER.readTree(object.json());
        } catch (IOException e) {
            throw new UncheckedIOException("Expected " + object.key() + " to be JSON, but it is not", e);
        }
    }
}
