package dev.mooring.api.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.Samples;
import dev.mooring.world.World;

/** Creates worlds from earlier ones by writing or removing one object, as a commit does. Objects are given as text. */
final class AuthWorldFixture {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private AuthWorldFixture() {}

    static ObjectNode json(String text) {
        try {
            return (ObjectNode) MAPPER.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static World with(World world, String key, String object) {
        ObjectKey parsed = ObjectKey.parse(key);
        ObjectNode content = json(object);
        ObjectNode metadata = content.withObjectProperty("metadata").put("name", parsed.name());
        parsed.namespace().ifPresent(namespace -> metadata.put("namespace", namespace));
        long revision = world.revision() + 1;
        long prior = world.get(parsed).map(StoredObject::revision).orElse(0L);
        return world.after(
                Samples.event(revision, Change.put(Draft.of(parsed, content).at(revision), prior)));
    }

    static World without(World world, String key) {
        return world.after(Samples.removal(world, ObjectKey.parse(key)));
    }

    /** @param spec without the hash */
    static World withToken(World world, TokenMint.MintedToken token, String spec) {
        ObjectNode content = json(spec);
        content.put("sha256", token.sha256());
        return with(world, "tokens.mooring.dev/" + token.name(), "{'spec':" + content + "}");
    }
}
