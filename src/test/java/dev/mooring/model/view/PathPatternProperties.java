package dev.mooring.model.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.PathPattern.Expansion;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Properties of path patterns with arbitrary patterns and claim values. */
class PathPatternProperties {
    private static final Path BASE = Path.of("/srv/volumes");

    @Provide
    Arbitrary<String> patterns() {
        return Arbitraries.frequencyOf(
                        Tuple.of(
                                6,
                                Arbitraries.of(
                                        "${pv.name}",
                                        "${pvc.namespace}",
                                        "${pvc.name}",
                                        "${pvc.uid}",
                                        "${pvc.labels['l']}",
                                        "${pvc.annotations['a']}")),
                        Tuple.of(
                                4, Arbitraries.of("/", ".", "..", "a", "-", "archived", ".moor", "ing", "$", "{", "}")),
                        Tuple.of(1, Arbitraries.strings().ofMaxLength(5)))
                .list()
                .ofMinSize(1)
                .ofMaxSize(6)
                .map(parts -> String.join("", parts));
    }

    @Provide
    Arbitrary<PathValues> values() {
        Arbitrary<String> value = Arbitraries.oneOf(
                Arbitraries.of(
                        "",
                        ".",
                        "..",
                        "...",
                        "/",
                        "../x",
                        "/etc",
                        "a/b",
                        ".mooring",
                        "ing",
                        "archived-",
                        "-x",
                        "\0",
                        "a\0",
                        "\u2025",
                        "\uff0e\uff0e",
                        "\u2215etc",
                        "..%2f",
                        "x".repeat(250),
                        "a\\..\\b"),
                Arbitraries.strings().withCharRange('a', 'z').withChars("._-/").ofMaxLength(12),
                Arbitraries.strings().ofMaxLength(8));
        return Combinators.combine(value, value, value, value, value, value)
                .as((volume, namespace, claim, uid, label, annotation) ->
                        new PathValues(volume, namespace, claim, uid, Map.of("l", label), Map.of("a", annotation)));
    }

    @Property(tries = 6_000, edgeCases = EdgeCasesMode.NONE)
    void expansion_anyPatternAndValues_staysBelowBaseAndAvoidsReservedNames(
            @ForAll("patterns") String pattern, @ForAll("values") PathValues values) {
        Expansion expansion = PathPattern.parse(pattern).expand(values);
        if (expansion instanceof PathPattern.Path expanded) {
            assertThat(expanded.text())
                    .matches("[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
                    .hasSizeLessThanOrEqualTo(200);
            assertThat(List.of(expanded.text().split("/", -1)))
                    .noneMatch(each -> each.equals(".") || each.equals(".."))
                    .noneMatch(each -> each.startsWith(".mooring") || each.startsWith("archived-"));
            Path path = BASE.resolve(expanded.text());
            assertThat(path.normalize()).isEqualTo(path);
            assertThat(path.startsWith(BASE)).isTrue();
            assertThat(path).isNotEqualTo(BASE);
        } else {
            assertThat(((PathPattern.Problem) expansion).message()).isNotBlank();
        }
    }

    @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
    void expansion_anyValues_hasTheDepthOfThePattern(
            @ForAll("patterns") String pattern, @ForAll("values") PathValues values) {
        if (PathPattern.parse(pattern).expand(values) instanceof PathPattern.Path expanded) {
            String withoutVariables = pattern.replaceAll("\\$\\{[^}]*}", "x");
            assertThat(expanded.text().chars().filter(c -> c == '/').count())
                    .isEqualTo(withoutVariables.chars().filter(c -> c == '/').count());
        }
    }

    @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
    void pattern_withoutProblems_expandsWithOrdinaryValues(@ForAll("patterns") String pattern) {
        PathPattern parsed = PathPattern.parse(pattern);
        PathValues ordinary = new PathValues("x", "x", "x", "x", Map.of("l", "x"), Map.of("a", "x"));
        boolean expands = parsed.expand(ordinary) instanceof PathPattern.Path;
        assertThat(expands).isEqualTo(parsed.problems().isEmpty());
    }
}
