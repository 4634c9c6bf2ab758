package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Generates YAML bodies: JSON, which is valid YAML, and constructs specific to YAML. Stateless. */
final class YamlGrammar {
    private static final List<String> TAILS = List.of(
            "data: {a: &x [1], b: *x}\n",
            "data: {a: *nobody}\n",
            "data: &loop {a: *loop}\n",
            "data: !!binary AAEC\n",
            "data: !!java.net.URL [\"http://localhost\"]\n",
            "data: !<tag:yaml.org,2002:js/undefined> ''\n",
            "data: {<<: {a: b}, c: d}\n",
            "data:\n  a: 1_000\n  b: 0o17\n  c: 0x1F\n  d: 190:20:30\n  e: yes\n  f: ~\n  g: .inf\n  h: .NaN\n",
            "data:\n  ? [complex, key]\n  : value\n",
            "data:\n\ta: tab\n",
            "data: |\n  literal\n",
            "data: {a: 2026-01-31, b: 2026-01-31T12:00:00Z}\n",
            "data: {1: a, true: b, null: c, 1.5: d}\n",
            "---\nkind: Second\n---\n",
            "...\ntrailing\n",
            "data: {a: \"\\ud800\", b: \"\\x00\"}\n",
            "data: {a: '\u202e', b: \"\\U0010ffff\"}\n",
            "metadata: {name: twice}\n",
            "%YAML 9.9\n---\n",
            "data: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n");

    private YamlGrammar() {}

    static String body(FuzzRandom dice, ObjectNode object) {
        return switch (dice.below(8)) {
            case 0 -> head(object) + dice.pick(TAILS);
            case 1 -> dice.oneIn(3) ? laughs(dice) : head(object) + "data: {a: b}\n";
            case 2 -> "# a comment\n--- # another\n" + object;
            default -> object.toString();
        };
    }

    private static String head(ObjectNode object) {
        return "kind: " + object.path("kind").asText("") + "\napiVersion: "
                + object.path("apiVersion").asText("") + "\nmetadata: " + object.path("metadata") + "\n";
    }

    /** Returns a "billion laughs" document: few lines that expand to billions of elements. */
    private static String laughs(FuzzRandom dice) {
        StringBuilder text =
                new StringBuilder("kind: ConfigMap\napiVersion: v1\nmetadata: {name: lol}\nx0: &a0 [lol]\n");
        int levels = 2 + dice.below(30);
        for (int i = 1; i < levels; i++) {
            text.append("x" + i + ": &a" + i + " [" + ("*a" + (i - 1) + ",").repeat(9) + "*a" + (i - 1) + "]\n");
        }
        return text.toString();
    }
}
