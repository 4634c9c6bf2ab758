package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListKind;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Scalar;
import dev.mooring.api.schema.Type.Struct;
import dev.mooring.api.status.GoText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Whether an applied configuration has the shape of its type, so that it can be merged. In Kubernetes' words. */
final class AppliedCheck {
    private final UndeclaredFields undeclared;
    private final List<String> problems = new ArrayList<>();

    private AppliedCheck(UndeclaredFields undeclared) {
        this.undeclared = undeclared;
    }

    /** What is wrong with it, if anything, as one text. */
    static Optional<String> problem(Struct type, JsonNode applied, UndeclaredFields undeclared) {
        AppliedCheck check = new AppliedCheck(undeclared);
        check.visit(type, applied, "");
        if (check.problems.size() <= 1) {
            return check.problems.stream().findFirst();
        }
        return Optional.of("errors:\n  " + String.join("\n  ", check.problems));
    }

    private void add(String path, String message) {
        problems.add(path.isEmpty() ? message : path + ": " + message);
    }

    private void visit(Type type, JsonNode value, String path) {
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

    private void fields(Type type, JsonNode object, String path) {
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String below = path + "." + field.getKey();
            if (type instanceof MapOf || Shape.declares(type, field.getKey())) {
                visit(Shape.below(type, field.getKey()), field.getValue(), below);
            } else if (undeclared == UndeclaredFields.REFUSED) {
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
                    add(path, "duplicate entries for key " + PathElement.shown(step));
                }
            }
            visit(type.element(), item, path + PathElement.shown(step));
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
