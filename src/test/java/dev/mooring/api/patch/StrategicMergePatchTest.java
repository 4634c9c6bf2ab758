package dev.mooring.api.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaField.PatchStrategy;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Tests strategic merge patches of a sample type, so that the tests do not depend on the schema of a kind. */
class StrategicMergePatchTest {
    private static final Struct ITEM = struct(
            "Item",
            field("name", Scalar.STRING),
            field("value", Scalar.INT64),
            field("map", new MapOf(Scalar.STRING, false)),
            merged("tags", listOf(Scalar.STRING), ""));

    /**
     * {@code items} are merged by name, {@code tags} as a set, {@code ports} by number; {@code plain} and {@code args}
     * are replaced.
     */
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

    private static Struct struct(String name, SchemaField... fields) {
        return new Struct(name, "", false, List.of(fields));
    }

    private static ListOf listOf(SchemaType element) {
        return new ListOf(element, ListKind.ATOMIC, List.of());
    }

    private static SchemaField field(String name, SchemaType type) {
        return new SchemaField(name, type, false, "", PatchStrategy.DEFAULT, Optional.empty(), Optional.empty());
    }

    private static SchemaField merged(String name, SchemaType type, String key) {
        Optional<String> mergeKey = Optional.of(key).filter(each -> !each.isEmpty());
        return new SchemaField(name, type, false, "", PatchStrategy.MERGE, mergeKey, Optional.empty());
    }

    private static Stream<DynamicTest> cases(String table) {
        return PatchCases.of(
                table, (before, patch) -> StrategicMergePatch.apply((ObjectNode) before, (ObjectNode) patch, THING));
    }

