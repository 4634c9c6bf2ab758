package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.decode.BodyException;
import dev.mooring.api.decode.BodyFormat;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.kind.Violations;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether every object of a World is one that its kind's own rules would let in. Any thread. */
final class WorldCheck {
    private static final int TOLD = 10;

    private final List<Kind> kinds;

    WorldCheck(List<Kind> kinds) {
        this.kinds = kinds;
    }

    List<String> problems(World world) {
        List<String> problems = new ArrayList<>();
        for (Kind kind : kinds) {
            for (StoredObject object : world.list(Scope.resource(kind.resource()))) {
                problem(kind, object).ifPresent(what -> problems.add(describe(object, what)));
                if (problems.size() >= TOLD) {
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

    private static Optional<String> problem(Kind kind, StoredObject object) {
        ObjectNode tree;
        try {
            // Fields that nobody knows are kept on purpose, so what a strict reader says of them does not count.
            tree = kind.decoder().decode(object.json(), BodyFormat.JSON).object();
        } catch (BodyException e) {
            return Optional.of("it is not of the shape of its kind: " + e.getMessage());
        }
        Violations violations = new Violations();
        kind.metadata().validate(tree, violations);
        kind.rules().validate(tree, violations);
        return violations.isEmpty() ? Optional.empty() : Optional.of("its own rules refuse it: " + violations.text());
    }

    /** Replaces each object by itself, as a dry run: whatever is there must be allowed to stay. */
    List<String> replacedByThemselves(World world, int port, String token) throws IOException {
        List<String> problems = new ArrayList<>();
        try (FuzzConnection connection = new FuzzConnection(port)) {
            for (Kind kind : kinds) {
                for (StoredObject object : world.list(Scope.resource(kind.resource()))) {
                    String path = PathGrammar.item(
                            kind,
                            object.key().namespace().orElse(""),
                            object.key().name());
                    Call call = new Call(
                            -1,
                            Call.Who.ADMIN,
                            "PUT " + path + "?dryRun=All HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json"
                                    + "\r\nContent-Length: " + object.json().length,
                            object.json(),
                            Call.Manner.ANSWER);
                    Reply reply = connection.send(call, Optional.of(token)).orElseThrow();
                    boolean wentOn = reply.code() == 409 || reply.code() == 404;
                    if (reply.code() != 200 && !wentOn && problems.size() < TOLD) {
                        problems.add(describe(object, "replacing it by itself is answered " + reply));
                    }
                }
            }
        }
        return problems;
    }
}
