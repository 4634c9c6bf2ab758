package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.util.RawValue;
import java.util.List;

/** Edge cases of strings, numbers, quantities and times. Stateless. */
final class EdgeValues {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final List<String> TEXTS = List.of(
            "",
            " ",
            ".",
            "..",
            "../../etc/passwd",
            "/",
            "//",
            "-",
            "_",
            "*",
            "%",
            "%s%n%d",
            "a/b",
            "a//b",
            "a/b/c/d",
            "${jndi:ldap://x/y}",
            "{{.}}",
            "'; DROP TABLE pods; --",
            "<script>alert(1)</script>",
            "null",
            "true",
            "~",
            "0",
            "-1",
            "1e400",
            "NaN",
            "Infinity",
            "A",
            "UPPER.Case",
            "a.b.c",
            "xn--nxasmq6b",
            "\u0000",
            "a\u0000b",
            "\u0001\u001f\u007f\u0085",
            "line\nfeed\r\ttab",
            "\u202eright to left\u202c",
            "\u200b\u200d\ufeff",
            "e\u0301\u0301\u0301\u0301",
            "\u0130I\u0131i",
            "\u00df\u017f\u212a",
            "\ud83d\ude00\ud83d\udc68\u200d\ud83d\udc69",
            "\ufffe\uffff",
            "\u2028\u2029",
            "\ue000\udbff\udfff",
            "\\",
            "\"",
            "\\u0000",
            "k8s\u0000");

    /** JSON literals; some are invalid JSON. */
    private static final List<String> LITERALS = List.of(
            "0",
            "-0",
            "-1",
            "1.5",
            "-0.0",
            "1e0",
            "1e400",
            "-1e400",
            "1e-400",
            "1e308",
            "1E+2147483648",
            "1e999999999",
            "2147483647",
            "2147483648",
            "-2147483649",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775809",
            "18446744073709551616",
            "123456789012345678901234567890",
            "0.1000000000000000055511151231257827",
            "true",
            "false",
            "null",
            "[]",
            "{}",
            "[[]]",
            "[null]",
            "{\"\":null}",
            "{\"a\":{\"b\":[1,{\"c\":null}]}}",
            "\"\\ud800\"",
            "\"\\udc00x\"",
            "\"\\ud83d\\ude00\"",
            "\"\\u0000\"",
            "NaN",
            "-Infinity",
            "01",
            "+1",
            ".5",
            "1.",
            "0x10",
            "'x'",
            "\"\\x41\"",
            "\"",
            "[1,]",
            "{\"a\"}",
            "tru",
            "1 2");

    private static final List<String> QUANTITIES = List.of(
            "0",
            "1",
            "1Gi",
            "500m",
            "1e3",
            "1E3",
            "1.5Gi",
            "-1Gi",
            "+1",
            "0.000000001",
            "1n",
            "1u",
            "0.1n",
            ".5",
            "5.",
            "1e1000000Gi",
            "1e1000000",
            "1e-1000000",
            "1e2147483648",
            "99999999999999999999Ei",
            "9223372036854775807",
            "9223372036854775808",
            "8Ei",
            "7.9999999999999999999999Ei",
            "0.00000000000000000000000000000000000001Ki",
            "1Zi",
            "1gi",
            "1 Gi",
            "Gi",
            "1GiB",
            "--1",
            "1e",
            "0e0",
            "\u0661\u0662",
            "1\u00a0Gi");

    private static final List<String> TIMES = List.of(
            "2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00.123456Z",
            "2026-01-31T12:00:00.123456789123456789Z",
            "2026-01-31T12:00:00+23:59",
            "2026-01-31T24:00:00Z",
            "2026-02-30T12:00:00Z",
            "2026-12-31T23:59:60Z",
            "0000-00-00T00:00:00Z",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "9999-12-31T23:59:59-12:00",
            "+999999999-12-31T23:59:59Z",
            "-0001-01-01T00:00:00Z",
            "1970-01-01T00:00:00Z",
            "2026-01-31",
            "12:00",
            "0",
            "2026-01-31t12:00:00z",
            "2026-01-31 12:00:00Z",
            "2026-01-31T12:00:00");

    private EdgeValues() {}

    static String text(FuzzRandom dice) {
        if (dice.oneIn(40)) {
            return dice.pick("a", "-", "\u00e9", "\ud83d\ude00", "/", "%").repeat(1 + dice.below(2000));
        }
        return dice.pick(TEXTS);
    }

    static String quantity(FuzzRandom dice) {
        return dice.oneIn(30) ? "9".repeat(1 + dice.below(5000)) + dice.pick("", "Ei", "n") : dice.pick(QUANTITIES);
    }

    static String time(FuzzRandom dice) {
        return dice.pick(TIMES);
    }

    /** Returns any value. */
    static JsonNode value(FuzzRandom dice) {
        return switch (dice.below(12)) {
            case 0, 1, 2 -> NODES.textNode(text(dice));
            case 3 -> NODES.textNode(quantity(dice));
            case 4 -> NODES.textNode(time(dice));
            case 5 -> dice.oneIn(4) ? raw(nested(dice)) : NODES.numberNode(dice.bits());
            case 6 ->
                raw("\"x\",\"" + dice.pick("metadata", "spec", "kind", "name", "x") + "\":" + dice.pick(LITERALS));
            default -> raw(dice.pick(LITERALS));
        };
    }

    /** Returns a deep or wide value. */
    static String nested(FuzzRandom dice) {
        if (dice.oneIn(6)) {
            return "[" + "0,".repeat(dice.below(20_000)) + "0]";
        }
        int depth = dice.pick(List.of(10, 40, 60, 64, 65, 200, 5_000));
        return dice.percent(50)
                ? "[".repeat(depth) + "]".repeat(depth)
                : "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
    }

    /** Returns a node that is written to JSON without escaping. */
    static JsonNode raw(String text) {
        return NODES.rawValueNode(new RawValue(text));
    }
}
