package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.types.BodyException;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks that every object of a World is valid by the rules of its kind. Thread-safe. */
final class WorldCheck {
    private static final int MAX_PROBLEMS = 10;

    private final List<KindDefinition> kinds;

    WorldCheck(List<KindDefinition> kinds) {
        this.kinds = kinds;
    }

    List<String> problems(World world) {
        List<String> problems = new ArrayList<>();
        for (KindDefinition kind : kinds) {
            for (StoredObject object : world.list(Scope.resource(kind.resource()))) {
                problem(kind, object).ifPresent(what -> problems.add(describe(object, what)));
                if (problems.size() >= MAX_PROBLEMS) {
                    return problems;
                }
            }
        }
        return problems;
    }

    private static String describe(StoredObject object, String what) {
        String text = new String(object.json(), StandardCharsets.UTF_8);
        return object.key() + ": " + what + "\n  " + text.substring(0, Math.min(text.length(), 1500));
    }

    private static Optional<String> problem(KindDefinition kind, StoredObject object) {
        ObjectNode tree;
        try {
            // Unknown fields are stored on purpose, so warnings about them are ignored.
            tree = kind.decoder()
                    .decode(object.json(), KindDecoder.BodyFormat.JSON)
                    .object();
        } catch (BodyException e) {
            return Optional.of("cannot be decoded as its kind: " + e.getMessage());
        }
        Violations violations = new Violations();
        kind.metadata().validate(tree, violations);
        kind.rules().validate(tree, violations);
        return violations.isEmpty() ? Optional.empty() : Optional.of("is invalid: " + violations.text());
    }

    /** Replaces each object by itself in a dry run, which must be accepted. */
    List<String> replacedByThemselves(World world, int port, String token) throws IOException {
        List<String> problems = new ArrayList<>();
        try (FuzzConnection connection = new FuzzConnection(port)) {
            for (KindDefinition kind : kinds) {
                for (StoredObject object : world.list(Scope.resource(kind.resource()))) {
                    String path = PathGrammar.item(
                            kind,
                            object.key().namespace().orElse(""),
                            object.key().name());
                    FuzzRequest call = new FuzzRequest(
                            -1,
                            FuzzRequest.Sender.ADMIN,
                            "PUT " + path + "?dryRun=All HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
                                    + "\r\nContent-Length: " + object.json().length,
                            object.json(),
                            FuzzRequest.SendMode.ANSWER);
                    FuzzReply reply = connection.send(call, Optional.of(token)).orElseThrow();
                    boolean changedMeanwhile = reply.code() == 409 || reply.code() == 404;
                    if (reply.code() != 200 && !changedMeanwhile && problems.size() < MAX_PROBLEMS) {
                        problems.add(describe(object, "cannot be replaced by itself: " + reply));
                    }
                }
            }
        }
        return problems;
    }
}
