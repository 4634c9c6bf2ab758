package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Field;
import dev.mooring.api.schema.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Changes objects in one or a few places: to what their schema allows, to what it does not, and to what is not even JSON. Any thread. */
final class Mutations {
    private final TypedValues values;

    Mutations(TypedValues values) {
        this.values = values;
    }

    void mutate(Dice dice, ObjectNode object, Type.Struct type) {
        for (int i = 1 + dice.below(3); i > 0; i--) {
            somewhereBelow(dice, object, type);
        }
    }

    /** Walks down, and changes something where it stops. */
    private void somewhereBelow(Dice dice, ObjectNode object, Type.Struct type) {
        Field field = field(dice, object, type);
        JsonNode value = object.get(field.name());
        if (value != null && dice.percent(75) && into(dice, value, field)) {
            return;
        }
        change(dice, object, field);
    }

    private boolean into(Dice dice, JsonNode value, Field field) {
        Type type = field.type();
        if (value instanceof ArrayNode array && type instanceof Type.ListOf list) {
            if (array.isEmpty() || dice.oneIn(6)) {
                return changeList(dice, array, list, field);
            }
            int at = dice.below(array.size());
            if (array.get(at) instanceof ObjectNode element && list.element() instanceof Type.Struct struct) {
                somewhereBelow(dice, element, struct);
            } else {
                array.set(at, other(dice, list.element(), field.description()));
            }
            return true;
        }
        if (value instanceof ObjectNode inner && type instanceof Type.Struct struct) {
            somewhereBelow(dice, inner, struct);
            return true;
        }
        if (value instanceof ObjectNode inner && type instanceof Type.MapOf map) {
            inner.set(
                    inner.isEmpty() || dice.percent(50)
                            ? Odd.text(dice)
                            : inner.fieldNames().next(),
                    other(dice, map.value(), field.description()));
            return true;
        }
        return false;
    }

    private boolean changeList(Dice dice, ArrayNode array, Type.ListOf list, Field field) {
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

    private JsonNode other(Dice dice, Type type, String description) {
        return dice.percent(60) ? values.of(dice, type, description, 2) : Odd.value(dice);
    }

    private void change(Dice dice, ObjectNode object, Field field) {
        switch (dice.below(12)) {
            case 0 -> object.remove(field.name());
            case 1 -> object.putNull(field.name());
            case 2 ->
                object.set(dice.pick("unknown", "", "$patch", "\u0000", "Spec", "metadata.name"), Odd.value(dice));
            case 3, 4, 5 -> object.set(field.name(), Odd.value(dice));
            default -> object.set(field.name(), values.of(dice, field));
        }
    }

    /** One that is there, as a rule. */
    private static Field field(Dice dice, ObjectNode object, Type.Struct type) {
        List<Field> all = new ArrayList<>();
        type.fields().forEach(all::add);
        if (!object.isEmpty() && dice.percent(60)) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            Optional<Field> there = type.field(dice.pick(names));
            // The head decides whether anything else is looked at: seldom touched.
            if (there.isPresent() && (!isHead(there.get().name()) || dice.oneIn(20))) {
                return there.get();
            }
        }
        Field any = dice.pick(all);
        return isHead(any.name()) && !dice.oneIn(20) ? all.get(all.size() - 1) : any;
    }

    private static boolean isHead(String name) {
        return name.equals("kind") || name.equals("apiVersion");
    }

    /** What is sent in the end: the object's text, sometimes with wrong bytes in it. */
    static byte[] bytes(Dice dice, JsonNode object) {
        return spoilt(dice, object.toString().getBytes(StandardCharsets.UTF_8), 60);
    }

    static byte[] spoilt(Dice dice, byte[] bytes, int seldom) {
        if (bytes.length == 0 || !dice.oneIn(seldom)) {
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
