package dev.mooring.model.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.PathPattern.Path;
import dev.mooring.model.view.PathPattern.Problem;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathPatternTest {
    private static final PathValues VALUES = new PathValues(
            "pvc-1234",
            "team",
            "data",
            "1234",
            Map.of("tier", "gold", "example.com/owner", "Ann_B.c", "empty", "", "dots", "..", "hidden", ".mooring"),
            Map.of("dir", "a/b", "up", "../../etc", "nul", "a\0b", "umlaut", "Größe", "fullStops", "\uff0e\uff0e"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        ${pv.name}                                    | pvc-1234
        ${pvc.namespace}/${pvc.name}                  | team/data
        ${pvc.namespace}-${pvc.name}-${pvc.uid}       | team-data-1234
        v1/${pvc.labels['tier']}/${pv.name}           | v1/gold/pvc-1234
        ${pvc.labels['example.com/owner']}            | Ann_B.c
        .hidden/${pv.name}                            | .hidden/pvc-1234
        a${pvc.labels['dots']}b                       | a..b
        x-archived-${pv.name}                         | x-archived-pvc-1234
        plain                                         | plain
        """)
    void pattern_valid_expandsToPath(String pattern, String path) {
        assertThat(PathPattern.parse(pattern).problems()).isEmpty();
        assertThat(PathPattern.parse(pattern).expand(VALUES)).isEqualTo(new Path(path));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        ""                            | must not be empty
        /                             | must be a relative path
        /etc/${pv.name}               | must be a relative path
        ${pv.name}/                   | must not have empty segments
        a//${pv.name}                 | must not have empty segments
        .                             | must not contain the segment '.'
        ..                            | must not contain the segment '..'
        ../${pv.name}                 | must not contain the segment '..'
        ${pv.name}/../x               | must not contain the segment '..'
        ${pv.name}/./x                | must not contain the segment '.'
        .mooring/${pv.name}           | segments must not begin with '.mooring'
        x/.Mooring-${pv.name}         | segments must not begin with '.mooring'
        archived-${pv.name}           | segments must not begin with 'archived-'
        ${pv.name                     | variable "${pv.name" has no closing brace
        $pv.name                      | must consist of variables, letters, digits, '.', '_', '-' and '/', but has '$'
        a b                           | must consist of variables, letters, digits, '.', '_', '-' and '/', but has U+0020
        a\\b                          | must consist of variables, letters, digits, '.', '_', '-' and '/', but has '\\'
        Größe                         | must consist of variables, letters, digits, '.', '_', '-' and '/', but has U+00F6
        ~/x                           | must consist of variables, letters, digits, '.', '_', '-' and '/', but has '~'
        ${}                           | unknown variable ""; expected pv.name, pvc.namespace, pvc.name, pvc.uid, pvc.labels['KEY'], pvc.annotations['KEY']
        ${pvc.nam}                    | unknown variable "pvc.nam"; expected pvc.name
        ${.PVC.namespace}             | unknown variable ".PVC.namespace"; expected pvc.namespace
        ${pvc.metadata.name}          | unknown variable "pvc.metadata.name"; expected pvc.name
        ${pvc.labels.tier}            | unknown variable "pvc.labels.tier"; expected pvc.labels['KEY']
        ${pvc.labels[\"tier\"]}       | unknown variable "pvc.labels[\"tier\"]"; expected pvc.labels['KEY']
        ${pvc.annotations['']}        | variable "pvc.annotations['']": name part must be non-empty
        ${pvc.labels[']}              | unknown variable "pvc.labels[']"; expected pvc.labels['KEY']
        """)
    void pattern_invalid_isRejectedWithReason(String pattern, String problem) {
        String text = pattern == null ? "" : pattern;
        assertThat(PathPattern.parse(text).problems()).first().asString().startsWith(problem);
        assertThat(PathPattern.parse(text).expand(VALUES)).isInstanceOf(Problem.class);
    }

    @Test
    void pattern_withNulOrTooLong_isRejected() {
        assertThat(PathPattern.parse("a\0b").problems())
                .containsExactly("must consist of variables, letters, digits, '.', '_', '-' and '/', but has U+0000");
        assertThat(PathPattern.parse("a".repeat(200)).problems()).isEmpty();
        assertThat(PathPattern.parse("a".repeat(201)).problems())
                .containsExactly("must be no more than 200 characters without the variables");
        assertThat(PathPattern.parse("${pv.name}".repeat(103)).problems())
                .containsExactly("must be no more than 1024 characters");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        ${pvc.labels['none']}         | ${pvc.labels['none']}        | ""        | not set on the claim
        ${pvc.labels['empty']}        | ${pvc.labels['empty']}       | ""        | must not be empty
        x${pvc.labels['empty']}       | ${pvc.labels['empty']}       | ""        | must not be empty
        ${pvc.annotations['dir']}     | ${pvc.annotations['dir']}    | a/b       | must consist of letters, digits, '.', '_' and '-', but has '/'
        ${pvc.annotations['up']}      | ${pvc.annotations['up']}     | ../../etc | must consist of letters, digits, '.', '_' and '-', but has '/'
        ${pvc.annotations['umlaut']}  | ${pvc.annotations['umlaut']} | Größe     | must consist of letters, digits, '.', '_' and '-', but has U+00F6
        ${pvc.labels['dots']}         | ${pvc.labels['dots']}        | ..        | must not contain the segment '..'
        a/${pvc.labels['dots']}/b     | a/${pvc.labels['dots']}/b    | a/../b    | must not contain the segment '..'
        ${pvc.labels['hidden']}       | ${pvc.labels['hidden']}      | .mooring  | segments must not begin with '.mooring'
        ${pvc.labels['hidden']}x      | ${pvc.labels['hidden']}x     | .mooringx | segments must not begin with '.mooring'
        """)
    void expansion_invalidValue_namesVariableAndValue(String pattern, String variable, String value, String reason) {
        String text = value == null ? "" : value;
        assertThat(PathPattern.parse(pattern).problems()).isEmpty();
        assertThat(PathPattern.parse(pattern).expand(VALUES))
                .isEqualTo(new Problem(variable, text, variable + " is \"" + text + "\": " + reason));
    }

    @Test
    void expansion_controlCharacterInValue_isMaskedInMessage() {
        Problem problem =
                (Problem) PathPattern.parse("${pvc.annotations['nul']}").expand(VALUES);
        assertThat(problem.value()).isEqualTo("a\0b");
        assertThat(problem.message())
                .isEqualTo("${pvc.annotations['nul']} is \"a?b\": must consist of letters, digits, '.', '_' and '-',"
                        + " but has U+0000");
        assertThat(PathPattern.parse("${pvc.annotations['fullStops']}").expand(VALUES))
                .isInstanceOf(Problem.class);
    }

    @Test
    void expansion_tooLong_isRejected() {
        PathValues values = new PathValues("v".repeat(199), "n", "c", "u", Map.of(), Map.of());
        assertThat(PathPattern.parse("x${pv.name}").expand(values)).isInstanceOf(Path.class);
        Problem problem = (Problem) PathPattern.parse("xy${pv.name}").expand(values);
        assertThat(problem.variable()).isEqualTo("xy${pv.name}");
        assertThat(problem.message()).endsWith("…\": must be no more than 200 characters, but is 201");
    }
}
