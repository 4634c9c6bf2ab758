package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LineDiffTest {
    private static List<String> lines(String text) {
        return List.of(text.split(" "));
    }

    @Test
    void unified_changedLine_isShownWithContext() {
        assertThat(LineDiff.unified(lines("a b c d e f g h"), lines("a b c d E f g h")))
                .containsExactly("@@", " b", " c", " d", "-e", "+E", " f", " g", " h");
    }

    @Test
    void unified_distantChanges_areSeparated() {
        List<String> before = IntStream.range(0, 20).mapToObj(Integer::toString).toList();
        List<String> after = before.stream()
                .filter(line -> !line.equals("0"))
                .map(line -> line.equals("19") ? "x" : line)
                .toList();

        assertThat(LineDiff.unified(before, after))
                .containsExactly("-0", " 1", " 2", " 3", "@@", " 16", " 17", " 18", "-19", "+x");
    }

    @Test
    void unified_equalOrAbsentTexts_areHandled() {
        assertThat(LineDiff.unified(lines("a b"), lines("a b"))).isEmpty();
        assertThat(LineDiff.unified(List.of(), lines("a b"))).containsExactly("+a", "+b");
        assertThat(LineDiff.unified(lines("a b"), List.of())).containsExactly("-a", "-b");
    }

    @Test
    void unified_hugeTexts_areReplacedAsAWhole() {
        List<String> before =
                IntStream.range(0, 3000).mapToObj(i -> "b" + i % 7).toList();
        List<String> after = IntStream.range(0, 3000).mapToObj(i -> "a" + i % 5).toList();

        List<String> diff = LineDiff.unified(before, after);

        assertThat(diff).hasSize(6000);
        assertThat(diff.subList(0, 3000)).allMatch(line -> line.startsWith("-"));
    }
}
