package dev.mooring.api.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;

/** What holds whoever applies and updates what, in whichever order. */
class ApplyProperties {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final FieldManagement MANAGEMENT = new FieldManagement(Things.THING, Things.VERSION);

    private enum Verb {
        APPLY,
        FORCE,
        UPDATE
    }

    private record Step(Verb verb, String who, ObjectNode spec) {}

    private static Arbitrary<String> word() {
        return Arbitraries.of("a", "b", "c");
    }

    private static Arbitrary<Optional<JsonNode>> maybe(Arbitrary<? extends JsonNode> value) {
        return value.map(each -> (JsonNode) each).optional(0.5);
    }

    private static Arbitrary<JsonNode> text() {
        return word().map(JsonNodeFactory.instance::textNode);
    }

    private static Arbitrary<JsonNode> options() {
        return Arbitraries.maps(word(), text())
                .ofMaxSize(3)
                .map(map -> JsonNodeFactory.instance.objectNode().setAll(map));
    }

    private static Arbitrary<JsonNode> words() {
        return word().list().uniqueElements().ofMaxSize(3).map(list -> {
            var array = JsonNodeFactory.instance.arrayNode();
            list.forEach(array::add);
            return array;
        });
    }

    private static ObjectNode object(List<Tuple2<String, Optional<JsonNode>>> fields) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        fields.forEach(field -> field.get2().ifPresent(value -> object.set(field.get1(), value)));
        return object;
    }

    private static Arbitrary<ObjectNode> nested() {
        return Combinators.combine(maybe(text()), maybe(options()))
                .as((x, more) -> object(List.of(Tuple.of("x", x), Tuple.of("more", more))));
    }

    private static Arbitrary<JsonNode> items() {
        Arbitrary<ObjectNode> item = Combinators.combine(text(), maybe(words()), maybe(nested()))
                .as((name, marks, nested) -> object(List.of(
                        Tuple.of("name", Optional.of(name)), Tuple.of("marks", marks), Tuple.of("nested", nested))));
        return item.list()
                .uniqueElements(each -> each.path("name").asText())
                .ofMaxSize(3)
                .map(list -> {
                    var array = JsonNodeFactory.instance.arrayNode();
                    list.forEach(array::add);
                    return array;
                });
    }

    @Provide
    Arbitrary<ObjectNode> spec() {
        return Combinators.combine(
                        maybe(text()),
                        maybe(words()),
                        maybe(words()),
                        maybe(items()),
                        maybe(nested()),
                        maybe(options()))
                .as((text, tags, modes, items, nested, options) -> object(List.of(
                        Tuple.of("text", text),
                        Tuple.of("tags", tags),
                        Tuple.of("modes", modes),
                        Tuple.of("items", items),
                        Tuple.of("nested", nested),
                        Tuple.of("options", options))));
    }

    @Provide
    Arbitrary<List<Step>> history() {
        return Combinators.combine(Arbitraries.of(Verb.class), Arbitraries.of("one", "two", "three"), spec())
                .as(Step::new)
                .list()
                .ofMaxSize(5);
    }

    private static Optional<ObjectNode> after(List<Step> history) {
        Optional<ObjectNode> live = Optional.empty();
        Instant now = NOW;
        for (Step step : history) {
            now = now.plusSeconds(1);
            if (step.verb() == Verb.UPDATE) {
                ObjectNode next = Things.thing(step.spec());
                if (live.isPresent()) {
                    MANAGEMENT.updated(live.get(), next, Manager.of(step.who(), Things.VERSION), now);
                } else {
                    MANAGEMENT.created(next, Manager.of(step.who(), Things.VERSION), now);
                }
                live = Optional.of(next);
            } else {
                Force force = step.verb() == Verb.FORCE ? Force.YES : Force.NO;
                Applied applied = apply(live, step.who(), step.spec(), force, now);
                live = applied instanceof Applied.Merged merged ? Optional.of(merged.object()) : live;
            }
        }
        return live;
    }

    private static Applied apply(Optional<ObjectNode> live, String who, ObjectNode spec, Force force, Instant now) {
        return MANAGEMENT.apply(live, Things.thing(spec), Manager.of(who, Things.VERSION), force, now);
    }

    private static ObjectNode forced(Optional<ObjectNode> live, ObjectNode spec) {
        return ((Applied.Merged) apply(live, "one", spec, Force.YES, NOW.plusSeconds(60))).object();
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void applyingTwiceIsApplyingOnce(@ForAll("history") List<Step> history, @ForAll("spec") ObjectNode spec) {
        ObjectNode once = forced(after(history), spec);
        Applied twice = apply(Optional.of(once), "one", spec, Force.NO, NOW.plusSeconds(120));
        assertThat(twice).isInstanceOfSatisfying(Applied.Merged.class, merged -> {
            assertThat(merged.object()).hasToString(once.toString());
            assertThat(merged.changed()).isFalse();
        });
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void whatIsForcedIsInTheObject(@ForAll("history") List<Step> history, @ForAll("spec") ObjectNode spec) {
        ObjectNode object = forced(after(history), spec);
        Comparison missing = Comparison.of(Things.THING, Things.thing(spec), object, Unowned.byNobody());
        FieldSet applied = FieldsOfValue.of(Things.THING, Things.thing(spec));
        FieldSet lost = missing.removed().union(missing.changed()).intersection(applied.leaves());
        assertThat(lost).isEqualTo(FieldSet.EMPTY);
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void anUpdateThatChangesNothingLeavesEveryByte(@ForAll("history") List<Step> history) {
        after(history).ifPresent(live -> {
            ObjectNode next = live.deepCopy();
            MANAGEMENT.updated(live, next, Manager.of("four", Things.VERSION), NOW.plusSeconds(90));
            assertThat(next).hasToString(live.toString());
            ((ObjectNode) next.path("metadata")).remove("managedFields");
            MANAGEMENT.updated(live, next, Manager.of("four", Things.VERSION), NOW.plusSeconds(90));
            assertThat(next).hasToString(live.toString());
        });
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void nobodyOwnsWhatIsNotThere(@ForAll("history") List<Step> history) throws UndecodableFields {
        Optional<ObjectNode> live = after(history);
        if (live.isPresent()) {
            ManagedFields managed =
                    ManagedFields.decode(live.get().path("metadata").path("managedFields"));
            FieldSet there = Comparison.of(Things.THING, Values.NOTHING, live.get(), Unowned.byNobody())
                    .changed()
                    .union(FieldsOfValue.of(Things.THING, live.get()));
            assertThat(managed.all().leaves().difference(there)).isEqualTo(FieldSet.EMPTY);
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void theFieldsOfACreateAreThoseOfAComparisonWithNothing(@ForAll("spec") ObjectNode spec) {
        ObjectNode thing = Things.thing(spec);
        assertThat(CreatedFields.of(Things.THING, thing, Unowned.byNobody()))
                .hasToString(FieldsV1.encode(Comparison.of(Things.THING, Values.NOTHING, thing, Unowned.byNobody())
                                .changed())
                        .toString());
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void decodingFieldsIsTheInverseOfEncodingThem(@ForAll("spec") ObjectNode spec, @ForAll("spec") ObjectNode other)
            throws UndecodableFields {
        for (FieldSet set : setsOf(spec, other)) {
            assertThat(FieldsV1.decode(FieldsV1.encode(set))).isEqualTo(set);
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void setsObeyTheLawsOfSets(@ForAll("spec") ObjectNode one, @ForAll("spec") ObjectNode two) {
        FieldSet left = FieldsOfValue.of(Things.THING, Things.thing(one));
        FieldSet right = FieldsOfValue.of(Things.THING, Things.thing(two));
        assertThat(left.union(right)).isEqualTo(right.union(left));
        assertThat(left.intersection(right)).isEqualTo(right.intersection(left));
        assertThat(left.difference(right).union(left.intersection(right))).isEqualTo(left);
        assertThat(left.union(right).difference(right)).isEqualTo(left.difference(right));
        assertThat(FieldSet.of(left.paths())).isEqualTo(left);
    }

    private static List<FieldSet> setsOf(ObjectNode spec, ObjectNode other) {
        List<FieldSet> sets = new ArrayList<>();
        sets.add(FieldsOfValue.of(Things.THING, Things.thing(spec)));
        Comparison comparison =
                Comparison.of(Things.THING, Things.thing(spec), Things.thing(other), Unowned.byNobody());
        sets.add(comparison.changed());
        sets.add(comparison.removed());
        sets.add(comparison.changed().union(comparison.removed()));
        return sets;
    }
}
