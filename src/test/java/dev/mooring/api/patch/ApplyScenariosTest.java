package dev.mooring.api.patch;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Scenarios with several managers of one object: the resulting object and its field ownership. */
class ApplyScenariosTest {
    private static Arguments scenario(String title, String steps) {
        return Arguments.of(title, steps);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"leaves", "removals", "lists", "atomicValues", "updates", "rejections"})
    void scenario_hasListedResults(String title, String steps) {
        ApplyScenario.run(steps);
    }

    static Stream<Arguments> leaves() {
        return Stream.of(
                scenario("an applier owns the fields it applies", """
                    apply one: {number: 1, text: 'a'}
                    spec: {number: 1, text: 'a'}
                    owns one: {'f:number': {}, 'f:text': {}}
                    """),
                scenario("applying the same twice changes nothing", """
                    apply one: {number: 1, items: [{name: 'a', value: 1}], tags: ['x'], options: {k: 'v'}}
                    apply one: {number: 1, items: [{name: 'a', value: 1}], tags: ['x'], options: {k: 'v'}}
                    noop
                    """),
                scenario("appliers of different fields do not conflict", """
                    apply one: {number: 1}
                    apply two: {text: 'a'}
                    spec: {number: 1, text: 'a'}
                    owns one: {'f:number': {}}
                    owns two: {'f:text': {}}
                    """),
                scenario("applying a different value is a conflict", """
                    apply one: {number: 1, text: 'a'}
                    apply two: {number: 2, text: 'b'}
                    fails: Apply failed with 2 conflicts: conflicts with "one":|- .spec.number|- .spec.text
                    spec: {number: 1, text: 'a'}
                    owns two: none
                    """),
                scenario("a conflict with several owners lists each of them", """
                    apply two: {text: 'a'}
                    update one: {text: 'a', number: 1}
                    apply three: {number: 2, text: 'b'}
                    fails: Apply failed with 2 conflicts: conflicts with "one" using example/v1:|- .spec.number|conflicts with "two":|- .spec.text
                    """),
                scenario("appliers of the same value share ownership", """
                    apply one: {number: 1}
                    apply two: {number: 1}
                    owns one: {'f:number': {}}
                    owns two: {'f:number': {}}
                    apply one: {number: 2}
                    fails: Apply failed with 1 conflict: conflict with "two": .spec.number
                    """),
                scenario("forced apply takes ownership of the field", """
                    apply one: {number: 1, text: 'a'}
                    force two: {number: 2}
                    spec: {number: 2, text: 'a'}
                    owns one: {'f:text': {}}
                    owns two: {'f:number': {}}
                    """),
                scenario("a manager without fields is removed", """
                    apply one: {number: 1}
                    force two: {number: 2}
                    owns one: none
                    """),
                scenario("numbers are compared by value", """
                    apply one: {number: 1}
                    apply two: {number: 1.0}
                    owns two: {'f:number': {}}
                    """),
                scenario("null removes a value and stays owned", """
                    apply one: {number: 1, text: 'a'}
                    apply one: {number: 1, text: null}
                    spec: {number: 1}
                    owns one: {'f:number': {}, 'f:text': {}}
                    apply one: {number: 1, text: null}
                    noop
                    """),
                scenario("null for a value of another owner is a conflict", """
                    apply one: {number: 1}
                    apply two: {number: null}
                    fails: Apply failed with 1 conflict: conflict with "one": .spec.number
                    """));
    }

    static Stream<Arguments> removals() {
        return Stream.of(
                scenario("fields that are no longer applied are removed", """
                    apply one: {number: 1, text: 'a', options: {a: '1', b: '2'}}
                    apply one: {number: 1, options: {b: '2'}}
                    spec: {number: 1, options: {b: '2'}}
                    owns one: {'f:number': {}, 'f:options': {'f:b': {}}}
                    """),
                scenario("an object that loses all its fields is removed", """
                    apply one: {number: 1, options: {a: '1'}, nested: {x: '1'}}
                    apply one: {number: 1}
                    spec: {number: 1}
                    """),
                scenario("fields of another applier stay", """
                    apply one: {number: 1, options: {a: '1', b: '2'}}
                    apply two: {options: {a: '1'}}
                    apply one: {number: 1}
                    spec: {number: 1, options: {a: '1'}}
                    owns one: {'f:number': {}}
                    """),
                scenario("fields of an updater stay", """
                    apply one: {number: 1, options: {a: '1'}}
                    update two: {number: 1, options: {a: '1', b: '2'}}
                    apply one: {number: 1}
                    spec: {number: 1, options: {b: '2'}}
                    owns two/update: {'f:options': {'f:b': {}}}
                    """),
                scenario("fields taken by force are not removed by their former owner", """
                    apply one: {number: 1, text: 'a'}
                    force two: {text: 'b'}
                    apply one: {number: 1}
                    spec: {number: 1, text: 'b'}
                    """),
                scenario("a field that moves to another applier stays", """
                    apply one: {number: 1, text: 'a'}
                    apply two: {text: 'a'}
                    apply one: {number: 1}
                    spec: {number: 1, text: 'a'}
                    owns two: {'f:text': {}}
                    """),
                scenario("an empty map removes its applied entries", """
                    apply one: {options: {a: '1'}}
                    apply one: {options: {}}
                    owns one: {'f:options': {}}
                    """),
                scenario("an empty configuration gives up all fields", """
                    apply one: {number: 1}
                    update two: {number: 1, text: 'a'}
                    apply one: {}
                    spec: {text: 'a'}
                    owns one: none
                    """));
    }

    static Stream<Arguments> lists() {
        return Stream.of(
                scenario("elements are merged by key", """
                    apply one: {items: [{name: 'a', value: 1}]}
                    apply two: {items: [{name: 'b', value: 2}]}
                    apply three: {items: [{name: 'a', marks: ['m']}]}
                    spec: {items: [{name: 'a', value: 1, marks: ['m']}, {name: 'b', value: 2}]}
                    owns one: {'f:items': {'k:{"name":"a"}': {'.': {}, 'f:name': {}, 'f:value': {}}}}
                    owns three: {'f:items': {'k:{"name":"a"}': {'.': {}, 'f:marks': {'v:"m"': {}}, 'f:name': {}}}}
                    """),
                scenario("an element without applier is removed", """
                    apply one: {items: [{name: 'a', value: 1}, {name: 'b'}]}
                    apply two: {items: [{name: 'b'}]}
                    apply one: {number: 1}
                    spec: {number: 1, items: [{name: 'b'}]}
                    """),
                scenario("a conflict in an element names the element", """
                    apply one: {items: [{name: 'a', value: 1}], ports: [{port: 80, note: 'x'}]}
                    apply two: {items: [{name: 'a', value: 2}], ports: [{port: 80, note: 'y'}]}
                    fails: Apply failed with 2 conflicts: conflicts with "one":|- .spec.items[name="a"].value|- .spec.ports[port=80,protocol="TCP"].note
                    """),
                scenario("an omitted key has its default", """
                    apply one: {ports: [{port: 80}, {port: 80, protocol: 'UDP'}]}
                    owns one: {'f:ports': {'k:{"port":80,"protocol":"TCP"}': {'.': {}, 'f:port': {}}, 'k:{"port":80,"protocol":"UDP"}': {'.': {}, 'f:port': {}, 'f:protocol': {}}}}
                    """),
                scenario("numeric keys are ordered by value", """
                    apply one: {ports: [{port: 443}, {port: 80}, {port: 8080}]}
                    owns one: {'f:ports': {'k:{"port":80,"protocol":"TCP"}': {'.': {}, 'f:port': {}}, 'k:{"port":443,"protocol":"TCP"}': {'.': {}, 'f:port': {}}, 'k:{"port":8080,"protocol":"TCP"}': {'.': {}, 'f:port': {}}}}
                    """),
                scenario("each element of a set has its own owners", """
                    apply one: {tags: ['a', 'b']}
                    apply two: {tags: ['b', 'c']}
                    spec: {tags: ['a', 'b', 'c']}
                    apply one: {tags: ['a']}
                    spec: {tags: ['a', 'b', 'c']}
                    apply two: {tags: ['c']}
                    spec: {tags: ['a', 'c']}
                    owns two: {'f:tags': {'v:"c"': {}}}
                    """),
                scenario("applied elements take the applied order, others keep their position", """
                    update one: {tags: ['a', 'b', 'c', 'd']}
                    apply two: {tags: ['c', 'a']}
                    spec: {tags: ['b', 'c', 'd', 'a']}
                    """),
                scenario("new elements come before the next applied one", """
                    update one: {tags: ['a', 'b', 'q']}
                    apply two: {tags: ['x', 'a', 'y', 'b', 'z']}
                    spec: {tags: ['x', 'a', 'y', 'b', 'q', 'z']}
                    """),
                scenario("new elements are appended if no applied element exists", """
                    update one: {tags: ['a', 'b']}
                    apply two: {tags: ['x', 'y']}
                    spec: {tags: ['a', 'b', 'x', 'y']}
                    """),
                scenario("elements of another applier can be reordered", """
                    apply one: {items: [{name: 'a'}, {name: 'b'}]}
                    apply two: {items: [{name: 'b'}, {name: 'a'}]}
                    spec: {items: [{name: 'b'}, {name: 'a'}]}
                    """),
                scenario("elements with the same key in the live list are replaced by the applied one", """
                    update one: {items: [{name: 'a', value: 1}, {name: 'a', value: 2}, {name: 'b'}]}
                    owns one/update: {'f:items': {'.': {}, 'k:{"name":"a"}': {}, 'k:{"name":"b"}': {'.': {}, 'f:name': {}}}}
                    force two: {items: [{name: 'a', value: 3}]}
                    spec: {items: [{name: 'a', value: 3}, {name: 'b'}]}
                    """));
    }

    static Stream<Arguments> atomicValues() {
        return Stream.of(
                scenario("an atomic list is replaced", """
                    apply one: {modes: ['a', 'b']}
                    apply one: {modes: ['b']}
                    spec: {modes: ['b']}
                    owns one: {'f:modes': {}}
                    """),
                scenario("an atomic list has a single owner", """
                    apply one: {modes: ['a']}
                    apply two: {modes: ['a', 'b']}
                    fails: Apply failed with 1 conflict: conflict with "one": .spec.modes
                    """),
                scenario("atomic objects and maps are replaced", """
                    apply one: {selector: {a: '1'}, whole: {k: '1', l: '2'}}
                    apply one: {selector: {a: '2'}, whole: {k: '1'}}
                    spec: {selector: {a: '2'}, whole: {k: '1'}}
                    owns one: {'f:selector': {}, 'f:whole': {}}
                    """),
                scenario("an atomic object that is no longer applied is removed", """
                    apply one: {number: 1, selector: {a: '1'}, modes: ['a']}
                    apply one: {number: 1}
                    spec: {number: 1}
                    """));
    }

    static Stream<Arguments> updates() {
        return Stream.of(
                scenario("a creator owns all fields it writes, including their parents", """
                    update one: {number: 1, nested: {x: '1', more: {k: 'v'}}, tags: ['b', 'a'], items: [{name: 'a'}]}
                    owns one/update: {'f:items': {'.': {}, 'k:{"name":"a"}': {'.': {}, 'f:name': {}}}, 'f:nested': {'.': {}, 'f:more': {'.': {}, 'f:k': {}}, 'f:x': {}}, 'f:number': {}, 'f:tags': {'.': {}, 'v:"a"': {}, 'v:"b"': {}}}
                    """),
                scenario("an update without changes keeps all owners", """
                    apply one: {number: 1}
                    update two: {number: 1}
                    noop
                    owns two/update: none
                    """),
                scenario("an updater takes ownership of the fields it changes", """
                    apply one: {number: 1, text: 'a'}
                    update two: {number: 2, text: 'a'}
                    owns one: {'f:text': {}}
                    owns two/update: {'f:number': {}}
                    apply one: {number: 1, text: 'a'}
                    fails: Apply failed with 1 conflict: conflict with "two" using example/v1: .spec.number
                    """),
                scenario("an updater accumulates the fields it changes", """
                    update one: {number: 1}
                    update two: {number: 1, text: 'a'}
                    update two: {number: 1, text: 'a', options: {k: 'v'}}
                    owns two/update: {'f:options': {'.': {}, 'f:k': {}}, 'f:text': {}}
                    """),
                scenario("fields that an updater removes have no owner", """
                    apply one: {number: 1, text: 'a'}
                    update two: {number: 1}
                    owns one: {'f:number': {}}
                    owns two/update: none
                    """),
                scenario("an applier conflicts with its own earlier update", """
                    update one: {number: 1}
                    apply one: {number: 2}
                    fails: Apply failed with 1 conflict: conflict with "one" using example/v1: .spec.number
                    """),
                scenario("an element changed by an updater stays owned by its applier", """
                    apply one: {items: [{name: 'a', value: 1}]}
                    update two: {items: [{name: 'a', value: 2}]}
                    owns one: {'f:items': {'k:{"name":"a"}': {'.': {}, 'f:name': {}}}}
                    owns two/update: {'f:items': {'k:{"name":"a"}': {'f:value': {}}}}
                    """));
    }

    static Stream<Arguments> rejections() {
        String start = "fails: failed to create typed patch object (/it; example/v1, Kind=Thing): ";
        return Stream.of(
                scenario(
                        "duplicate key",
                        "apply one: {items: [{name: 'a'}, {name: 'a'}]}\n" + start
                                + ".spec.items: duplicate entries for key [name=\"a\"]"),
                scenario(
                        "duplicate element of a set",
                        "apply one: {tags: ['a', 'a']}\n" + start + ".spec.tags: duplicate entries for key [=\"a\"]"),
                scenario(
                        "missing key",
                        "apply one: {items: [{value: 1}]}\n" + start
                                + ".spec.items: element 0: associative list with keys has an element that omits key"
                                + " field \"name\" (and doesn't have default value)"),
                scenario(
                        "scalar instead of an object",
                        "apply one: {items: ['a'], nested: 'x'}\n" + start
                                + "errors:|  .spec.items: element 0: associative list with keys may not have non-map"
                                + " elements|  .spec.nested: expected map, got &{x}"),
                scenario(
                        "undeclared field",
                        "apply one: {colour: 'red'}\n" + start + ".spec.colour: field not declared in schema"),
                scenario(
                        "values of wrong types",
                        "apply one: {number: 'a', text: 1, flag: 'no', size: {}, modes: {a: 1}}\n"
                                + start + "errors:|  .spec.number: expected numeric (int or float), got string"
                                + "|  .spec.text: expected string, got &value.valueUnstructured{Value:1}"
                                + "|  .spec.flag: expected boolean, got &{no}"
                                + "|  .spec.size: expected any scalar, got &{map[]}"
                                + "|  .spec.modes: expected list, got &{map[a:1]}"));
    }
}
