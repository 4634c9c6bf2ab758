package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.Struct;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * In what two states of an object differ, field by field as its type has it. A field that says null counts as one that is not
 * there.
 *
 * @param changed fields that are new or have another value
 * @param removed fields that are no longer there
 */
record Comparison(FieldSet changed, FieldSet removed) {

    static Comparison of(Struct type, JsonNode before, JsonNode after, Unowned unowned) {
        Walk top = new Walk();
        top.fields(type, before, after, unowned.top());
        return new Comparison(top.changed.build(), top.removed.build());
    }

    boolean isSame() {
        return changed.isEmpty() && removed.isEmpty();
    }

    /** One level of both states. */
    private static final class Walk {
        private final FieldSet.Builder changed = new FieldSet.Builder();
        private final FieldSet.Builder removed = new FieldSet.Builder();

        void fields(Type type, JsonNode before, JsonNode after, Set<String> skipped) {
            if (!Values.isAbsent(before)) {
                for (Map.Entry<String, JsonNode> field : before.properties()) {
                    JsonNode now = Values.isAbsent(after) ? null : after.get(field.getKey());
                    field(type, field.getKey(), field.getValue(), now, after, skipped);
                }
            }
            if (!Values.isAbsent(after)) {
                for (Map.Entry<String, JsonNode> field : after.properties()) {
                    if (Values.isAbsent(before) || before.get(field.getKey()) == null) {
                        field(type, field.getKey(), null, field.getValue(), before, skipped);
                    }
                }
            }
        }

        /** @param other the whole object on the side where the field may be missing */
        private void field(
                Type type, String name, JsonNode before, JsonNode after, JsonNode other, Set<String> skipped) {
            if (Values.shared(before, after) || skipped.contains(name)) {
                return;
            }
            Type below = Shape.below(type, name);
            JsonNode was = before;
            JsonNode now = after;
            if ((was == null || now == null) && !Values.isAbsent(other) && Shape.isAlwaysThere(type, name)) {
                JsonNode nothing = below instanceof ListOf ? NullNode.instance : Values.NOTHING;
                was = was == null ? nothing : was;
                now = now == null ? nothing : now;
            }
            Set<String> skippedBelow = skipped.isEmpty() ? skipped : Unowned.below(name);
            visit(below, PathElement.field(name), was, now, skippedBelow);
        }

        private void visit(Type type, String step, JsonNode before, JsonNode after, Set<String> skipped) {
            if (!Values.isEmpty(before) || !Values.isEmpty(after)) {
                if (Shape.isOpenObject(type) && Shape.fitsObject(before) && Shape.fitsObject(after)) {
                    Walk below = new Walk();
                    below.fields(type, before, after, skipped);
                    add(step, before, after, below);
                    return;
                }
                if (Shape.isOpenList(type) && Shape.fitsList(before) && Shape.fitsList(after)) {
                    Optional<ListItems> was = ListItems.of((ListOf) type, before);
                    Optional<ListItems> now = ListItems.of((ListOf) type, after);
                    if (was.isPresent() && now.isPresent()) {
                        Walk below = new Walk();
                        below.items((ListOf) type, was.get(), now.get());
                        add(step, before, after, below);
                        return;
                    }
                }
            }
            leaf(step, before, after);
        }

        private void add(String step, JsonNode before, JsonNode after, Walk below) {
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

        /** Elements with the same keys have no owners of their own: they are changed or removed together. */
        private void item(ListOf type, String step, List<JsonNode> before, List<JsonNode> after) {
            if (before.size() <= 1 && after.size() <= 1) {
                visit(type.element(), step, only(before), only(after), Set.of());
            } else if (before.size() > 1 && after.size() > 1) {
                changed.add(step, !sameAll(before, after), FieldSet.EMPTY);
            } else if (after.size() > 1) {
                Walk gone = new Walk();
                gone.visit(type.element(), step, only(before), null, Set.of());
                removed.add(step, false, gone.removed.build().below(step));
                changed.add(step, true, FieldSet.EMPTY);
            } else {
                Walk come = new Walk();
                come.visit(type.element(), step, null, only(after), Set.of());
                FieldSet alone = come.changed.build();
                changed.add(step, alone.has(step), alone.below(step));
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
                if (!Values.same(before.get(i), after.get(i))) {
                    return false;
                }
            }
            return true;
        }

        private void leaf(String step, JsonNode before, JsonNode after) {
            if (Values.isAbsent(before) && Values.isAbsent(after)) {
                return;
            }
            if (after == null) {
                removed.add(step, true, FieldSet.EMPTY);
            } else if (before == null || !Values.same(before, after)) {
                changed.add(step, true, FieldSet.EMPTY);
            }
        }
    }
}
