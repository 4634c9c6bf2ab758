package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.catalog.Catalog;
import dev.mooring.api.catalog.KindTable;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.schema.Schemas;
import dev.mooring.chaos.fuzz.Call.Who;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

/**
 * All requests of a run: the seed and a number give one, always the same. What is asked for follows from the server's own table of kinds and
 * its schemas, so that a new kind is fuzzed without a line here; {@link ValidObjects} alone has to learn what a good one looks like. Any
 * thread.
 */
final class RequestGrammar {
    private final long seed;
    private final List<Kind> kinds;
    private final TypedValues values = new TypedValues();
    private final Mutations mutations = new Mutations(values);
    private final PatchGrammar patches = new PatchGrammar(mutations, values);
    private final ProtobufGrammar protobuf = new ProtobufGrammar();
    private final SubresourceGrammar parts = new SubresourceGrammar();

    RequestGrammar(long seed) {
        this.seed = seed;
        Catalog catalog = new KindTable(Schemas.ofThisProgram(), Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)).catalog();
        this.kinds = List.copyOf(catalog.all());
    }

    List<Kind> kinds() {
        return kinds;
    }

    /** Where a request goes. */
    record Place(Kind kind, String namespace, String name) {
        String item() {
            return PathGrammar.item(kind, namespace, name);
        }

        String collection() {
            return PathGrammar.collection(kind, namespace);
        }
    }

    Call call(long number) {
        Dice dice = Dice.of(seed, number);
        int family = dice.below(1000);
        if (family >= 985) {
            return RawGrammar.call(dice, number);
        }
        Draft draft = new Draft(dice, number).as(who(dice));
        Place place = place(dice);
        if (family < 280) {
            read(draft, place);
        } else if (family < 760) {
            write(draft, place);
        } else if (family < 850) {
            parts.request(draft, place, () -> object(dice, place));
        } else if (family < 910) {
            draft.request(dice.oneIn(15) ? method(dice) : "GET", PathGrammar.document(dice))
                    .accept();
        } else {
            odd(draft, place);
        }
        return draft.done();
    }

    private static Who who(Dice dice) {
        int who = dice.below(100);
        return who < 88
                ? Who.ADMIN
                : who < 92
                        ? Who.EDITOR
                        : who < 95 ? Who.VIEWER : who < 97 ? Who.NODE : who < 98 ? Who.STRANGER : Who.NOBODY;
    }

    private Place place(Dice dice) {
        Kind kind = dice.pick(kinds);
        String namespace =
                kind.isNamespaced() ? dice.oneIn(100) ? Odd.text(dice) : dice.pick(ValidObjects.NAMESPACES) : "";
        String name = dice.oneIn(60) ? Odd.text(dice) : dice.pick(ValidObjects.NAMES);
        // A namespace of the pool must be there often enough that others can live in it.
        if (kind.names().kind().equals("Namespace") && dice.percent(60)) {
            name = dice.pick("fuzz-1", "fuzz-2");
        }
        return new Place(kind, namespace, name);
    }

    private static String method(Dice dice) {
        return dice.pick(
                "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH", "get");
    }

    private void read(Draft draft, Place place) {
        Dice dice = draft.dice;
        draft.accept();
        if (dice.oneIn(30)) {
            String where = dice.percent(70) ? place.collection() : PathGrammar.collection(place.kind(), "");
            draft.request("GET", where + QueryGrammar.forWatch(dice, place.kind()))
                    .streaming();
        } else if (dice.percent(45)) {
            draft.request("GET", place.item() + (dice.percent(80) ? "" : QueryGrammar.forRead(dice, place.kind())));
        } else {
            String where = dice.percent(75) ? place.collection() : PathGrammar.collection(place.kind(), "");
            draft.request(dice.oneIn(50) ? "HEAD" : "GET", where + QueryGrammar.forRead(dice, place.kind()));
        }
    }

    private void write(Draft draft, Place place) {
        Dice dice = draft.dice;
        int verb = dice.below(100);
        if (verb < 30) {
            ObjectNode object = object(dice, place);
            if (dice.percent(45) && object.path("metadata") instanceof ObjectNode metadata) {
                metadata.remove("name");
                metadata.put("generateName", dice.oneIn(40) ? Odd.text(dice) : place.name() + "-");
            }
            String path = dice.oneIn(15) ? place.item() : place.collection();
            draft.request("POST", path + QueryGrammar.forWrite(dice));
            body(draft, place, object);
        } else if (verb < 42) {
            ObjectNode object = object(dice, place);
            draft.request("PUT", place.item() + QueryGrammar.forWrite(dice));
            body(draft, place, object);
        } else if (verb < 62) {
            draft.request("PATCH", place.item() + QueryGrammar.forApply(dice));
            ObjectNode object = object(dice, place);
            draft.body(
                    "application/apply-patch+yaml", dice.oneIn(5) ? YamlGrammar.body(dice, object) : object.toString());
        } else if (verb < 86) {
            patch(draft, place);
        } else {
            delete(draft, place);
        }
        if (dice.oneIn(60)) {
            draft.oddHeaders();
        }
    }

    private void patch(Draft draft, Place place) {
        Dice dice = draft.dice;
        String part = place.kind().hasStatus() && dice.oneIn(5) ? "/status" : "";
        draft.request("PATCH", place.item() + part + QueryGrammar.forWrite(dice));
        ObjectNode object = ValidObjects.of(
                dice, place.kind().names().kind(), place.kind().names().apiVersion(), place.namespace(), place.name());
        switch (dice.below(3)) {
            case 0 ->
                draft.body(
                        "application/merge-patch+json",
                        Mutations.bytes(dice, patches.merge(dice, object, place.kind())));
            case 1 ->
                draft.body(
                        "application/strategic-merge-patch+json",
                        Mutations.bytes(dice, patches.strategic(dice, object, place.kind())));
            default -> draft.body("application/json-patch+json", Mutations.bytes(dice, patches.json(dice, object)));
        }
    }

    private void delete(Draft draft, Place place) {
        Dice dice = draft.dice;
        boolean all = dice.oneIn(20);
        String path = all ? place.collection() : place.item();
        draft.request("DELETE", path + (all ? QueryGrammar.forRead(dice, place.kind()) : QueryGrammar.forDelete(dice)));
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
                        Odd.value(dice));
            }
            draft.body("application/json", Mutations.bytes(dice, options));
        }
    }

    /** Good, spoilt or garbage. */
    private ObjectNode object(Dice dice, Place place) {
        Kind kind = place.kind();
        int quality = dice.below(100);
        ObjectNode object =
                ValidObjects.of(dice, kind.names().kind(), kind.names().apiVersion(), place.namespace(), place.name());
        if (quality >= 95 && values.of(dice, kind.schema(), "", 0) instanceof ObjectNode any) {
            any.put("kind", kind.names().kind()).put("apiVersion", kind.names().apiVersion());
            return any;
        }
        if (quality >= 50) {
            mutations.mutate(dice, object, kind.schema());
        }
        return object;
    }

    private void body(Draft draft, Place place, ObjectNode object) {
        Dice dice = draft.dice;
        int form = dice.below(100);
        if (form < 15 && protobuf.knows(place.kind().names().kind())) {
            draft.body("application/vnd.kubernetes.protobuf", protobuf.body(dice, object));
        } else if (form < 25) {
            draft.body("application/yaml", YamlGrammar.body(dice, object));
        } else if (form == 99) {
            draft.body("application/json", garbage(dice));
        } else {
            draft.body(contentType(dice), Mutations.bytes(dice, object));
        }
    }

    private static String contentType(Dice dice) {
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

    private static byte[] garbage(Dice dice) {
        return switch (dice.below(8)) {
            case 0 -> Odd.nested(dice).getBytes(java.nio.charset.StandardCharsets.UTF_8);
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

    private void odd(Draft draft, Place place) {
        Dice dice = draft.dice;
        switch (dice.below(4)) {
            case 0 -> {
                String path = dice.percent(50) ? place.item() : place.collection();
                draft.request(
                                dice.percent(60) ? "GET" : dice.pick("PUT", "DELETE", "PATCH", "POST"),
                                PathGrammar.odd(dice, place.kind(), path))
                        .accept();
            }
            case 1 ->
                draft.request(method(dice), dice.percent(50) ? place.item() : place.collection())
                        .accept();
            case 2 -> draft.request("GET", place.collection()).accept().oddHeaders();
            default -> {
                draft.request("POST", place.collection());
                body(draft, place, object(dice, place));
                draft.oddHeaders();
            }
        }
    }
}
