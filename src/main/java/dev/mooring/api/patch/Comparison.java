package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.Struct;
import dev.mooring.model.JsonValues;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The difference between two states of an object, field by field according to its type. A null field counts as absent.
 *
 * @param changed fields that were added or have another value
 * @param removed fields that are no longer present
 */
record Comparison(FieldSet changed, FieldSet removed) {

    static Comparison of(Struct type, JsonNode before, JsonNode after, UnownedFields unowned) {
        ComparisonWalker top = new ComparisonWalker();
        top.fields(type, before, after, unowned.top());
        return new Comparison(top.changed.build(), top.removed.build());
    }

    boolean isSame() {
        return changed.isEmpty() && removed.isEmpty();
    }

    /** Compares one level of both states. */
    private static final class ComparisonWalker {
        private final FieldSet.Builder changed = new FieldSet.Builder();
        private final FieldSet.Builder removed = new FieldSet.Builder();

        void fields(SchemaType type, JsonNode before, JsonNode after, Set<String> skipped) {
            if (!JsonValues.isAbsent(before)) {
                for (Map.Entry<String, JsonNode> field : before.properties()) {
                    JsonNode now = JsonValues.isAbsent(after) ? null : after.get(field.getKey());
                    field(type, field.getKey(), field.getValue(), now, after, skipped);
                }
            }
            if (!JsonValues.isAbsent(after)) {
                for (Map.Entry<String, JsonNode> field : after.properties()) {
                    if (JsonValues.isAbsent(before) || before.get(field.getKey()) == null) {
                        field(type, field.getKey(), null, field.getValue(), before, skipped);
                    }
                }
            }
        }

        /** @param other the whole object on the side where the field may be missing */
        private void field(
                SchemaType type, String name, JsonNode before, JsonNode after, JsonNode other, Set<String> skipped) {
            if (JsonValues.areSameInstance(before, after) || skipped.contains(name)) {
                return;
            }
            SchemaType below = TypeGranularity.childType(type, name);
            JsonNode was = before;
            JsonNode now = after;
            if ((was == null || now == null)
                    && !JsonValues.isAbsent(other)
                    && TypeGranularity.isAlwaysPresent(type, name)) {
                JsonNode nothing = below instanceof ListOf ? NullNode.instance : JsonValues.EMPTY_OBJECT;
                was = was == null ? nothing : was;
                now = now == null ? nothing : now;
            }
            Set<String> skippedBelow = skipped.isEmpty() ? skipped : UnownedFields.skippedBelow(name);
            visit(below, PathElement.field(name), was, now, skippedBelow);
        }

        private void visit(SchemaType type, String step, JsonNode before, JsonNode after, Set<String> skipped) {
            if (!JsonValues.isEmpty(before) || !JsonValues.isEmpty(after)) {
                if (TypeGranularity.isGranularObject(type)
                        && TypeGranularity.isObjectOrAbsent(before)
                        && TypeGranularity.isObjectOrAbsent(after)) {
                    ComparisonWalker below = new ComparisonWalker();
                    below.fields(type, before, after, skipped);
                    add(step, before, after, below);
                    return;
                }
                if (TypeGranularity.isGranularList(type)
                        && TypeGranularity.isListOrAbsent(before)
                        && TypeGranularity.isListOrAbsent(after)) {
                    Optional<ListItems> was = ListItems.of((ListOf) type, before);
                    Optional<ListItems> now = ListItems.of((ListOf) type, after);
                    if (was.isPresent() && now.isPresent()) {
                        ComparisonWalker below = new ComparisonWalker();
                        below.items((ListOf) type, was.get(), now.get());
                        add(step, before, after, below);
                        return;
                    }
                }
            }
            leaf(step, before, after);
        }

        private void add(String step, JsonNode before, JsonNode after, ComparisonWalker below) {
            changed.add(step, before == null, below.changed.build());
            removed.add(step, after == null, below.removed.build());
        }

        private void items(ListOf type, ListItems before, ListItems after) {
            for (String step : before.steps()) {
                item(type, step, before.at(step), after.at(step));
            }
            for (String step : after.steps()) {
                if (!before.has(step)) {
                    item(type, step, List.of(), after.at(step));
                }
            }
        }

        /** Compares the elements with one key; duplicates have no separate owners and change together. */
        private void item(ListOf type, String step, List<JsonNode> before, List<JsonNode> after) {
            if (before.size() <= 1 && after.size() <= 1) {
                visit(type.element(), step, only(before), only(after), Set.of());
            } else if (before.size() > 1 && after.size() > 1) {
                changed.add(step, !sameAll(before, after), FieldSet.EMPTY);
            } else if (after.size() > 1) {
                ComparisonWalker gone = new ComparisonWalker();
                gone.visit(type.element(), step, only(before), null, Set.of());
                removed.add(step, false, gone.removed.build().childSet(step));
                changed.add(step, true, FieldSet.EMPTY);
            } else {
                ComparisonWalker come = new ComparisonWalker();
                come.visit(type.element(), step, null, only(after), Set.of());
                FieldSet added = come.changed.build();
                changed.add(step, added.has(step), added.childSet(step));
                removed.add(step, after.isEmpty(), FieldSet.EMPTY);
            }
        }

        private static JsonNode only(List<JsonNode> items) {
            return items.isEmpty() ? null : items.get(0);
        }

        private static boolean sameAll(List<JsonNode> before, List<JsonNode> after) {
            if (before.size() != after.size()) {
                return false;
            }
            for (int i = 0; i < before.size(); i++) {
                if (!JsonValues.areEqual(before.get(i), after.get(i))) {
                    return false;
                }
            }
            return true;
        }

        private void leaf(String step, JsonNode before, JsonNode after) {
            if (JsonValues.isAbsent(before) && JsonValues.isAbsent(after)) {
                return;
            }
            if (after == null) {
                removed.add(step, true, FieldSet.EMPTY);
            } else if (before == null || !JsonValues.areEqual(before, after)) {
                changed.add(step, true, FieldSet.EMPTY);
            }
        }
    }
}
