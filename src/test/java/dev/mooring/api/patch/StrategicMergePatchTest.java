package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Field;
import dev.mooring.api.schema.Field.PatchStrategy;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListKind;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Scalar;
import dev.mooring.api.schema.Type.Struct;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** On a type made for the purpose, so that what is tested does not depend on the schema of any kind. */
class StrategicMergePatchTest {
    private static final Struct ITEM = struct(
            "Item",
            field("name", Scalar.STRING),
            field("value", Scalar.INT64),
            field("map", new MapOf(Scalar.STRING, false)),
            merged("tags", listOf(Scalar.STRING), ""));

    /** {@code items} are merged by name, {@code tags} as a set, {@code ports} by number; {@code plain} and {@code args} are replaced. */
    static final Struct THING = struct(
            "Thing",
            field("text", Scalar.STRING),
            field("item", ITEM),
            field("byName", new MapOf(ITEM, false)),
            field("raw", Scalar.ANY),
            field("args", listOf(Scalar.STRING)),
            field("plain", listOf(ITEM)),
            merged("items", listOf(ITEM), "name"),
            merged("ports", listOf(struct("Port", field("port", Scalar.INT32), field("name", Scalar.STRING))), "port"),
            merged("tags", listOf(Scalar.STRING), ""),
            merged("keyless", listOf(ITEM), ""),
            merged(
                    "nested",
                    listOf(struct("Nested", field("name", Scalar.STRING), merged("items", listOf(ITEM), "name"))),
                    "name"));

    private static Struct struct(String name, Field... fields) {
        return new Struct(name, "", false, List.of(fields));
    }

    private static ListOf listOf(Type element) {
        return new ListOf(element, ListKind.ATOMIC, List.of());
    }

    private static Field field(String name, Type type) {
        return new Field(name, type, false, "", PatchStrategy.DEFAULT, Optional.empty(), Optional.empty());
    }

    private static Field merged(String name, Type type, String key) {
        Optional<String> mergeKey = Optional.of(key).filter(each -> !each.isEmpty());
        return new Field(name, type, false, "", PatchStrategy.MERGE, mergeKey, Optional.empty());
    }

    private static Stream<DynamicTest> cases(String table) {
        return PatchCases.of(
                table, (before, patch) -> StrategicMergePatch.apply((ObjectNode) before, (ObjectNode) patch, THING));
    }

