package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Changes a few fields of an object to values that are valid, invalid, or not even JSON. Thread-safe. */
final class Mutations {
    private final TypedValues values;

    Mutations(TypedValues values) {
        this.values = values;
    }

    void mutate(FuzzRandom dice, ObjectNode object, SchemaType.Struct type) {
        for (int i = 1 + dice.below(3); i > 0; i--) {
            mutateBelow(dice, object, type);
        }
    }

    /** Descends to a random depth and changes a field there. */
    private void mutateBelow(FuzzRandom dice, ObjectNode object, SchemaType.Struct type) {
        SchemaField field = field(dice, object, type);
        JsonNode value = object.get(field.name());
        if (value != null && dice.percent(75) && mutateInside(dice, value, field)) {
            return;
        }
        change(dice, object, field);
    }

    private boolean mutateInside(FuzzRandom dice, JsonNode value, SchemaField field) {
        SchemaType type = field.type();
        if (value instanceof ArrayNode array && type instanceof SchemaType.ListOf list) {
            if (array.isEmpty() || dice.oneIn(6)) {
                return changeList(dice, array, list, field);
            }
            int at = dice.below(array.size());
            if (array.get(at) instanceof ObjectNode element && list.element() instanceof SchemaType.Struct struct) {
                mutateBelow(dice, element, struct);
            } else {
                array.set(at, other(dice, list.element(), field.description()));
            }
            return true;
        }
        if (value instanceof ObjectNode inner && type instanceof SchemaType.Struct struct) {
            mutateBelow(dice, inner, struct);
            return true;
        }
        if (value instanceof ObjectNode inner && type instanceof SchemaType.MapOf map) {
            inner.set(
                    inner.isEmpty() || dice.percent(50)
                            ? EdgeValues.text(dice)
                            : inner.fieldNames().next(),
                    other(dice, map.value(), field.description()));
            return true;
        }
        return false;
    }

    private boolean changeList(FuzzRandom dice, ArrayNode array, SchemaType.ListOf list, SchemaField field) {
        switch (dice.below(4)) {
            case 0 -> array.removeAll();
            case 1 -> {
                if (!array.isEmpty()) {
                    JsonNode twice = array.get(0).deepCopy();
                    int many = dice.oneIn(50) ? 500 : 1;
                    for (int i = 0; i < many; i++) {
                        array.add(twice);
                    }
                }
            }
            case 2 -> array.addNull();
            default -> array.add(other(dice, list.element(), field.description()));
        }
        return true;
    }

    private JsonNode other(FuzzRandom dice, SchemaType type, String description) {
        return dice.percent(60) ? values.of(dice, type, description, 2) : EdgeValues.value(dice);
    }

    private void change(FuzzRandom dice, ObjectNode object, SchemaField field) {
        switch (dice.below(12)) {
            case 0 -> object.remove(field.name());
            case 1 -> object.putNull(field.name());
            case 2 ->
                object.set(
                        dice.pick("unknown", "", "$patch", "\u0000", "Spec", "metadata.name"), EdgeValues.value(dice));
            case 3, 4, 5 -> object.set(field.name(), EdgeValues.value(dice));
            default -> object.set(field.name(), values.of(dice, field));
        }
    }

    /** Returns a field, usually one that the object has. */
    private static SchemaField field(FuzzRandom dice, ObjectNode object, SchemaType.Struct type) {
        List<SchemaField> all = new ArrayList<>();
        type.fields().forEach(all::add);
        if (!object.isEmpty() && dice.percent(60)) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            Optional<SchemaField> existing = type.field(dice.pick(names));
            // A wrong kind or apiVersion is refused before other fields are read, so these are rarely changed.
            if (existing.isPresent() && (!isTypeField(existing.get().name()) || dice.oneIn(20))) {
                return existing.get();
            }
        }
        SchemaField any = dice.pick(all);
        return isTypeField(any.name()) && !dice.oneIn(20) ? all.get(all.size() - 1) : any;
    }

    private static boolean isTypeField(String name) {
        return name.equals("kind") || name.equals("apiVersion");
    }

    /** Returns the object as JSON, sometimes with corrupted bytes. */
    static byte[] bytes(FuzzRandom dice, JsonNode object) {
        return corrupted(dice, object.toString().getBytes(StandardCharsets.UTF_8), 60);
    }

    static byte[] corrupted(FuzzRandom dice, byte[] bytes, int rarity) {
        if (bytes.length == 0 || !dice.oneIn(rarity)) {
            return bytes;
        }
        int at = dice.below(bytes.length);
        switch (dice.below(4)) {
            case 0 -> bytes[at] = (byte) dice.below(256);
            case 1 -> bytes[at] ^= (byte) (1 << dice.below(8));
            case 2 -> {
                return java.util.Arrays.copyOf(bytes, at);
            }
            default -> bytes[at] = (byte) (0x80 | dice.below(128));
        }
        return bytes;
    }
}