    @TestFactory
    Stream<DynamicTest> apply_object_mergesFields() {
        return cases("""
            - {case: empty patch, before: {text: a}, patch: {}, after: {text: a}}
            - {case: a value, before: {text: a}, patch: {text: b}, after: {text: b}}
            - {case: a new value, before: {text: a}, patch: {item: {name: b}}, after: {text: a, item: {name: b}}}
            - {case: null removes, before: {text: a, item: {}}, patch: {text: null}, after: {item: {}}}
            - {case: null for a missing field, before: {}, patch: {text: null, item: {name: null, value: 1}}, after: {item: {value: 1}}}
            - {case: null in a new list, before: {}, patch: {items: [{name: a, value: null}]}, after: {items: [{name: a}]}}
            - {case: a field of an object, before: {item: {name: a, value: 1}}, patch: {item: {value: 2}}, after: {item: {name: a, value: 2}}}
            - {case: a map, before: {item: {map: {a: x, b: y}}}, patch: {item: {map: {b: null, c: z}}}, after: {item: {map: {a: x, c: z}}}}
            - {case: a map of objects, before: {byName: {a: {tags: [x]}}}, patch: {byName: {a: {tags: [y]}}}, after: {byName: {a: {tags: [y, x]}}}}
            - {case: an object for a scalar, before: {item: 1}, patch: {item: {name: a}}, after: {item: {name: a}}}
            - {case: a scalar for an object, before: {item: {name: a}}, patch: {item: 1}, after: {item: 1}}
            - {case: untyped values are replaced, before: {raw: {a: 1}}, patch: {raw: {b: 2}}, after: {raw: {b: 2}}}
            - {case: unknown objects are merged, before: {odd: {a: {b: 1}, c: 1}}, patch: {odd: {a: {d: 2}, c: null}}, after: {odd: {a: {b: 1, d: 2}}}}
            - {case: unknown lists are replaced, before: {odd: {items: [{name: a}]}}, patch: {odd: {items: [{name: b}]}}, after: {odd: {items: [{name: b}]}}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_listWithoutMergeStrategy_isReplaced() {
        return cases("""
            - {case: of scalars, before: {args: [a, b]}, patch: {args: [c]}, after: {args: [c]}}
            - {case: of objects, before: {plain: [{name: a}]}, patch: {plain: [{value: 1}]}, after: {plain: [{value: 1}]}}
            - {case: with nothing, before: {args: [a]}, patch: {args: []}, after: {args: []}}
            - {case: without directives, before: {plain: [{name: a}]}, patch: {plain: [{$patch: replace}, {name: b}]}, after: {plain: [{name: b}]}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_listOfObjects_mergesByKey() {
        return cases("""
            - {case: one is changed, before: {items: [{name: a, value: 1}, {name: b, value: 2}]}, patch: {items: [{name: b, value: 3}]}, after: {items: [{name: a, value: 1}, {name: b, value: 3}]}}
            - {case: a new one comes first, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: c}]}, after: {items: [{name: c}, {name: a}, {name: b}]}}
            - {case: a new one stays behind a known one, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: a}, {name: c}]}, after: {items: [{name: a}, {name: c}, {name: b}]}}
            - {case: the patch decides the order, before: {items: [{name: a}, {name: b}, {name: c}]}, patch: {items: [{name: c}, {name: a}]}, after: {items: [{name: b}, {name: c}, {name: a}]}}
            - {case: an empty patch changes nothing, before: {items: [{name: a}]}, patch: {items: []}, after: {items: [{name: a}]}}
            - {case: a number as key, before: {ports: [{port: 80, name: a}, {port: 81}]}, patch: {ports: [{port: 80, name: b}]}, after: {ports: [{port: 80, name: b}, {port: 81}]}}
            - {case: duplicate key in the patch, before: {items: [{name: a}]}, patch: {items: [{name: b, value: 1}, {name: b, map: {}}]}, after: {items: [{name: b, value: 1, map: {}}, {name: a}]}}
            - {case: duplicate key in the list, before: {items: [{name: a, value: 1}, {name: a, value: 2}]}, patch: {items: [{name: a, value: 3}]}, after: {items: [{name: a, value: 3}, {name: a, value: 2}]}}
            - {case: lists in lists, before: {nested: [{name: n, items: [{name: a, tags: [x]}]}]}, patch: {nested: [{name: n, items: [{name: a, tags: [y]}, {name: b}]}]}, after: {nested: [{name: n, items: [{name: a, tags: [y, x]}, {name: b}]}]}}
            - {case: a null in an element, before: {items: [{name: a, value: 1}]}, patch: {items: [{name: a, value: null}]}, after: {items: [{name: a}]}}
            - {case: a list that was null, before: {items: null}, patch: {items: [{name: a}]}, after: {items: [{name: a}]}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_listOfScalars_mergesAsSet() {
        return cases("""
            - {case: a new one comes first, before: {tags: [a, b]}, patch: {tags: [c]}, after: {tags: [c, a, b]}}
            - {case: a known one, before: {tags: [a, b]}, patch: {tags: [b]}, after: {tags: [a, b]}}
            - {case: the patch decides the order, before: {tags: [a, b, c]}, patch: {tags: [c, d, a]}, after: {tags: [b, c, d, a]}}
            - {case: each once, before: {tags: [a, b, a]}, patch: {tags: [c, c]}, after: {tags: [c, a, b]}}
            - {case: missing list, before: {}, patch: {tags: [b, a]}, after: {tags: [b, a]}}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_patchDirective_isFollowed() {
        return cases("""
            - {case: replace an object, before: {item: {name: a, value: 1}}, patch: {item: {$patch: replace, name: b}}, after: {item: {name: b}}}
            - {case: replace an object drops nulls, before: {item: {name: a}}, patch: {item: {$patch: replace, name: null, value: 1}}, after: {item: {value: 1}}}
            - {case: replace all, before: {text: a}, patch: {$patch: replace, item: {}}, after: {item: {}}}
            - {case: delete the content of an object, before: {item: {name: a}, text: b}, patch: {item: {$patch: delete}}, after: {item: {}, text: b}}
            - {case: delete an object that does not exist, before: {text: b}, patch: {item: {$patch: delete}}, after: {text: b}}
            - {case: replace an object that does not exist, before: {text: b}, patch: {item: {$patch: replace, name: a}}, after: {text: b}}
            - {case: delete an element, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: a, $patch: delete}]}, after: {items: [{name: b}]}}
            - {case: delete an element with duplicate key, before: {items: [{name: a}, {name: b}, {name: a}]}, patch: {items: [{name: a, $patch: delete}]}, after: {items: [{name: b}]}}
            - {case: delete an element that does not exist, before: {items: [{name: b}]}, patch: {items: [{name: a, $patch: delete}]}, after: {items: [{name: b}]}}
            - {case: delete one and add one, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: c}, {name: a, $patch: delete}]}, after: {items: [{name: c}, {name: b}]}}
            - {case: delete an element by number, before: {ports: [{port: 80}, {port: 81}]}, patch: {ports: [{port: 80, $patch: delete}]}, after: {ports: [{port: 81}]}}
            - {case: replace a list, before: {items: [{name: a}, {name: b}]}, patch: {items: [{name: b, value: 1}, {$patch: replace}]}, after: {items: [{name: b, value: 1}]}}
            - {case: replace a list with nothing, before: {items: [{name: a}]}, patch: {items: [{$patch: replace}]}, after: {items: []}}
            - {case: delete in a list that does not exist, before: {}, patch: {items: [{name: a, $patch: delete}, {name: b}]}, after: {items: [{name: b}]}}
            - {case: merge an object, before: {item: {name: a}}, patch: {item: {$patch: merge, name: b}}, refused: 'unknown patch type: merge in map: map[$patch:merge name:b]'}
            - {case: merge a list, before: {items: [{name: a}]}, patch: {items: [{$patch: merge}]}, refused: merging lists cannot yet be specified in the patch}
            - {case: nonsense in an object, before: {item: {}}, patch: {item: {$patch: x}}, refused: 'unknown patch type: x in map: map[$patch:x]'}
            - {case: nonsense in a list, before: {items: []}, patch: {items: [{name: a, $patch: 1}]}, refused: 'unknown patch type: 1 in map: map[$patch:1 name:a]'}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_retainKeys_isFollowed() {
        return cases("""
            - {case: removes others, before: {item: {name: a, value: 1, map: {}}}, patch: {item: {$retainKeys: [name, map], map: {x: y}}}, after: {item: {name: a, map: {x: y}}}}
            - {case: in an element, before: {items: [{name: a, value: 1}]}, patch: {items: [{name: a, $retainKeys: [name, map], map: {}}]}, after: {items: [{name: a, map: {}}]}}
            - {case: in a new object, before: {}, patch: {item: {$retainKeys: [name], name: a}}, after: {item: {name: a}}}
            - {case: in a new element, before: {items: [{name: b}]}, patch: {items: [{name: a, $retainKeys: [name]}]}, after: {items: [{name: a}, {name: b}]}}
            - {case: beside a null, before: {item: {name: a, value: 1}}, patch: {item: {$retainKeys: [name], value: null}}, after: {item: {name: a}}}
            - {case: must list all set fields, before: {item: {name: a}}, patch: {item: {$retainKeys: [name], value: 1}}, refused: invalid patch format of retainKeys}
            - {case: must be a list, before: {item: {name: a}}, patch: {item: {$retainKeys: name}}, refused: invalid patch format of retainKeys}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_deleteFromPrimitiveList_isFollowed() {
        return cases("""
            - {case: removes, before: {tags: [a, b, c, b]}, patch: {$deleteFromPrimitiveList/tags: [b, x]}, after: {tags: [a, c]}}
            - {case: removes and adds, before: {tags: [a, b]}, patch: {$deleteFromPrimitiveList/tags: [a], tags: [c]}, after: {tags: [c, b]}}
            - {case: from a list that is replaced, before: {args: [a, b]}, patch: {$deleteFromPrimitiveList/args: [a]}, after: {args: [b]}}
            - {case: from a missing list, before: {text: a}, patch: {$deleteFromPrimitiveList/tags: [a]}, after: {text: a}}
            - {case: without a name, before: {}, patch: {$deleteFromPrimitiveList: [a]}, refused: invalid patch format of primitive list}
            - {case: of objects, before: {items: [{name: a}]}, patch: {$deleteFromPrimitiveList/items: [{name: a}]}, refused: invalid patch format of primitive list}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_setElementOrder_isFollowed() {
        return cases("""
            - {case: orders objects, before: {items: [{name: a}, {name: b}]}, patch: {$setElementOrder/items: [{name: b}, {name: a}]}, after: {items: [{name: b}, {name: a}]}}
            - {case: orders merged elements, before: {items: [{name: a}, {name: b}]}, patch: {$setElementOrder/items: [{name: b}, {name: c}, {name: a}], items: [{name: c}, {name: a, value: 1}]}, after: {items: [{name: b}, {name: c}, {name: a, value: 1}]}}
            - {case: other elements keep their position, before: {items: [{name: a}, {name: s}, {name: b}]}, patch: {$setElementOrder/items: [{name: a}, {name: c}, {name: b}], items: [{name: c}]}, after: {items: [{name: a}, {name: c}, {name: s}, {name: b}]}}
            - {case: with a deletion, before: {items: [{name: a}, {name: b}, {name: c}]}, patch: {$setElementOrder/items: [{name: c}, {name: b}], items: [{name: a, $patch: delete}]}, after: {items: [{name: c}, {name: b}]}}
            - {case: orders scalars, before: {tags: [a, b, c]}, patch: {$setElementOrder/tags: [c, d, a], tags: [d], $deleteFromPrimitiveList/tags: [b]}, after: {tags: [c, d, a]}}
            - {case: of a new list, before: {}, patch: {$setElementOrder/items: [{name: b}, {name: a}], items: [{name: b}, {name: a}, {name: x, $patch: delete}]}, after: {items: [{name: b}, {name: a}]}}
            - {case: of no list, before: {text: a}, patch: {$setElementOrder/items: [{name: b}]}, after: {text: a}}
            - {case: of an empty list, before: {items: []}, patch: {$setElementOrder/items: [{name: b}]}, after: {items: []}}
            - {case: in an element, before: {nested: [{name: n, items: [{name: a}, {name: b}]}]}, patch: {nested: [{name: n, $setElementOrder/items: [{name: b}, {name: a}]}]}, after: {nested: [{name: n, items: [{name: b}, {name: a}]}]}}
            - {case: another order in the patch, before: {items: []}, patch: {$setElementOrder/items: [{name: b}, {name: a}], items: [{name: a}, {name: b}]}, refused: "The order in patch list:\\n[map[name:a] map[name:b]]\\n doesn't match $setElementOrder list:\\n[map[name:b] map[name:a]]\\n"}
            - {case: element missing in the order, before: {tags: []}, patch: {$setElementOrder/tags: [a], tags: [b]}, refused: "The order in patch list:\\n[b]\\n doesn't match $setElementOrder list:\\n[a]\\n"}
            - {case: no key in the order, before: {items: [{name: a}]}, patch: {$setElementOrder/items: [{value: 1}]}, refused: 'map: map[value:1] does not contain declared merge key: name'}
            - {case: no list, before: {}, patch: {$setElementOrder/items: x}, refused: 'expected a []interface {}, but received a string'}
            - {case: of an object, before: {item: {}}, patch: {$setElementOrder/item: []}, refused: 'expected a []interface {}, but received a map[string]interface {}'}
            - {case: without a name, before: {}, patch: {$setElementOrder: []}, refused: invalid patch format of setElementOrder list}
            - {case: of objects without key, before: {plain: [{name: a}]}, patch: {$setElementOrder/plain: [{name: a}]}, refused: 'map: map[name:a] does not contain declared merge key: '}
            """);
    }

    @TestFactory
    Stream<DynamicTest> apply_unmergeableList_isRefused() {
        return cases("""
            - {case: an element without key, before: {items: [{name: a}]}, patch: {items: [{value: 1, map: {b: [x, 2, null, true], a: 1.5}}]}, refused: 'map: map[map:map[a:1.5 b:[x 2 <nil> true]] value:1] does not contain declared merge key: name'}
            - {case: a deletion without key, before: {items: [{name: a}]}, patch: {items: [{$patch: delete}]}, refused: 'map: map[$patch:delete] does not contain declared merge key: name'}
            - {case: a scalar among objects, before: {items: [{name: a}]}, patch: {items: [b]}, refused: 'list element types are not identical: [[map[name:a]] [b]]'}
            - {case: scalars of two types, before: {tags: [a]}, patch: {tags: [1]}, refused: 'list element types are not identical: [[a] [1]]'}
            - {case: a null, before: {tags: [a]}, patch: {tags: [null]}, refused: 'list element types are not identical: [[a] [<nil>]]'}
            - {case: scalars instead of objects, before: {items: []}, patch: {items: [b]}, refused: 'expected a map[string]interface {}, but received a string'}
            - {case: lists of lists, before: {tags: []}, patch: {tags: [[a]]}, refused: lists of lists are not supported, status: 422}
            - {case: objects without a key to merge by, before: {keyless: [{name: a}]}, patch: {keyless: [{name: b}]}, refused: cannot merge lists without merge key for struct}
            """);
    }

    @Test
    void apply_unsupportedPatch_throwsMessageOfKubernetes() {
        JsonNode before = PatchCases.yaml("{tags: []}");
        JsonNode patch = PatchCases.yaml("{tags: [[a]]}");

        assertThatThrownBy(() -> StrategicMergePatch.apply((ObjectNode) before, (ObjectNode) patch, THING))
                .hasMessage("the server rejected our request due to an error in our request");
    }

    @Test
    void apply_resultModified_leavesArgumentsUnchanged() {
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
    void apply_patchTooDeep_throws() {
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
    void apply_longLists_finishesInTime() {
        ObjectNode many = JsonNodeFactory.instance.objectNode();
        ArrayNode items = many.putArray("items");
        for (int i = 0; i < 50_000; i++) {
            items.addObject().put("name", "n" + i);
        }

        assertThat(StrategicMergePatch.apply(many, many, THING)).isEqualTo(many);
    }
}
