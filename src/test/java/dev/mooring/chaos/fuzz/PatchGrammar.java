package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Generates JSON merge patches, strategic merge patches and JSON patches. Thread-safe. */
final class PatchGrammar {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> POINTERS = List.of(
            "",
            "/",
            "//",
            "/-",
            "/metadata",
            "/metadata/name",
            "/metadata/uid",
            "/metadata/labels",
            "/metadata/labels/app",
            "/metadata/labels/a~1b",
            "/metadata/annotations/x",
            "/metadata/annotations/~0~1",
            "/metadata/finalizers/-",
            "/metadata/finalizers/0",
            "/metadata/finalizers/-1",
            "/metadata/finalizers/00",
            "/metadata/finalizers/99999999999999999999",
            "/metadata/managedFields",
            "/metadata/managedFields/0",
            "/metadata/ownerReferences/-",
            "/metadata/resourceVersion",
            "/metadata/deletionTimestamp",
            "/spec",
            "/spec/containers",
            "/spec/containers/0",
            "/spec/containers/0/image",
            "/spec/containers/-",
            "/spec/capacity/storage",
            "/spec/accessModes/0",
            "/spec/resources/requests/storage",
            "/status",
            "/status/phase",
            "/data",
            "/data/a",
            "/data/\u0000",
            "/kind",
            "/apiVersion",
            "kind",
            "#/kind",
            "/~",
            "/~2",
            "/metadata/\ud83d\ude00");

    private final Mutations mutations;
    private final TypedValues values;

    PatchGrammar(Mutations mutations, TypedValues values) {
        this.mutations = mutations;
        this.values = values;
    }

    /** Returns a merge patch with some fields of the object. */
    ObjectNode merge(FuzzRandom dice, ObjectNode object, KindDefinition kind) {
        ObjectNode patch = NODES.objectNode();
        if (dice.percent(60)) {
            patch.putObject("metadata")
                    .putObject(dice.pick("labels", "annotations"))
                    .put(dice.pick("app", "tier", "x"), dice.pick(ValidObjects.NAMES));
        }
        if (dice.percent(40)) {
            List<String> names = new ArrayList<>();
            object.fieldNames().forEachRemaining(names::add);
            String name = dice.pick(names);
            patch.set(name, object.get(name));
        }
        if (dice.percent(40)) {
            mutations.mutate(dice, patch, kind.schema());
        }
        return patch;
    }

    ObjectNode strategic(FuzzRandom dice, ObjectNode object, KindDefinition kind) {
        ObjectNode patch = merge(dice, object, kind);
        for (int i = dice.below(3); i > 0; i--) {
            directive(dice, patch, kind.schema());
        }
        return patch;
    }

    private void directive(FuzzRandom dice, ObjectNode patch, SchemaType.Struct type) {
        List<SchemaField> fields = new ArrayList<>();
        type.fields().forEach(fields::add);
        SchemaField field = dice.pick(fields);
        ObjectNode at = patch;
        if (field.type() instanceof SchemaType.Struct inner && dice.percent(70)) {
            if (!(patch.get(field.name()) instanceof ObjectNode below)) {
                directive(dice, patch.putObject(field.name()), inner);
            } else {
                directive(dice, below, inner);
            }
            return;
        }
        switch (dice.below(7)) {
            case 0 -> at.put("$patch", dice.pick("delete", "replace", "merge", "", "nonsense"));
            case 1 -> at.set("$patch", EdgeValues.value(dice));
            case 2 -> at.set("$retainKeys", NODES.arrayNode().add(field.name()).add(1));
            case 3 -> at.set("$setElementOrder/" + field.name(), values.of(dice, field));
            case 4 ->
                at.set(
                        "$deleteFromPrimitiveList/" + field.name(),
                        NODES.arrayNode().add("a").add(EdgeValues.value(dice)));
            case 5 -> {
                ArrayNode list = at.putArray(field.name());
                list.addObject().put("$patch", dice.pick("replace", "delete", "merge"));
                list.add(EdgeValues.value(dice));
                list.addObject().put("name", "main").put("$patch", "delete");
            }
            default -> at.set(dice.pick("$", "$setElementOrder/", "$setElementOrder", "$x/y"), EdgeValues.value(dice));
        }
    }

    JsonNode json(FuzzRandom dice, ObjectNode object) {
        if (dice.oneIn(30)) {
            return bomb(dice);
        }
        if (dice.oneIn(60)) {
            return EdgeValues.value(dice);
        }
        ArrayNode operations = NODES.arrayNode();
        if (dice.percent(40)) {
            operation(operations, "add", "/metadata/annotations")
                    .putObject("value")
                    .put("x", dice.pick(ValidObjects.NAMES));
        }
        int count = dice.oneIn(300) ? 12_000 : 1 + dice.below(4);
        for (int i = 0; i < count; i++) {
            ObjectNode operation = operation(
                    operations,
                    dice.percent(97)
                            ? dice.pick("add", "remove", "replace", "move", "copy", "test")
                            : EdgeValues.text(dice),
                    pointer(dice, object));
            if (dice.percent(60)) {
                operation.set(
                        "value",
                        dice.percent(50) ? NODES.textNode(dice.pick(ValidObjects.NAMES)) : EdgeValues.value(dice));
            }
            if (dice.percent(40)) {
                operation.put("from", pointer(dice, object));
            }
            if (dice.oneIn(50)) {
                operation.set(dice.pick("op", "path", "from", "extra"), EdgeValues.value(dice));
            }
        }
        return operations;
    }

    private static ObjectNode operation(ArrayNode operations, String op, String path) {
        return operations.addObject().put("op", op).put("path", path);
    }

    /** Returns a patch in which each copy contains all before it: thirty of them would take a gigabyte. */
    private static ArrayNode bomb(FuzzRandom dice) {
        ArrayNode operations = NODES.arrayNode();
        operation(operations, "add", "/metadata/annotations").putObject("value").put("x", "y".repeat(dice.below(5000)));
        String where = dice.pick("/metadata", "", "/metadata/annotations");
        for (int i = 5 + dice.below(60); i > 0; i--) {
            operation(operations, "copy", where + "/x" + i).put("from", where);
        }
        return operations;
    }

    private static String pointer(FuzzRandom dice, ObjectNode object) {
        return dice.percent(50)
                ? dice.pick(POINTERS)
                : pointerInto(dice, object).orElseGet(() -> "/" + EdgeValues.text(dice));
    }

    private static Optional<String> pointerInto(FuzzRandom dice, JsonNode tree) {
        StringBuilder pointer = new StringBuilder();
        JsonNode at = tree;
        while (at.isContainerNode() && !at.isEmpty() && !dice.oneIn(5)) {
            if (at.isArray()) {
                int index = dice.below(at.size());
                pointer.append('/').append(index);
                at = at.get(index);
            } else {
                List<String> names = new ArrayList<>();
                at.fieldNames().forEachRemaining(names::add);
                String name = dice.pick(names);
                pointer.append('/').append(name.replace("~", "~0").replace("/", "~1"));
                at = at.get(name);
            }
        }
        return pointer.isEmpty() ? Optional.empty() : Optional.of(pointer.toString());
    }
}
