package dev.mooring.api.resource;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.model.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The position at which a list continues: after a key, in the World of the first page. Clients treat it as opaque but
 * can forge it, so a page is served only if the user may read the revision anyway.
 */
public record ContinueToken(long revision, ObjectKey last) {
    public ContinueToken {
        if (revision < 0) {
            throw new IllegalArgumentException("revision must not be negative, got " + revision);
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
                    + "\" is not a token of this server; list again without it"));
        }
    }
}
