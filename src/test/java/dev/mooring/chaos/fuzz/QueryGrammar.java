package dev.mooring.chaos.fuzz;

import dev.mooring.api.types.KindDefinition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Generates query strings with valid, invalid and unusually encoded parameters. Stateless. */
final class QueryGrammar {
    private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private QueryGrammar() {}

    /** Percent-encodes a text as UTF-8. */
    static String encoded(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            if (UNRESERVED.indexOf(c) >= 0) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
            }
        }
        return encoded.toString();
    }

    static String forRead(FuzzRandom dice, KindDefinition kind) {
        List<String> pairs = new ArrayList<>();
        if (dice.percent(25)) {
            pairs.add(pair(dice, "limit", dice.percent(80) ? "" + dice.below(20) : number(dice)));
        }
        if (dice.percent(20)) {
            pairs.add(pair(dice, "labelSelector", labels(dice)));
        }
        if (dice.percent(20)) {
            pairs.add(pair(dice, "fieldSelector", fields(dice, kind)));
        }
        if (dice.percent(8)) {
            pairs.add(pair(dice, "resourceVersion", dice.percent(70) ? dice.pick("", "0", "1") : number(dice)));
        }
        if (dice.percent(4)) {
            pairs.add(pair(dice, "resourceVersionMatch", dice.pick("Exact", "NotOlderThan", "", "exact", "x")));
        }
        if (dice.percent(6)) {
            pairs.add(pair(dice, "continue", continueToken(dice, kind)));
        }
        if (dice.oneIn(60)) {
            pairs.add(pair(dice, "at", dice.percent(50) ? "" + dice.below(500) : number(dice)));
        }
        return finish(dice, pairs);
    }

    static String forWatch(FuzzRandom dice, KindDefinition kind) {
        List<String> pairs = new ArrayList<>();
        pairs.add("watch=" + dice.pick("1", "true", "yes", ""));
        pairs.add(pair(dice, "timeoutSeconds", dice.percent(80) ? "1" : number(dice)));
        if (dice.percent(40)) {
            pairs.add(pair(dice, "resourceVersion", dice.percent(80) ? dice.pick("", "0", "1", "20") : number(dice)));
        }
        if (dice.percent(30)) {
            pairs.add("allowWatchBookmarks=" + dice.pick("true", "false", "1", "x"));
        }
        if (dice.percent(20)) {
            pairs.add("sendInitialEvents=" + dice.pick("true", "false"));
            pairs.add("resourceVersionMatch=" + dice.pick("NotOlderThan", "NotOlderThan", "Exact"));
        }
        if (dice.percent(30)) {
            pairs.add(pair(
                    dice,
                    dice.pick("labelSelector", "fieldSelector"),
                    dice.percent(50) ? labels(dice) : fields(dice, kind)));
        }
        return finish(dice, pairs);
    }

    static String forWrite(FuzzRandom dice) {
        List<String> pairs = new ArrayList<>();
        if (dice.percent(10)) {
            pairs.add(pair(dice, "dryRun", dice.percent(85) ? "All" : EdgeValues.text(dice)));
        }
        if (dice.percent(20)) {
            pairs.add(pair(
                    dice,
                    "fieldValidation",
                    dice.percent(95) ? dice.pick("Ignore", "Warn", "Strict") : EdgeValues.text(dice)));
        }
        if (dice.percent(10)) {
            pairs.add(pair(dice, "fieldManager", manager(dice)));
        }
        return finish(dice, pairs);
    }

    static String forApply(FuzzRandom dice) {
        List<String> pairs = new ArrayList<>();
        if (!dice.oneIn(50)) {
            pairs.add(pair(dice, "fieldManager", manager(dice)));
        }
        if (dice.percent(75)) {
            pairs.add("force=" + dice.pick("true", "true", "1", "false", "x"));
        }
        if (dice.percent(5)) {
            pairs.add("dryRun=All");
        }
        return finish(dice, pairs);
    }

    static String forDelete(FuzzRandom dice) {
        List<String> pairs = new ArrayList<>();
        if (dice.percent(20)) {
            pairs.add(pair(dice, "gracePeriodSeconds", dice.percent(80) ? dice.pick("0", "1", "30") : number(dice)));
        }
        if (dice.percent(20)) {
            pairs.add(pair(
                    dice,
                    "propagationPolicy",
                    dice.percent(90) ? dice.pick("Background", "Foreground", "Orphan") : EdgeValues.text(dice)));
        }
        if (dice.oneIn(30)) {
            pairs.add("orphanDependents=" + dice.pick("true", "false", "x"));
        }
        if (dice.percent(10)) {
            pairs.add("dryRun=All");
        }
        return finish(dice, pairs);
    }

    private static String manager(FuzzRandom dice) {
        return dice.percent(95) ? dice.pick("fuzz-1", "fuzz-2", "kubectl") : EdgeValues.text(dice);
    }

    private static String finish(FuzzRandom dice, List<String> pairs) {
        if (dice.oneIn(40)) {
            pairs.add(dice.pick(
                    "",
                    "=",
                    "&&",
                    "a",
                    "=b",
                    "%zz=1",
                    "a=%",
                    "a=%e2%28%a1",
                    "a=%c0%ae",
                    "%00=%00",
                    "pretty=true",
                    "a;b=c",
                    "limit=1&limit=2",
                    "dryRun=All&dryRun=None",
                    "watch",
                    "?",
                    "timeout=10s",
                    "a=b#c",
                    "x=" + "y".repeat(dice.below(3000)),
                    "z=1&".repeat(dice.below(100))));
        }
        if (dice.oneIn(100)) {
            pairs.add(encoded(EdgeValues.text(dice)) + "=" + encoded(EdgeValues.text(dice)));
        }
        return pairs.isEmpty() ? "" : "?" + String.join("&", pairs);
    }

    private static String pair(FuzzRandom dice, String name, String value) {
        String encodedValue = switch (dice.below(60)) {
            case 0 -> encoded(encoded(value));
            case 1 -> encoded(value).replace("%20", "+").toLowerCase(java.util.Locale.ROOT);
            default -> encoded(value);
        };
        return name + "=" + encodedValue;
    }

    static String number(FuzzRandom dice) {
        return dice.pick(
                "0",
                "1",
                "-1",
                "00",
                "1.5",
                "1e3",
                "2147483648",
                "9223372036854775807",
                "9223372036854775808",
                "-0",
                "+1",
                " 1",
                "x",
                "0x10",
                "\u0661",
                "99999999999999999999999",
                "");
    }

    private static String labels(FuzzRandom dice) {
        StringBuilder selector = new StringBuilder();
        int count = dice.oneIn(100) ? 300 : 1 + dice.below(3);
        for (int i = 0; i < count; i++) {
            selector.append(i == 0 ? "" : ",").append(requirement(dice));
        }
        if (dice.oneIn(15)) {
            selector.insert(
                    dice.below(selector.length() + 1),
                    dice.pick(",", "(", ")", "!", "=", " ", "\u0000", "\u00e9", "in"));
        }
        return selector.toString();
    }

    private static String requirement(FuzzRandom dice) {
        String key = dice.percent(90)
                ? dice.pick("app", "tier", "kubernetes.io/hostname", "x")
                : dice.pick("", "a/b/c", "-", "in", "notin", "UPPER", "k".repeat(70), "\u00e9");
        String value =
                dice.percent(90) ? dice.pick(ValidObjects.NAMES) : dice.pick("", "-", "a b", "v".repeat(70), "(");
        return switch (dice.below(9)) {
            case 0 -> key;
            case 1 -> "!" + key;
            case 2 -> key + "!=" + value;
            case 3 -> key + "==" + value;
            case 4 -> key + " in (" + value + ",b)";
            case 5 -> key + " notin (" + value + ")";
            case 6 -> key + dice.pick("<", ">") + dice.pick("1", "x", "99999999999999999999", "-1");
            case 7 -> key + dice.pick(" in ()", " in", "=in", " notin", " exists", "=(a)");
            default -> key + "=" + value;
        };
    }

    private static String fields(FuzzRandom dice, KindDefinition kind) {
        List<String> names = new ArrayList<>(List.of("metadata.name", "metadata.name", "metadata.namespace"));
        kind.selectable().forEach(each -> names.add(each.name()));
        StringBuilder selector = new StringBuilder();
        for (int i = 1 + dice.below(2); i > 0; i--) {
            String name = dice.percent(92) ? dice.pick(names) : dice.pick("spec", "", "metadata", "x.y", "\u0000", "=");
            String value = dice.percent(85) ? dice.pick(ValidObjects.NAMES) : EdgeValues.text(dice);
            selector.append(selector.isEmpty() ? "" : ",")
                    .append(name)
                    .append(dice.pick("=", "==", "!=", "="))
                    .append(value);
        }
        if (dice.oneIn(20)) {
            selector.append(dice.pick(",", "\\", "\\x", "=", ",,", "\\,", "=="));
        }
        return selector.toString();
    }

    private static String continueToken(FuzzRandom dice, KindDefinition kind) {
        if (dice.percent(25)) {
            return dice.pick("x", "!", "====", "bm9wZQ", "MQ", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "\u0000");
        }
        String key = dice.percent(80)
                ? kind.resource() + (kind.isNamespaced() ? "/default/" : "/") + dice.pick(ValidObjects.NAMES)
                : dice.pick("", "/", "pods", "nodes/a", "pods/x/y/z", kind.resource() + "/" + EdgeValues.text(dice));
        String revision = dice.percent(60) ? "" + dice.below(200) : number(dice);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((revision + " " + key).getBytes(StandardCharsets.UTF_8));
    }
}