    @TestFactory
    Stream<DynamicTest> mergesObjects() {
        return cases("""
            - {what: nothing, before: {text: a}, patch: {}, after: {text: a}}
            - {what: a value, before: {text: a}, patch: {text: b}, after: {text: b}}
            - {what: a new value, before: {text: a}, patch: {item: {name: b}}, after: {text: a, item: {name: b}}}
            - {what: null removes, before: {text: a, item: {}}, patch: {text: null}, after: {item: {}}}
            - {what: null of nothing, before: {}, patch: {text: null, item: {name: null, value: 1}}, after: {item: {value: 1}}}
            - {what: null in a new list, before: {}, patch: {items: [{name: a, value: null}]}, after: {items: [{name: a}]}}
            - {what: a field of an object, before: {item: {name: a, value: 1}}, patch: {item: {value: 2}}, after: {item: {name: a, value: 2}}}
            - {what: a map, before: {item: {map: {a: x, b: y}}}, patch: {item: {map: {b: null, c: z}}}, after: {item: {map: {a: x, c: z}}}}
            - {what: a map of objects, before: {byName: {a: {tags: [x]}}}, patch: {byName: {a: {tags: [y]}}}, after: {byName: {a: {tags: [y, x]}}}}
            - {what: another kind of value, before: {item: 1}, patch: {item: {name: a}}, after: {item: {name: a}}}
            - {what: a scalar for an object, before: {item: {name: a}}, patch: {item: 1}, after: {item: 1}}
            - {what: anything is taken as a whole, before: {raw: {a: 1}}, patch: {raw: {b: 2}}, after: {raw: {b: 2}}}
            - {what: unknown objects are merged, before: {odd: {a: {b: 1}, c: 1}}, patch: {odd: {a: {d: 2}, c: null}}, after: {odd: {a: {b: 1, d: 2}}}}
            - {what: unknown lists are replaced, before: {odd: {items: [{name: a}]}}, patch: {odd: {items: [{name: b}]}}, after: {odd: {items: [{name: b}]}}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> replacesListsByDefault() {
        return cases("""
            - {what: of scalars, before: {args: [a, b]}, patch: {args: [c]}, after: {args: [c]}}
            - {what: of objects, before: {plain: [{name: a}]}, patch: {plain: [{value: 1}]}, after: {plain: [{value: 1}]}}
            - {what: with nothing, before: {args: [a]}, patch: {args: []}, after: {args: []}}
            - {what: without directives, before: {plain: [{name: a}]}, patch: {plain: [{$patch: replace}, {name: b}]}, after: {plain: [{name: b}]}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> mergesListsOfObjectsByKey() {
        return cases("""
            - {what: one is changed, before: {items: [{name: a, value: 1}, {name: b, value: 2}]}, patch: {items: [{name: b, value: 3}]}, after: {items: [{name: a, value: 1}, {name: b, value: 3}]}}
            - {what: a new one comes first, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: c}]}, after: {items: [{name: c}, {name: a}, {name: b}]}}
            - {what: a new one stays behind a known one, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: a}, {name: c}]}, after: {items: [{name: a}, {name: c}, {name: b}]}}
            - {what: the patch decides the order, before: {items: [{name: a}, {name: b}, {name: c}]}, patch: {items: [{name: c}, {name: a}]}, after: {items: [{name: b}, {name: c}, {name: a}]}}
            - {what: an empty patch changes nothing, before: {items: [{name: a}]}, patch: {items: []}, after: {items: [{name: a}]}}
            - {what: a number as key, before: {ports: [{port: 80, name: a}, {port: 81}]}, patch: {ports: [{port: 80, name: b}]}, after: {ports: [{port: 80, name: b}, {port: 81}]}}
            - {what: a new one named twice, before: {items: [{name: a}]}, patch: {items: [{name: b, value: 1}, {name: b, map: {}}]}, after: {items: [{name: b, value: 1, map: {}}, {name: a}]}}
            - {what: one that is there twice, before: {items: [{name: a, value: 1}, {name: a, value: 2}]}, patch: {items: [{name: a, value: 3}]}, after: {items: [{name: a, value: 3}, {name: a, value: 2}]}}
            - {what: lists in lists, before: {nested: [{name: n, items: [{name: a, tags: [x]}]}]}, patch: {nested: [{name: n, items: [{name: a, tags: [y]}, {name: b}]}]}, after: {nested: [{name: n, items: [{name: a, tags: [y, x]}, {name: b}]}]}}
            - {what: a null in an element, before: {items: [{name: a, value: 1}]}, patch: {items: [{name: a, value: null}]}, after: {items: [{name: a}]}}
            - {what: a list that was null, before: {items: null}, patch: {items: [{name: a}]}, after: {items: [{name: a}]}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> mergesListsOfScalarsAsSets() {
        return cases("""
            - {what: a new one comes first, before: {tags: [a, b]}, patch: {tags: [c]}, after: {tags: [c, a, b]}}
            - {what: a known one, before: {tags: [a, b]}, patch: {tags: [b]}, after: {tags: [a, b]}}
            - {what: the patch decides the order, before: {tags: [a, b, c]}, patch: {tags: [c, d, a]}, after: {tags: [b, c, d, a]}}
            - {what: each once, before: {tags: [a, b, a]}, patch: {tags: [c, c]}, after: {tags: [c, a, b]}}
            - {what: with a list that is not there, before: {}, patch: {tags: [b, a]}, after: {tags: [b, a]}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> obeysPatchDirectives() {
        return cases("""
            - {what: replace an object, before: {item: {name: a, value: 1}}, patch: {item: {$patch: replace, name: b}}, after: {item: {name: b}}}
            - {what: replace an object drops nulls, before: {item: {name: a}}, patch: {item: {$patch: replace, name: null, value: 1}}, after: {item: {value: 1}}}
            - {what: replace all, before: {text: a}, patch: {$patch: replace, item: {}}, after: {item: {}}}
            - {what: delete the content of an object, before: {item: {name: a}, text: b}, patch: {item: {$patch: delete}}, after: {item: {}, text: b}}
            - {what: delete an object that is not there, before: {text: b}, patch: {item: {$patch: delete}}, after: {text: b}}
            - {what: replace an object that is not there, before: {text: b}, patch: {item: {$patch: replace, name: a}}, after: {text: b}}
            - {what: delete an element, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: a, $patch: delete}]}, after: {items: [{name: b}]}}
            - {what: delete an element that is there twice, before: {items: [{name: a}, {name: b}, {name: a}]}, patch: {items: [{name: a, $patch: delete}]}, after: {items: [{name: b}]}}
            - {what: delete an element that is not there, before: {items: [{name: b}]}, patch: {items: [{name: a, $patch: delete}]}, after: {items: [{name: b}]}}
            - {what: delete one and add one, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: c}, {name: a, $patch: delete}]}, after: {items: [{name: c}, {name: b}]}}
            - {what: delete an element by number, before: {ports: [{port: 80}, {port: 81}]}, patch: {ports: [{port: 80, $patch: delete}]}, after: {ports: [{port: 81}]}}
            - {what: replace a list, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: b, value: 1}, {$patch: replace}]}, after: {items: [{name: b, value: 1}]}}
            - {what: replace a list with nothing, before: {items: [{name: a}]}, patch: {items: [{$patch: replace}]}, after: {items: []}}
            - {what: delete in a list that is not there, before: {}, patch: {items: [{name: a, $patch: delete}, {name: b}]}, after: {items: [{name: b}]}}
            - {what: merge an object, before: {item: {name: a}}, patch: {item: {$patch: merge, name: b}}, refused: 'unknown patch type: merge in map: map[$patch:merge name:b]'}
            - {what: merge a list, before: {items: [{name: a}]}, patch: {items: [{$patch: merge}]}, refused: merging lists cannot yet be specified in the patch}
            - {what: nonsense in an object, before: {item: {}}, patch: {item: {$patch: x}}, refused: 'unknown patch type: x in map: map[$patch:x]'}
            - {what: nonsense in a list, before: {items: []}, patch: {items: [{name: a, $patch: 1}]}, refused: 'unknown patch type: 1 in map: map[$patch:1 name:a]'}
            """);
    }

    @TestFactory
    Stream<DynamicTest> obeysRetainKeys() {
        return cases("""
            - {what: removes others, before: {item: {name: a, value: 1, map: {}}}, patch: {item: {$retainKeys: [name, map], map: {x: y}}}, after: {item: {name: a, map: {x: y}}}}
            - {what: in an element, before: {items: [{name: a, value: 1}]}, patch: {items: [{name: a, $retainKeys: [name, map], map: {}}]}, after: {items: [{name: a, map: {}}]}}
            - {what: in something new, before: {}, patch: {item: {$retainKeys: [name], name: a}}, after: {item: {name: a}}}
            - {what: in a new element, before: {items: [{name: b}]}, patch: {items: [{name: a, $retainKeys: [name]}]}, after: {items: [{name: a}, {name: b}]}}
            - {what: beside a null, before: {item: {name: a, value: 1}}, patch: {item: {$retainKeys: [name], value: null}}, after: {item: {name: a}}}
            - {what: must list what is set, before: {item: {name: a}}, patch: {item: {$retainKeys: [name], value: 1}}, refused: invalid patch format of retainKeys}
            - {what: must be a list, before: {item: {name: a}}, patch: {item: {$retainKeys: name}}, refused: invalid patch format of retainKeys}
            """);
    }

    @TestFactory
    Stream<DynamicTest> obeysDeleteFromPrimitiveList() {
        return cases("""
            - {what: removes, before: {tags: [a, b, c, b]}, patch: {$deleteFromPrimitiveList/tags: [b, x]}, after: {tags: [a, c]}}
            - {what: removes and adds, before: {tags: [a, b]}, patch: {$deleteFromPrimitiveList/tags: [a], tags: [c]}, after: {tags: [c, b]}}
            - {what: from a list that is replaced, before: {args: [a, b]}, patch: {$deleteFromPrimitiveList/args: [a]}, after: {args: [b]}}
            - {what: from nothing, before: {text: a}, patch: {$deleteFromPrimitiveList/tags: [a]}, after: {text: a}}
            - {what: without a name, before: {}, patch: {$deleteFromPrimitiveList: [a]}, refused: invalid patch format of primitive list}
            - {what: of objects, before: {items: [{name: a}]}, patch: {$deleteFromPrimitiveList/items: [{name: a}]}, refused: invalid patch format of primitive list}
            """);
    }

    @TestFactory
    Stream<DynamicTest> obeysSetElementOrder() {
        return cases("""
            - {what: orders objects, before: {items: [{name: a}, {name: b}]}, patch: {$setElementOrder/items: [{name: b}, {name: a}]}, after: {items: [{name: b}, {name: a}]}}
            - {what: orders what is merged, before: {items: [{name: a}, {name: b}]}, patch: {$setElementOrder/items: [{name: b}, {name: c}, {name: a}], items: [{name: c}, {name: a, value: 1}]}, after: {items: [{name: b}, {name: c}, {name: a, value: 1}]}}
            - {what: others keep their place, before: {items: [{name: a}, {name: s}, {name: b}]}, patch: {$setElementOrder/items: [{name: a}, {name: c}, {name: b}], items: [{name: c}]}, after: {items: [{name: a}, {name: c}, {name: s}, {name: b}]}}
            - {what: with a deletion, before: {items: [{name: a}, {name: b}, {name: c}]}, patch: {$setElementOrder/items: [{name: c}, {name: b}], items: [{name: a, $patch: delete}]}, after: {items: [{name: c}, {name: b}]}}
            - {what: orders scalars, before: {tags: [a, b, c]}, patch: {$setElementOrder/tags: [c, d, a], tags: [d], $deleteFromPrimitiveList/tags: [b]}, after: {tags: [c, d, a]}}
            - {what: of a new list, before: {}, patch: {$setElementOrder/items: [{name: b}, {name: a}], items: [{name: b}, {name: a}, {name: x, $patch: delete}]}, after: {items: [{name: b}, {name: a}]}}
            - {what: of no list, before: {text: a}, patch: {$setElementOrder/items: [{name: b}]}, after: {text: a}}
            - {what: of an empty list, before: {items: []}, patch: {$setElementOrder/items: [{name: b}]}, after: {items: []}}
            - {what: in an element, before: {nested: [{name: n, items: [{name: a}, {name: b}]}]}, patch: {nested: [{name: n, $setElementOrder/items: [{name: b}, {name: a}]}]}, after: {nested: [{name: n, items: [{name: b}, {name: a}]}]}}
            - {what: another order in the patch, before: {items: []}, patch: {$setElementOrder/items: [{name: b}, {name: a}], items: [{name: a}, {name: b}]}, refused: "The order in patch list:\\n[map[name:a] map[name:b]]\\n doesn't match $setElementOrder list:\\n[map[name:b] map[name:a]]\\n"}
            - {what: one that is not in the order, before: {tags: []}, patch: {$setElementOrder/tags: [a], tags: [b]}, refused: "The order in patch list:\\n[b]\\n doesn't match $setElementOrder list:\\n[a]\\n"}
            - {what: no key in the order, before: {items: [{name: a}]}, patch: {$setElementOrder/items: [{value: 1}]}, refused: 'map: map[value:1] does not contain declared merge key: name'}
            - {what: no list, before: {}, patch: {$setElementOrder/items: x}, refused: 'expected a []interface {}, but received a string'}
            - {what: of something else, before: {item: {}}, patch: {$setElementOrder/item: []}, refused: 'expected a []interface {}, but received a map[string]interface {}'}
            - {what: without a name, before: {}, patch: {$setElementOrder: []}, refused: invalid patch format of setElementOrder list}
            - {what: of objects without key, before: {plain: [{name: a}]}, patch: {$setElementOrder/plain: [{name: a}]}, refused: 'map: map[name:a] does not contain declared merge key: '}
            """);
    }

    @TestFactory
    Stream<DynamicTest> refusesListsItCannotMerge() {
        return cases("""
            - {what: an element without key, before: {items: [{name: a}]}, patch: {items: [{value: 1, map: {b: [x, 2, null, true], a: 1.5}}]}, refused: 'map: map[map:map[a:1.5 b:[x 2 <nil> true]] value:1] does not contain declared merge key: name'}
            - {what: a deletion without key, before: {items: [{name: a}]}, patch: {items: [{$patch: delete}]}, refused: 'map: map[$patch:delete] does not contain declared merge key: name'}
            - {what: a scalar among objects, before: {items: [{name: a}]}, patch: {items: [b]}, refused: 'list element types are not identical: [[map[name:a]] [b]]'}
            - {what: scalars of two types, before: {tags: [a]}, patch: {tags: [1]}, refused: 'list element types are not identical: [[a] [1]]'}
            - {what: a null, before: {tags: [a]}, patch: {tags: [null]}, refused: 'list element types are not identical: [[a] [<nil>]]'}
            - {what: scalars instead of objects, before: {items: []}, patch: {items: [b]}, refused: 'expected a map[string]interface {}, but received a string'}
            - {what: lists of lists, before: {tags: []}, patch: {tags: [[a]]}, refused: lists of lists are not supported, status: 422}
            - {what: objects without a key to merge by, before: {keyless: [{name: a}]}, patch: {keyless: [{name: b}]}, refused: cannot merge lists without merge key for struct}
            """);
    }

    @Test
    void saysOfAPatchThatDoesNotFitWhatKubernetesSays() {
        JsonNode before = PatchCases.yaml("{tags: []}");
        JsonNode patch = PatchCases.yaml("{tags: [[a]]}");

        assertThatThrownBy(() -> StrategicMergePatch.apply((ObjectNode) before, (ObjectNode) patch, THING))
                .hasMessage("the server rejected our request due to an error in our request");
    }

    @Test
    void sharesNothingWithWhatWentIn() {
        ObjectNode before = (ObjectNode) PatchCases.yaml("{item: {map: {a: b}}, items: [{name: a, map: {}}]}");
        ObjectNode patch =
                (ObjectNode) PatchCases.yaml("{items: [{name: b, map: {}}], odd: {list: [{}]}, plain: [{map: {}}]}");
        JsonNode beforeCopy = before.deepCopy();
        JsonNode patchCopy = patch.deepCopy();

        scribble(StrategicMergePatch.apply(before, patch, THING));

        assertThat(before).isEqualTo(beforeCopy);
        assertThat(patch).isEqualTo(patchCopy);
    }

    private static void scribble(JsonNode node) {
        node.forEach(StrategicMergePatchTest::scribble);
        if (node instanceof ObjectNode object) {
            object.put("scribble", 1);
        }
    }

    @Test
    void refusesPatchesThatAreTooDeep() {
        ObjectNode fits = nested(64);
        ObjectNode tooDeep = nested(65);

        assertThat(StrategicMergePatch.apply(fits, fits, THING)).isEqualTo(fits);
        assertThat(StrategicMergePatch.apply(nested(1), fits, THING)).hasSize(2);
        assertThatThrownBy(() -> StrategicMergePatch.apply(fits, tooDeep, THING))
                .hasMessage("exceeded max depth");
        assertThatThrownBy(() -> StrategicMergePatch.apply(nested(1), tooDeep, THING))
                .hasMessage("exceeded max depth");
    }

    private static ObjectNode nested(int depth) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("leaf", 1);
        for (int i = 1; i < depth; i++) {
            node = (ObjectNode) JsonNodeFactory.instance.objectNode().set("a", node);
        }
        return node;
    }

    @Test
    @Timeout(20)
    void mergesLongListsInReasonableTime() {
        ObjectNode many = JsonNodeFactory.instance.objectNode();
        ArrayNode items = many.putArray("items");
        for (int i = 0; i < 50_000; i++) {
            items.addObject().put("name", "n" + i);
        }

        assertThat(StrategicMergePatch.apply(many, many, THING)).isEqualTo(many);
    }
}
