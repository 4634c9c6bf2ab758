package dev.mooring.api.apply;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Several writers of one thing: what becomes of it, and who owns what. */
class ApplyStoriesTest {
    private static Arguments story(String title, String steps) {
        return Arguments.of(title, steps);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"leaves", "removals", "lists", "wholes", "updates", "refusals"})
    void plays(String title, String steps) {
        Steps.play(steps);
    }

    static Stream<Arguments> leaves() {
        return Stream.of(
                story("an applier owns what it applies", """
                    apply one: {number: 1, text: 'a'}
                    spec: {number: 1, text: 'a'}
                    owns one: {'f:number': {}, 'f:text': {}}
                    """),
                story("applying the same twice changes nothing", """
                    apply one: {number: 1, items: [{name: 'a', value: 1}], tags: ['x'], options: {k: 'v'}}
                    apply one: {number: 1, items: [{name: 'a', value: 1}], tags: ['x'], options: {k: 'v'}}
                    noop
                    """),
                story("appliers of different fields do not meet", """
                    apply one: {number: 1}
                    apply two: {text: 'a'}
                    spec: {number: 1, text: 'a'}
                    owns one: {'f:number': {}}
                    owns two: {'f:text': {}}
                    """),
                story("another value is a conflict", """
                    apply one: {number: 1, text: 'a'}
                    apply two: {number: 2, text: 'b'}
                    fails: Apply failed with 2 conflicts: conflicts with "one":|- .spec.number|- .spec.text
                    spec: {number: 1, text: 'a'}
                    owns two: nobody
                    """),
                story("several owners are named one after the other", """
                    apply two: {text: 'a'}
                    update one: {text: 'a', number: 1}
                    apply three: {number: 2, text: 'b'}
                    fails: Apply failed with 2 conflicts: conflicts with "one" using example/v1:|- .spec.number|conflicts with "two":|- .spec.text
                    """),
                story("the same value is owned together", """
                    apply one: {number: 1}
                    apply two: {number: 1}
                    owns one: {'f:number': {}}
                    owns two: {'f:number': {}}
                    apply one: {number: 2}
                    fails: Apply failed with 1 conflict: conflict with "two": .spec.number
                    """),
                story("force takes the field", """
                    apply one: {number: 1, text: 'a'}
                    force two: {number: 2}
                    spec: {number: 2, text: 'a'}
                    owns one: {'f:text': {}}
                    owns two: {'f:number': {}}
                    """),
                story("whoever loses all fields is forgotten", """
                    apply one: {number: 1}
                    force two: {number: 2}
                    owns one: nobody
                    """),
                story("numbers are compared by size", """
                    apply one: {number: 1}
                    apply two: {number: 1.0}
                    owns two: {'f:number': {}}
                    """),
                story("null takes a value away and is remembered", """
                    apply one: {number: 1, text: 'a'}
                    apply one: {number: 1, text: null}
                    spec: {number: 1}
                    owns one: {'f:number': {}, 'f:text': {}}
                    apply one: {number: 1, text: null}
                    noop
                    """),
                story("null does not take a value of others", """
                    apply one: {number: 1}
                    apply two: {number: null}
                    fails: Apply failed with 1 conflict: conflict with "one": .spec.number
                    """));
    }

    static Stream<Arguments> removals() {
        return Stream.of(
                story("what is no longer applied goes", """
                    apply one: {number: 1, text: 'a', options: {a: '1', b: '2'}}
                    apply one: {number: 1, options: {b: '2'}}
                    spec: {number: 1, options: {b: '2'}}
                    owns one: {'f:number': {}, 'f:options': {'f:b': {}}}
                    """),
                story("a part that loses all it had goes", """
                    apply one: {number: 1, options: {a: '1'}, nested: {x: '1'}}
                    apply one: {number: 1}
                    spec: {number: 1}
                    """),
                story("what another applier applies stays", """
                    apply one: {number: 1, options: {a: '1', b: '2'}}
                    apply two: {options: {a: '1'}}
                    apply one: {number: 1}
                    spec: {number: 1, options: {a: '1'}}
                    owns one: {'f:number': {}}
                    """),
                story("what an updater wrote stays", """
                    apply one: {number: 1, options: {a: '1'}}
                    update two: {number: 1, options: {a: '1', b: '2'}}
                    apply one: {number: 1}
                    spec: {number: 1, options: {b: '2'}}
                    owns two/update: {'f:options': {'f:b': {}}}
                    """),
                story("what was taken by force is not removed by its former owner", """
                    apply one: {number: 1, text: 'a'}
                    force two: {text: 'b'}
                    apply one: {number: 1}
                    spec: {number: 1, text: 'b'}
                    """),
                story("a field that moves to another applier stays", """
                    apply one: {number: 1, text: 'a'}
                    apply two: {text: 'a'}
                    apply one: {number: 1}
                    spec: {number: 1, text: 'a'}
                    owns two: {'f:text': {}}
                    """),
                story("an empty map removes what was applied in it", """
                    apply one: {options: {a: '1'}}
                    apply one: {options: {}}
                    owns one: {'f:options': {}}
                    """),
                story("an empty configuration gives everything up", """
                    apply one: {number: 1}
                    update two: {number: 1, text: 'a'}
                    apply one: {}
                    spec: {text: 'a'}
                    owns one: nobody
                    """));
    }

    static Stream<Arguments> lists() {
        return Stream.of(
                story("elements are merged by key", """
                    apply one: {items: [{name: 'a', value: 1}]}
                    apply two: {items: [{name: 'b', value: 2}]}
                    apply three: {items: [{name: 'a', marks: ['m']}]}
                    spec: {items: [{name: 'a', value: 1, marks: ['m']}, {name: 'b', value: 2}]}
                    owns one: {'f:items': {'k:{"name":"a"}': {'.': {}, 'f:name': {}, 'f:value': {}}}}
                    owns three: {'f:items': {'k:{"name":"a"}': {'.': {}, 'f:marks': {'v:"m"': {}}, 'f:name': {}}}}
                    """),
                story("an element nobody applies any more goes", """
                    apply one: {items: [{name: 'a', value: 1}, {name: 'b'}]}
                    apply two: {items: [{name: 'b'}]}
                    apply one: {number: 1}
                    spec: {number: 1, items: [{name: 'b'}]}
                    """),
                story("a conflict in an element names it", """
                    apply one: {items: [{name: 'a', value: 1}], ports: [{port: 80, note: 'x'}]}
                    apply two: {items: [{name: 'a', value: 2}], ports: [{port: 80, note: 'y'}]}
                    fails: Apply failed with 2 conflicts: conflicts with "one":|- .spec.items[name="a"].value|- .spec.ports[port=80,protocol="TCP"].note
                    """),
                story("a key left out has its default", """
                    apply one: {ports: [{port: 80}, {port: 80, protocol: 'UDP'}]}
                    owns one: {'f:ports': {'k:{"port":80,"protocol":"TCP"}': {'.': {}, 'f:port': {}}, 'k:{"port":80,"protocol":"UDP"}': {'.': {}, 'f:port': {}, 'f:protocol': {}}}}
                    """),
                story("numbers in keys are in the order of their size", """
                    apply one: {ports: [{port: 443}, {port: 80}, {port: 8080}]}
                    owns one: {'f:ports': {'k:{"port":80,"protocol":"TCP"}': {'.': {}, 'f:port': {}}, 'k:{"port":443,"protocol":"TCP"}': {'.': {}, 'f:port': {}}, 'k:{"port":8080,"protocol":"TCP"}': {'.': {}, 'f:port': {}}}}
                    """),
                story("elements of a set have owners of their own", """
                    apply one: {tags: ['a', 'b']}
                    apply two: {tags: ['b', 'c']}
                    spec: {tags: ['a', 'b', 'c']}
                    apply one: {tags: ['a']}
                    spec: {tags: ['a', 'b', 'c']}
                    apply two: {tags: ['c']}
                    spec: {tags: ['a', 'c']}
                    owns two: {'f:tags': {'v:"c"': {}}}
                    """),
                story("the order of what is applied wins, others stay where they are", """
                    update one: {tags: ['a', 'b', 'c', 'd']}
                    apply two: {tags: ['c', 'a']}
                    spec: {tags: ['b', 'c', 'd', 'a']}
                    """),
                story("new elements come before the next applied one", """
                    update one: {tags: ['a', 'b', 'q']}
                    apply two: {tags: ['x', 'a', 'y', 'b', 'z']}
                    spec: {tags: ['x', 'a', 'y', 'b', 'q', 'z']}
                    """),
                story("new elements alone come last", """
                    update one: {tags: ['a', 'b']}
                    apply two: {tags: ['x', 'y']}
                    spec: {tags: ['a', 'b', 'x', 'y']}
                    """),
                story("the order of somebody else's elements can be changed", """
                    apply one: {items: [{name: 'a'}, {name: 'b'}]}
                    apply two: {items: [{name: 'b'}, {name: 'a'}]}
                    spec: {items: [{name: 'b'}, {name: 'a'}]}
                    """),
                story("elements with the same key in the live list give way to the applied one", """
                    update one: {items: [{name: 'a', value: 1}, {name: 'a', value: 2}, {name: 'b'}]}
                    owns one/update: {'f:items': {'.': {}, 'k:{"name":"a"}': {}, 'k:{"name":"b"}': {'.': {}, 'f:name': {}}}}
                    force two: {items: [{name: 'a', value: 3}]}
                    spec: {items: [{name: 'a', value: 3}, {name: 'b'}]}
                    """));
    }

    static Stream<Arguments> wholes() {
        return Stream.of(
                story("an atomic list is replaced", """
                    apply one: {modes: ['a', 'b']}
                    apply one: {modes: ['b']}
                    spec: {modes: ['b']}
                    owns one: {'f:modes': {}}
                    """),
                story("an atomic list belongs to one", """
                    apply one: {modes: ['a']}
                    apply two: {modes: ['a', 'b']}
                    fails: Apply failed with 1 conflict: conflict with "one": .spec.modes
                    """),
                story("atomic objects and maps are replaced", """
                    apply one: {selector: {a: '1'}, whole: {k: '1', l: '2'}}
                    apply one: {selector: {a: '2'}, whole: {k: '1'}}
                    spec: {selector: {a: '2'}, whole: {k: '1'}}
                    owns one: {'f:selector': {}, 'f:whole': {}}
                    """),
                story("an atomic object that is no longer applied goes", """
                    apply one: {number: 1, selector: {a: '1'}, modes: ['a']}
                    apply one: {number: 1}
                    spec: {number: 1}
                    """));
    }

    static Stream<Arguments> updates() {
        return Stream.of(
                story("a creator owns all it writes, holders included", """
                    update one: {number: 1, nested: {x: '1', more: {k: 'v'}}, tags: ['b', 'a'], items: [{name: 'a'}]}
                    owns one/update: {'f:items': {'.': {}, 'k:{"name":"a"}': {'.': {}, 'f:name': {}}}, 'f:nested': {'.': {}, 'f:more': {'.': {}, 'f:k': {}}, 'f:x': {}}, 'f:number': {}, 'f:tags': {'.': {}, 'v:"a"': {}, 'v:"b"': {}}}
                    """),
                story("an update that changes nothing changes no owner", """
                    apply one: {number: 1}
                    update two: {number: 1}
                    noop
                    owns two/update: nobody
                    """),
                story("an updater takes what it changes", """
                    apply one: {number: 1, text: 'a'}
                    update two: {number: 2, text: 'a'}
                    owns one: {'f:text': {}}
                    owns two/update: {'f:number': {}}
                    apply one: {number: 1, text: 'a'}
                    fails: Apply failed with 1 conflict: conflict with "two" using example/v1: .spec.number
                    """),
                story("an updater collects what it changes", """
                    update one: {number: 1}
                    update two: {number: 1, text: 'a'}
                    update two: {number: 1, text: 'a', options: {k: 'v'}}
                    owns two/update: {'f:options': {'.': {}, 'f:k': {}}, 'f:text': {}}
                    """),
                story("what an updater removes belongs to nobody", """
                    apply one: {number: 1, text: 'a'}
                    update two: {number: 1}
                    owns one: {'f:number': {}}
                    owns two/update: nobody
                    """),
                story("an applier meets itself as an updater", """
                    update one: {number: 1}
                    apply one: {number: 2}
                    fails: Apply failed with 1 conflict: conflict with "one" using example/v1: .spec.number
                    """),
                story("an element an updater changes is still the applier's", """
                    apply one: {items: [{name: 'a', value: 1}]}
                    update two: {items: [{name: 'a', value: 2}]}
                    owns one: {'f:items': {'k:{"name":"a"}': {'.': {}, 'f:name': {}}}}
                    owns two/update: {'f:items': {'k:{"name":"a"}': {'f:value': {}}}}
                    """));
    }

    static Stream<Arguments> refusals() {
        String start = "fails: failed to create typed patch object (/it; example/v1, Kind=Thing): ";
        return Stream.of(
                story(
                        "the same key twice",
                        "apply one: {items: [{name: 'a'}, {name: 'a'}]}\n" + start
                                + ".spec.items: duplicate entries for key [name=\"a\"]"),
                story(
                        "the same element of a set twice",
                        "apply one: {tags: ['a', 'a']}\n" + start + ".spec.tags: duplicate entries for key [=\"a\"]"),
                story(
                        "a key is missing",
                        "apply one: {items: [{value: 1}]}\n" + start
                                + ".spec.items: element 0: associative list with keys has an element that omits key"
                                + " field \"name\" (and doesn't have default value)"),
                story(
                        "no object where there should be one",
                        "apply one: {items: ['a'], nested: 'x'}\n" + start
                                + "errors:|  .spec.items: element 0: associative list with keys may not have non-map"
                                + " elements|  .spec.nested: expected map, got &{x}"),
                story(
                        "a field of no schema",
                        "apply one: {colour: 'red'}\n" + start + ".spec.colour: field not declared in schema"),
                story(
                        "values of other types",
                        "apply one: {number: 'a', text: 1, flag: 'no', size: {}, modes: {a: 1}}\n"
                                + start + "errors:|  .spec.number: expected numeric (int or float), got string"
                                + "|  .spec.text: expected string, got &value.valueUnstructured{Value:1}"
                                + "|  .spec.flag: expected boolean, got &{no}"
                                + "|  .spec.size: expected any scalar, got &{map[]}"
                                + "|  .spec.modes: expected list, got &{map[a:1]}"));
    }
}
