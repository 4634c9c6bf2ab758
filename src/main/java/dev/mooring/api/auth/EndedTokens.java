package dev.mooring.api.auth;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Tokens of service accounts that can never be used again, because their time or their account is over: they may be removed. Tokens that
 * a person made stay until a person revokes them, so that a list shows what has expired. Pure; walks all tokens, so ask now and then.
 */
public final class EndedTokens {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private EndedTokens() {}

    /** @param max at most so many at once */
    public static List<StoredObject> in(World world, Instant now, int max) {
        List<StoredObject> ended = new ArrayList<>();
        for (StoredObject stored : world.list(Scope.resource(TokenObject.RESOURCE))) {
            if (ended.size() == max) {
                break;
            }
            try {
                TokenObject token =
                        TokenObject.read(MAPPER.readTree(stored.json())).orElse(null);
                if (token != null
                        && token.account().isPresent()
                        && (!now.isBefore(token.expires())
                                || world.get(token.account().get().key()).isEmpty())) {
                    ended.add(stored);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("Expected " + stored.key() + " to be JSON, but it is not", e);
            }
        }
        return ended;
    }
}
