package dev.mooring.api.resource;

import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where a list goes on: after a key, in the World of the first page. The text means nothing to a client; made up, it leads to nothing that
 * a list could not show anyway.
 */
public record ContinueToken(long revision, ObjectKey last) {
    public ContinueToken {
        if (revision < 0) {
            throw new IllegalArgumentException("Expected a revision from 0 on, but found " + revision);
        }
    }

    public String text() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((revision + " " + last.text()).getBytes(StandardCharsets.UTF_8));
    }

    public static ContinueToken parse(String text) {
        try {
            String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            int space = plain.indexOf(' ');
            return new ContinueToken(
                    Long.parseLong(plain.substring(0, space)), ObjectKey.parse(plain.substring(space + 1)));
        } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) {
            throw new StatusException(Status.badRequest("continue key is not valid: \"" + text
                    + "\" is not a token that" + " this server gave out; list again without it"));
        }
    }
}
