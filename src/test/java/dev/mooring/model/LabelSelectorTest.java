package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabelSelectorTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, String> LABELS =
            Map.of("tier", "gold", "app.example/name", "db", "empty", "", "rank", "7", "in", "notin");

    private static final String NAME_RULE =
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
                    + " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        ``                            | true
        tier                          | true
        colour                        | false
        !tier                         | false
        !colour                       | true
        ! colour                      | true
        tier=gold                     | true
        tier==gold                    | true
        tier = gold                   | true
        tier=silver                   | false
        colour=                       | false
        empty=                        | true
        empty                         | true
        !empty                        | false
        tier!=gold                    | false
        tier!=silver                  | true
        colour!=red                   | true
        tier in (gold)                | true
        tier in (silver,gold)         | true
        tier in (silver, bronze)      | false
        colour in (red)               | false
        empty in ()                   | true
        empty in (a,)                 | true
        tier notin (gold)             | false
        tier notin (silver)           | true
        colour notin (red)            | true
        rank>6                        | true
        rank>7                        | false
        rank<8                        | true
        rank<7                        | false
        tier>1                        | false
        tier<1                        | false
        colour<1                      | false
        app.example/name=db           | true
        in in (notin)                 | true
        in notin (notin)              | false
        in=notin                      | true
        tier=gold,rank=7              | true
        tier=gold,rank=8              | false
        tier,!colour,rank>1,rank<9    | true
        """)
    void labelSelector_matches_sameLabelsAsKubernetes(String selector, boolean expected) {
        LabelSelector parsed = LabelSelector.parse(selector);

        assertThat(parsed.matches(LABELS)).isEqualTo(expected);
        assertThat(parsed.matches(JSON.<JsonNode>valueToTree(LABELS))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        ``                     | ``
        `  `                   | ``
        b=2,a=1                | a=1,b=2
        a == 1                 | a==1
        a in (z,y,y,x)         | a in (x,y,z)
        a notin(b)             | a notin (b)
        a in ()                | a in ()
        a in (,b,,)            | a in (,b)
        a=                     | a=
        a=,b                   | a=,b
        ! a                    | !a
        a > 1, b < 2           | a>1,b<2
        z,a notin (q),m!=3     | a notin (q),m!=3,z
        """)
    void labelSelector_toString_matchesKubernetes(String selector, String expected) {
        assertThat(LabelSelector.parse(selector)).hasToString(expected);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        =a           | found '=', expected: !, identifier, or 'end of string'
        ,a           | found ',', expected: !, identifier, or 'end of string'
        a,           | found '', expected: identifier after ','
        a,,b         | found ',', expected: identifier after ','
        a=b c        | found 'c', expected: ',' or 'end of string'
        !a=b         | found '=', expected: ',' or 'end of string'
        a=b=c        | found '=', expected: ',' or 'end of string'
        !            | unable to parse requirement: found '', expected: identifier
        !!a          | unable to parse requirement: found '!', expected: identifier
        a b          | unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt
        a (b)        | unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt
        a=(b)        | unable to parse requirement: found '(', expected: identifier
        a in b       | unable to parse requirement: found 'b' expected: '('
        a in         | unable to parse requirement: found '' expected: '('
        a in (       | unable to parse requirement: found '', expected: ',', ')' or identifier
        a in (=)     | unable to parse requirement: found '=', expected: ',', ')' or identifier
        a in (b      | unable to parse requirement: found '', expected: ',' or ')'
        a in (b c)   | unable to parse requirement: found 'c', expected: ',' or ')'
        a in (b,     | unable to parse requirement: found '', expected: ',', or identifier
        a>b          | unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer
        """)
    void labelSelector_invalid_isRejectedWithMessageOfKubernetes(String selector, String message) {
        assertThatThrownBy(() -> LabelSelector.parse(selector))
                .isInstanceOf(SelectorException.class)
                .hasMessage(message);
    }

    @Test
    void labelSelector_invalidKey_isRejected() {
        assertRejected("a_=b", "<nil>: Invalid value: \"a_\": name part " + NAME_RULE);
        assertRejected("/a", "<nil>: Invalid value: \"/a\": prefix part must be non-empty");
        assertRejected("a/", "<nil>: Invalid value: \"a/\": name part must be non-empty; name part " + NAME_RULE);
        assertRejected(
                "A.b/c",
                "<nil>: Invalid value: \"A.b/c\": prefix part a lowercase RFC 1123 subdomain must consist of lower case"
                        + " alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
                        + " (e.g. 'example.com', regex used for validation is"
                        + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
        assertRejected(
                "a/b/c",
                "<nil>: Invalid value: \"a/b/c\": a valid label key " + NAME_RULE
                        + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        String tooLong = "k".repeat(64);
        assertRejected(tooLong, "<nil>: Invalid value: \"" + tooLong + "\": name part must be no more than 63 bytes");
    }

    @Test
    void labelSelector_invalidValue_isRejected() {
        String rule =
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and"
                        + " must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or"
                        + " '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
        assertRejected("a=-", "values[0][a]: Invalid value: \"-\": " + rule);
        assertRejected("a in (b,_c)", "values[0][a]: Invalid value: \"_c\": " + rule);
        assertRejected(
                "a in (-,.)",
                "[values[0][a]: Invalid value: \"-\": " + rule + ", values[1][a]: Invalid value: \".\": " + rule + "]");
        String tooLong = "v".repeat(64);
        assertRejected(
                "a=" + tooLong, "values[0][a]: Invalid value: \"" + tooLong + "\": must be no more than 63 bytes");
    }

    private static void assertRejected(String selector, String message) {
        assertThatThrownBy(() -> LabelSelector.parse(selector))
                .isInstanceOf(SelectorException.class)
                .hasMessage("unable to parse requirement: " + message);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {}                                                                       | ``
        {"matchLabels":{"b":"2","a":"1"}}                                        | a=1,b=2
        {"matchExpressions":[{"key":"a","operator":"In","values":["z","y"]}]}    | a in (y,z)
        {"matchExpressions":[{"key":"a","operator":"NotIn","values":["z"]}]}     | a notin (z)
        {"matchExpressions":[{"key":"a","operator":"Exists"}]}                   | a
        {"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}             | !a
        {"matchLabels":{"b":"2"},"matchExpressions":[{"key":"a","operator":"Exists"}]} | a,b=2
        """)
    void labelSelector_ofObject_isRead(String json, String expected) throws IOException {
        assertThat(LabelSelector.ofObject(JSON.readTree(json))).hasToString(expected);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}      | "Gt" is not a valid label selector operator
        {"matchExpressions":[{"key":"a","operator":"In"}]}                     | values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty
        {"matchExpressions":[{"key":"a","operator":"Exists","values":["1"]}]}  | values: Invalid value: ["1"]: values set must be empty for exists and does not exist
        """)
    void labelSelector_ofObjectWithInvalidExpression_isRejected(String json, String message) {
        assertThatThrownBy(() -> LabelSelector.ofObject(JSON.readTree(json)))
                .isInstanceOf(SelectorException.class)
                .hasMessage(message);
    }

    @Test
    void labelSelector_objectWithoutLabels_matchesLikeEmptyLabels() {
        assertThat(LabelSelector.parse("a").matches(MissingNode.getInstance())).isFalse();
        assertThat(LabelSelector.parse("!a").matches(MissingNode.getInstance())).isTrue();
    }

    @Test
    void labelSelector_ofMissingNode_throws() {
        assertThatThrownBy(() -> LabelSelector.ofObject(MissingNode.getInstance()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Label selector must be a JSON object, got MISSING");
    }

    @Test
    void labelSelector_withoutRequirements_isEverything() {
        assertThat(LabelSelector.everything().isEverything()).isTrue();
        assertThat(LabelSelector.parse("")).isSameAs(LabelSelector.everything());
        assertThat(LabelSelector.parse("a").isEverything()).isFalse();
        assertThat(LabelSelector.parse("a=1")).isEqualTo(LabelSelector.parse(" a = 1 "));
    }
}
