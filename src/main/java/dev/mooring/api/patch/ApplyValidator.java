package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.GoText;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks that an applied configuration has the shape of its type and can be merged. Uses Kubernetes' error messages.
 */
final class ApplyValidator {
    private final FieldManager.UndeclaredFields undeclared;
    private final List<String> problems = new ArrayList<>();

    private ApplyValidator(FieldManager.UndeclaredFields undeclared) {
        this.undeclared = undeclared;
    }

    /** Returns all errors as one message; empty if the configuration is valid. */
    static Optional<String> validate(Struct type, JsonNode applied, FieldManager.UndeclaredFields undeclared) {
        ApplyValidator check = new ApplyValidator(undeclared);
        check.visit(type, applied, "");
        if (check.problems.size() <= 1) {
            return check.problems.stream().findFirst();
        }
        return Optional.of("errors:\n  " + String.join("\n  ", check.problems));
    }

    private void add(String path, String message) {
        problems.add(path.isEmpty() ? message : path + ": " + message);
    }

    private void visit(SchemaType type, JsonNode value, String path) {
        if (value.isNull()) {
            return;
        }
        if (type instanceof Scalar scalar) {
            scalar(scalar, value, path);
        } else if (type instanceof ListOf list) {
            list(list, value, path);
        } else if (value.isObject()) {
            fields(type, value, path);
        } else {
            add(path, "expected map, got &{" + GoText.plain(value) + "}");
        }
    }

    private void fields(SchemaType type, JsonNode object, String path) {
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String below = path + "." + field.getKey();
            if (type instanceof MapOf || TypeGranularity.declares(type, field.getKey())) {
                visit(TypeGranularity.childType(type, field.getKey()), field.getValue(), below);
            } else if (undeclared == FieldManager.UndeclaredFields.REFUSED) {
                add(below, "field not declared in schema");
            }
        }
    }

    private void list(ListOf type, JsonNode list, String path) {
        if (!list.isArray()) {
            add(path, "expected list, got &{" + GoText.plain(list) + "}");
            return;
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            JsonNode item = list.get(i);
            String step = "i:" + i;
            if (type.kind() != ListKind.ATOMIC) {
                Optional<String> problem = ListItems.problem(type, item);
                if (problem.isPresent()) {
                    add(path, "element " + i + ": " + problem.get());
                    return;
                }
                step = ListItems.step(type, item);
                if (!seen.add(step)) {
                    add(path, "duplicate entries for key " + PathElement.format(step));
                }
            }
            visit(type.element(), item, path + PathElement.format(step));
        }
    }

    private void scalar(Scalar type, JsonNode value, String path) {
        switch (type) {
            case STRING, TIME, MICRO_TIME, BYTES -> {
                if (!value.isTextual()) {
                    add(path, "expected string, got &value.valueUnstructured{Value:" + GoText.typed(value) + "}");
                }
            }
            case INT32, INT64, DOUBLE -> {
                if (!value.isNumber()) {
                    add(path, "expected numeric (int or float), got " + GoText.typeOf(value));
                }
            }
            case BOOLEAN -> {
                if (!value.isBoolean()) {
                    add(path, "expected boolean, got &{" + GoText.plain(value) + "}");
                }
            }
            case QUANTITY, INT_OR_STRING -> {
                if (value.isContainerNode()) {
                    add(path, "expected any scalar, got &{" + GoText.plain(value) + "}");
                }
            }
            default -> {}
        }
    }
}
