package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.JsonValues;
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

/** Properties of apply and update that hold for any managers, in any order. */
class ApplyProperties {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final FieldManager FIELD_MANAGER = new FieldManager(SampleKind.THING, SampleKind.VERSION);

    private enum Verb {
        APPLY,
        FORCE,
        UPDATE
    }

    private record ApplyStep(Verb verb, String manager, ObjectNode spec) {}

    private static Arbitrary<String> letter() {
        return Arbitraries.of("a", "b", "c");
    }

    private static Arbitrary<Optional<JsonNode>> maybe(Arbitrary<? extends JsonNode> value) {
        return value.map(each -> (JsonNode) each).optional(0.5);
    }

    private static Arbitrary<JsonNode> text() {
        return letter().map(JsonNodeFactory.instance::textNode);
    }

    private static Arbitrary<JsonNode> options() {
        return Arbitraries.maps(letter(), text())
                .ofMaxSize(3)
                .map(map -> JsonNodeFactory.instance.objectNode().setAll(map));
    }

    private static Arbitrary<JsonNode> letters() {
        return letter().list().uniqueElements().ofMaxSize(3).map(list -> {
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
        Arbitrary<ObjectNode> item = Combinators.combine(text(), maybe(letters()), maybe(nested()))
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
                        maybe(letters()),
                        maybe(letters()),
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
    Arbitrary<List<ApplyStep>> history() {
        return Combinators.combine(Arbitraries.of(Verb.class), Arbitraries.of("one", "two", "three"), spec())
                .as(ApplyStep::new)
                .list()
                .ofMaxSize(5);
    }

    private static Optional<ObjectNode> after(List<ApplyStep> history) {
        Optional<ObjectNode> live = Optional.empty();
        Instant now = NOW;
        for (ApplyStep step : history) {
            now = now.plusSeconds(1);
            if (step.verb() == Verb.UPDATE) {
                ObjectNode next = SampleKind.thing(step.spec());
                if (live.isPresent()) {
                    FIELD_MANAGER.recordUpdate(live.get(), next, Manager.of(step.manager(), SampleKind.VERSION), now);
                } else {
                    FIELD_MANAGER.recordCreate(next, Manager.of(step.manager(), SampleKind.VERSION), now);
                }
                live = Optional.of(next);
            } else {
                FieldManager.Force force = step.verb() == Verb.FORCE ? FieldManager.Force.YES : FieldManager.Force.NO;
                ApplyResult applied = apply(live, step.manager(), step.spec(), force, now);
                live = applied instanceof ApplyResult.Merged merged ? Optional.of(merged.object()) : live;
            }
        }
        return live;
    }

    private static ApplyResult apply(
            Optional<ObjectNode> live, String manager, ObjectNode spec, FieldManager.Force force, Instant now) {
        return FIELD_MANAGER.apply(live, SampleKind.thing(spec), Manager.of(manager, SampleKind.VERSION), force, now);
    }

    private static ObjectNode forced(Optional<ObjectNode> live, ObjectNode spec) {
        return ((ApplyResult.Merged) apply(live, "one", spec, FieldManager.Force.YES, NOW.plusSeconds(60))).object();
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void apply_sameConfigurationTwice_changesNothing(
            @ForAll("history") List<ApplyStep> history, @ForAll("spec") ObjectNode spec) {
        ObjectNode once = forced(after(history), spec);
        ApplyResult twice = apply(Optional.of(once), "one", spec, FieldManager.Force.NO, NOW.plusSeconds(120));
        assertThat(twice).isInstanceOfSatisfying(ApplyResult.Merged.class, merged -> {
            assertThat(merged.object()).hasToString(once.toString());
            assertThat(merged.changed()).isFalse();
        });
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void forcedApply_setsEveryAppliedField(
            @ForAll("history") List<ApplyStep> history, @ForAll("spec") ObjectNode spec) {
        ObjectNode object = forced(after(history), spec);
        Comparison missing =
                Comparison.of(SampleKind.THING, SampleKind.thing(spec), object, UnownedFields.serverManagedOnly());
        FieldSet applied = AppliedFields.of(SampleKind.THING, SampleKind.thing(spec));
        FieldSet lost = missing.removed().union(missing.changed()).intersection(applied.leaves());
        assertThat(lost).isEqualTo(FieldSet.EMPTY);
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void update_withoutChange_keepsEveryByte(@ForAll("history") List<ApplyStep> history) {
        after(history).ifPresent(live -> {
            ObjectNode next = live.deepCopy();
            FIELD_MANAGER.recordUpdate(live, next, Manager.of("four", SampleKind.VERSION), NOW.plusSeconds(90));
            assertThat(next).hasToString(live.toString());
            ((ObjectNode) next.path("metadata")).remove("managedFields");
            FIELD_MANAGER.recordUpdate(live, next, Manager.of("four", SampleKind.VERSION), NOW.plusSeconds(90));
            assertThat(next).hasToString(live.toString());
        });
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void managedFields_containOnlyExistingFields(@ForAll("history") List<ApplyStep> history)
            throws UndecodableFieldsException {
        Optional<ObjectNode> live = after(history);
        if (live.isPresent()) {
            ManagedFields managed =
                    ManagedFields.decode(live.get().path("metadata").path("managedFields"));
            FieldSet existing = Comparison.of(
                            SampleKind.THING, JsonValues.EMPTY_OBJECT, live.get(), UnownedFields.serverManagedOnly())
                    .changed()
                    .union(AppliedFields.of(SampleKind.THING, live.get()));
            assertThat(managed.all().leaves().difference(existing)).isEqualTo(FieldSet.EMPTY);
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void createdFields_equalComparisonWithEmptyObject(@ForAll("spec") ObjectNode spec) {
        ObjectNode thing = SampleKind.thing(spec);
        assertThat(FieldManager.CreatedFields.of(SampleKind.THING, thing, UnownedFields.serverManagedOnly()))
                .hasToString(FieldsV1.encode(Comparison.of(
                                        SampleKind.THING,
                                        JsonValues.EMPTY_OBJECT,
                                        thing,
                                        UnownedFields.serverManagedOnly())
                                .changed())
                        .toString());
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void fieldsV1_decodedAfterEncoding_returnsSameSet(@ForAll("spec") ObjectNode spec, @ForAll("spec") ObjectNode other)
            throws UndecodableFieldsException {
        for (FieldSet set : setsOf(spec, other)) {
            assertThat(FieldsV1.decode(FieldsV1.encode(set))).isEqualTo(set);
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void fieldSet_unionIntersectionDifference_satisfySetLaws(
            @ForAll("spec") ObjectNode one, @ForAll("spec") ObjectNode two) {
        FieldSet left = AppliedFields.of(SampleKind.THING, SampleKind.thing(one));
        FieldSet right = AppliedFields.of(SampleKind.THING, SampleKind.thing(two));
        assertThat(left.union(right)).isEqualTo(right.union(left));
        assertThat(left.intersection(right)).isEqualTo(right.intersection(left));
        assertThat(left.difference(right).union(left.intersection(right))).isEqualTo(left);
        assertThat(left.union(right).difference(right)).isEqualTo(left.difference(right));
        assertThat(FieldSet.of(left.paths())).isEqualTo(left);
    }

    private static List<FieldSet> setsOf(ObjectNode spec, ObjectNode other) {
        List<FieldSet> sets = new ArrayList<>();
        sets.add(AppliedFields.of(SampleKind.THING, SampleKind.thing(spec)));
        Comparison comparison = Comparison.of(
                SampleKind.THING, SampleKind.thing(spec), SampleKind.thing(other), UnownedFields.serverManagedOnly());
        sets.add(comparison.changed());
        sets.add(comparison.removed());
        sets.add(comparison.changed().union(comparison.removed()));
        return sets;
    }
}
