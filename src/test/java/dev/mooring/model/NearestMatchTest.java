package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestMatchTest {
    @ParameterizedTest
    @CsvSource({"nolok,nolock,1", "abc,abc,0", "'',abc,3", "kitten,sitting,3"})
    void edits_areInsertionsDeletionsAndReplacements(String one, String other, int edits) {
        assertThat(NearestMatch.edits(one, other)).isEqualTo(edits);
        assertThat(NearestMatch.edits(other, one)).isEqualTo(edits);
    }

    @Test
    void nearestMatch_sameNumberOfEdits_isAlphabeticallyFirst() {
        // Not the first of the collection: the order of a Set or a Map's keys differs between processes.
        List<String> candidates = List.of("softerr", "soft", "sofa");

        assertThat(NearestMatch.strict("sofd", candidates)).contains("sofa");
        assertThat(NearestMatch.ignoringCase("sofd", candidates)).contains("sofa");
    }

    @ParameterizedTest
    @CsvSource({
        "quota,   soft,        false, false",
        "nolok,   nolock,      true,  true",
        "NOLOCK,  nolock,      false, true",
        "r,       ro,          true,  true",
        "r,       rwx,         false, true",
        "abcdefg, abcd,        false, false",
        "abcdefghi, abcdef,    false, true"
    })
    void nearestMatch_tooManyEdits_isEmpty(String name, String candidate, boolean strict, boolean ignoringCase) {
        assertThat(NearestMatch.strict(name, List.of(candidate)).isPresent()).isEqualTo(strict);
        assertThat(NearestMatch.ignoringCase(name, List.of(candidate)).isPresent())
                .isEqualTo(ignoringCase);
    }

    @Test
    void nearestMatch_longName_isEmpty() {
        String name = "x".repeat(65);

        assertThat(NearestMatch.ignoringCase(name, List.of(name))).isEmpty();
    }
}
