package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.Schemas;
import dev.mooring.chaos.fuzz.FuzzRequest.Sender;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

/**
 * Generates the requests of a run, each determined by the seed and its number. The targets follow from the server's own
 * table of kinds and its schemas, so a new kind is fuzzed without a change here; only {@link ValidObjects} needs
 * examples of it. Thread-safe.
 */
final class RequestGrammar {
    private final long seed;
    private final List<KindDefinition> kinds;
    private final TypedValues values = new TypedValues();
    private final Mutations mutations = new Mutations(values);
    private final PatchGrammar patches = new PatchGrammar(mutations, values);
    private final ProtobufGrammar protobuf = new ProtobufGrammar();
    private final SubresourceGrammar subresources = new SubresourceGrammar();

    RequestGrammar(long seed) {
        this.seed = seed;
        Catalog catalog = new KindTable(Schemas.ofThisProgram(), Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)).catalog();
        this.kinds = List.copyOf(catalog.all());
    }

    List<KindDefinition> kinds() {
        return kinds;
    }

    /** The object or collection that a request addresses. */
    record RequestTarget(KindDefinition kind, String namespace, String name) {
        String item() {
            return PathGrammar.item(kind, namespace, name);
        }

        String collection() {
            return PathGrammar.collection(kind, namespace);
        }
    }

    FuzzRequest call(long number) {
        FuzzRandom dice = FuzzRandom.of(seed, number);
        int family = dice.below(1000);
        if (family >= 985) {
            return RawGrammar.call(dice, number);
        }
        RequestDraft draft = new RequestDraft(dice, number).as(sender(dice));
        RequestTarget target = target(dice);
        if (family < 280) {
            read(draft, target);
        } else if (family < 760) {
            write(draft, target);
        } else if (family < 850) {
            subresources.request(draft, target, () -> object(dice, target));
        } else if (family < 910) {
            draft.request(dice.oneIn(15) ? method(dice) : "GET", PathGrammar.document(dice))
                    .accept();
        } else {
            unusual(draft, target);
        }
        return draft.done();
    }

    private static Sender sender(FuzzRandom dice) {
        int percentile = dice.below(100);
        return percentile < 88
                ? Sender.ADMIN
                : percentile < 92
                        ? Sender.EDITOR
                        : percentile < 95
                                ? Sender.VIEWER
                                : percentile < 97 ? Sender.NODE : percentile < 98 ? Sender.STRANGER : Sender.ANONYMOUS;
    }

    private RequestTarget target(FuzzRandom dice) {
        KindDefinition kind = dice.pick(kinds);
        String namespace =
                kind.isNamespaced() ? dice.oneIn(100) ? EdgeValues.text(dice) : dice.pick(ValidObjects.NAMESPACES) : "";
        String name = dice.oneIn(60) ? EdgeValues.text(dice) : dice.pick(ValidObjects.NAMES);
        // The namespaces of the pool must exist often enough for other objects to be created in them.
        if (kind.names().kind().equals("Namespace") && dice.percent(60)) {
            name = dice.pick("fuzz-1", "fuzz-2");
        }
        return new RequestTarget(kind, namespace, name);
    }

    private static String method(FuzzRandom dice) {
        return dice.pick(
                "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH", "get");
    }

    private void read(RequestDraft draft, RequestTarget target) {
        FuzzRandom dice = draft.random;
        draft.accept();
        if (dice.oneIn(30)) {
            String where = dice.percent(70) ? target.collection() : PathGrammar.collection(target.kind(), "");
            draft.request("GET", where + QueryGrammar.forWatch(dice, target.kind()))
                    .streaming();
        } else if (dice.percent(45)) {
            draft.request("GET", target.item() + (dice.percent(80) ? "" : QueryGrammar.forRead(dice, target.kind())));
        } else {
            String where = dice.percent(75) ? target.collection() : PathGrammar.collection(target.kind(), "");
            draft.request(dice.oneIn(50) ? "HEAD" : "GET", where + QueryGrammar.forRead(dice, target.kind()));
        }
    }

    private void write(RequestDraft draft, RequestTarget target) {
        FuzzRandom dice = draft.random;
        int verb = dice.below(100);
        if (verb < 30) {
            ObjectNode object = object(dice, target);
            if (dice.percent(45) && object.path("metadata") instanceof ObjectNode metadata) {
                metadata.remove("name");
                metadata.put("generateName", dice.oneIn(40) ? EdgeValues.text(dice) : target.name() + "-");
            }
            String path = dice.oneIn(15) ? target.item() : target.collection();
            draft.request("POST", path + QueryGrammar.forWrite(dice));
            body(draft, target, object);
        } else if (verb < 42) {
            ObjectNode object = object(dice, target);
            draft.request("PUT", target.item() + QueryGrammar.forWrite(dice));
            body(draft, target, object);
        } else if (verb < 62) {
            draft.request("PATCH", target.item() + QueryGrammar.forApply(dice));
            ObjectNode object = object(dice, target);
            draft.body(
                    "application/apply-patch+yaml", dice.oneIn(5) ? YamlGrammar.body(dice, object) : object.toString());
        } else if (verb < 86) {
            patch(draft, target);
        } else {
            delete(draft, target);
        }
        if (dice.oneIn(60)) {
            draft.oddHeaders();
        }
    }

    private void patch(RequestDraft draft, RequestTarget target) {
        FuzzRandom dice = draft.random;
        String part = target.kind().hasStatus() && dice.oneIn(5) ? "/status" : "";
        draft.request("PATCH", target.item() + part + QueryGrammar.forWrite(dice));
        ObjectNode object = ValidObjects.of(
                dice,
                target.kind().names().kind(),
                target.kind().names().apiVersion(),
                target.namespace(),
                target.name());
        switch (dice.below(3)) {
            case 0 ->
                draft.body(
                        "application/merge-patch+json",
                        Mutations.bytes(dice, patches.merge(dice, object, target.kind())));
            case 1 ->
                draft.body(
                        "application/strategic-merge-patch+json",
                        Mutations.bytes(dice, patches.strategic(dice, object, target.kind())));
            default -> draft.body("application/json-patch+json", Mutations.bytes(dice, patches.json(dice, object)));
        }
    }

    private void delete(RequestDraft draft, RequestTarget target) {
        FuzzRandom dice = draft.random;
        boolean all = dice.oneIn(20);
        String path = all ? target.collection() : target.item();
        draft.request(
                "DELETE", path + (all ? QueryGrammar.forRead(dice, target.kind()) : QueryGrammar.forDelete(dice)));
        if (dice.percent(40)) {
            ObjectNode options = ValidObjects.parse("{'kind':'DeleteOptions','apiVersion':'v1'}");
            if (dice.percent(50)) {
                options.put("propagationPolicy", dice.pick("Background", "Foreground", "Orphan"));
            }
            if (dice.percent(30)) {
                options.set(
                        dice.pick(
                                "gracePeriodSeconds",
                                "preconditions",
                                "dryRun",
                                "orphanDependents",
                                "propagationPolicy"),
                        EdgeValues.value(dice));
            }
            draft.body("application/json", Mutations.bytes(dice, options));
        }
    }

    /** Returns a valid, mutated or random object. */
    private ObjectNode object(FuzzRandom dice, RequestTarget target) {
        KindDefinition kind = target.kind();
        int quality = dice.below(100);
        ObjectNode object = ValidObjects.of(
                dice, kind.names().kind(), kind.names().apiVersion(), target.namespace(), target.name());
        if (quality >= 95 && values.of(dice, kind.schema(), "", 0) instanceof ObjectNode any) {
            any.put("kind", kind.names().kind()).put("apiVersion", kind.names().apiVersion());
            return any;
        }
        if (quality >= 50) {
            mutations.mutate(dice, object, kind.schema());
        }
        return object;
    }

    private void body(RequestDraft draft, RequestTarget target, ObjectNode object) {
        FuzzRandom dice = draft.random;
        int form = dice.below(100);
        if (form < 15 && protobuf.knows(target.kind().names().kind())) {
            draft.body("application/vnd.kubernetes.protobuf", protobuf.body(dice, object));
        } else if (form < 25) {
            draft.body("application/yaml", YamlGrammar.body(dice, object));
        } else if (form == 99) {
            draft.body("application/json", garbage(dice));
        } else {
            draft.body(contentType(dice), Mutations.bytes(dice, object));
        }
    }

    private static String contentType(FuzzRandom dice) {
        return dice.percent(98)
                ? dice.pick("application/json", "application/json; charset=utf-8")
                : dice.pick(
                        "",
                        "text/plain",
                        ";",
                        "application/json;charset=utf-16",
                        "application/xml",
                        "\u00e9/x",
                        "application/merge-patch+json");
    }

    private static byte[] garbage(FuzzRandom dice) {
        return switch (dice.below(8)) {
            case 0 -> EdgeValues.nested(dice).getBytes(java.nio.charset.StandardCharsets.UTF_8);
            case 1 ->
                "{\"metadata\":{\"name\":\"a\"},\"data\":{\"x\":\""
                        .concat("y".repeat(dice.pick(List.of(1_000_000, 1_600_000, 3_200_000))))
                        .concat("\"}}")
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8);
            case 2 -> new byte[0];
            case 3 ->
                ("{" + "\"a\":1,".repeat(dice.below(50_000)) + "\"b\":2}")
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8);
            case 4 -> "\ufeff{}".getBytes(java.nio.charset.StandardCharsets.UTF_8);
            case 5 -> "{}".getBytes(java.nio.charset.StandardCharsets.UTF_16);
            default -> {
                byte[] noise = new byte[dice.below(300)];
                for (int i = 0; i < noise.length; i++) {
                    noise[i] = (byte) dice.below(256);
                }
                yield noise;
            }
        };
    }

    private void unusual(RequestDraft draft, RequestTarget target) {
        FuzzRandom dice = draft.random;
        switch (dice.below(4)) {
            case 0 -> {
                String path = dice.percent(50) ? target.item() : target.collection();
                draft.request(
                                dice.percent(60) ? "GET" : dice.pick("PUT", "DELETE", "PATCH", "POST"),
                                PathGrammar.unusual(dice, target.kind(), path))
                        .accept();
            }
            case 1 ->
                draft.request(method(dice), dice.percent(50) ? target.item() : target.collection())
                        .accept();
            case 2 -> draft.request("GET", target.collection()).accept().oddHeaders();
            default -> {
                draft.request("POST", target.collection());
                body(draft, target, object(dice, target));
                draft.oddHeaders();
            }
        }
    }
}
