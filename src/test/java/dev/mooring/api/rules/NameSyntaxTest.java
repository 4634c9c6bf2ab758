package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests name checks. Each line: a name, {@code =>}, the expected errors. {@code x*64} is the letter 64 times. */
class NameSyntaxTest {
    private static final String SUBDOMAIN =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    private static final String LABEL =
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
                    + " end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    private static final String LABEL_1035 =
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
                + " character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for"
                + " validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    private static final String KEY =
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
                    + " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    private static final String VALUE =
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                + " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex"
                + " used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    private static final String CONFIG_KEY =
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
                    + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

    @TestFactory
    Stream<DynamicTest> dns1123Subdomain_name_reportsErrors() {
        return names(NameSyntax::dns1123Subdomain, """
            a              =>
            a-b.c-1.2      =>
            x*253          =>
            x*254          => must be no more than 253 characters
            Bad_Name       => SUBDOMAIN
            a..b           => SUBDOMAIN
            .a             => SUBDOMAIN
            a.             => SUBDOMAIN
            -a             => SUBDOMAIN
            a-             => SUBDOMAIN
            a.-b           => SUBDOMAIN
            ä              => SUBDOMAIN
                           => SUBDOMAIN
            """);
    }

    @TestFactory
    Stream<DynamicTest> dns1123Label_name_reportsErrors() {
        return names(NameSyntax::dns1123Label, """
            team-1         =>
            1              =>
            x*63           =>
            x*64           => must be no more than 63 characters
            a.b            => must not contain dots
            A              => LABEL
            a-             => LABEL
                           => LABEL
            """);
    }

    @TestFactory
    Stream<DynamicTest> dns1035Label_name_reportsErrors() {
        return names(NameSyntax::dns1035Label, """
            web-1          =>
            x*64           => must be no more than 63 characters
            1web           => LABEL_1035
            a.b            => LABEL_1035
                           => LABEL_1035
            """);
    }

    @TestFactory
    Stream<DynamicTest> qualifiedName_name_reportsErrors() {
        return names(NameSyntax::qualifiedName, """
            Name             =>
            my.name_1-a      =>
            example.com/Name =>
            x*63             =>
            x*64             => name part must be no more than 63 characters
            a b              => name part KEY
            a/               => name part must be non-empty; name part KEY
            /a               => prefix part must be non-empty
            A_/b             => prefix part SUBDOMAIN
            a/b/c            => a valid label key KEY with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')
                             => name part must be non-empty; name part KEY
            """);
    }

    @TestFactory
    Stream<DynamicTest> labelValue_value_reportsErrors() {
        return names(NameSyntax::labelValue, """
                           =>
            My_value.1     =>
            x*63           =>
            x*64           => must be no more than 63 characters
            a b            => VALUE
            -a             => VALUE
            a/b            => VALUE
            """);
    }

    @TestFactory
    Stream<DynamicTest> configMapKey_key_reportsErrors() {
        return names(NameSyntax::configMapKey, """
            .dockercfg     =>
            A_b-c.d        =>
            x*253          =>
            x*254          => must be no more than 253 characters
            a/b            => CONFIG_KEY
                           => CONFIG_KEY
            .              => must not be '.'
            ..             => must not be '..'
            ..a            => must not start with '..'
            """);
    }

    @TestFactory
    Stream<DynamicTest> environmentPathAndPortNames_name_reportsErrors() {
        return Stream.of(
                        names(NameSyntax::environmentName, """
                            A_B.c-1 =>
                            1       =>
                            a b!    =>
                            a=b     => a valid environment variable name must consist only of printable ASCII characters other than '='
                            ä       => a valid environment variable name must consist only of printable ASCII characters other than '='
                                    => environment variable name must be non-empty
                            """),
                        names(NameSyntax::pathSegment, """
                            a:b     =>
                            .       => may not be '.'
                            ..      => may not be '..'
                            a/b%c   => may not contain '/'; may not contain '%'
                            """),
                        names(NameSyntax::portName, """
                            http-1  =>
                            x*16    => must be no more than 15 characters
                            a_b     => must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)
                            80      => must contain at least one letter (a-z)
                            a--b    => must not contain consecutive hyphens
                            a-      => must not begin or end with a hyphen
                            """))
                .flatMap(each -> each);
    }

    @Test
    void isUid_text_acceptsUuidFormatOnly() {
        assertThat(NameSyntax.isUid("0a1b2c3d-0000-4fff-8000-0123456789AB")).isTrue();
        assertThat(NameSyntax.isUid("0a1b2c3d-0000-4fff-8000-0123456789A")).isFalse();
        assertThat(NameSyntax.isUid("0a1b2c3d00000-4fff-8000-0123456789AB")).isFalse();
        assertThat(NameSyntax.isUid("0a1b2c3g-0000-4fff-8000-0123456789AB")).isFalse();
    }

    @Test
    void nameChecks_allShortNames_matchRegularExpressions() {
        Pattern subdomain = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
        Pattern key = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
        String alphabet = "a0-.A_";
        for (int number = 0; number < 6 * 6 * 6 * 6; number++) {
            StringBuilder name = new StringBuilder();
            for (int rest = number; rest > 0; rest /= 6) {
                name.append(alphabet.charAt(rest % 6));
            }
            String text = name.toString();
            assertThat(NameSyntax.dns1123Subdomain(text).isEmpty())
                    .as(text)
                    .isEqualTo(subdomain.matcher(text).matches());
            assertThat(NameSyntax.qualifiedName(text).isEmpty())
                    .as(text)
                    .isEqualTo(key.matcher(text).matches());
        }
    }

    private static Stream<DynamicTest> names(Function<String, List<String>> check, String table) {
        return table.lines().map(line -> {
            String[] parts = line.split("=>", 2);
            String name = parts[0].strip();
            String text = name.startsWith("x*") ? "x".repeat(Integer.parseInt(name.substring(2))) : name;
            String expected = parts[1].strip()
                    .replace("SUBDOMAIN", SUBDOMAIN)
                    .replace("CONFIG_KEY", CONFIG_KEY)
                    .replace("LABEL_1035", LABEL_1035)
                    .replaceAll("\\bLABEL\\b", Matcher.quoteReplacement(LABEL))
                    .replaceAll("\\bKEY\\b", Matcher.quoteReplacement(KEY))
                    .replaceAll("\\bVALUE\\b", Matcher.quoteReplacement(VALUE));
            return DynamicTest.dynamicTest(
                    line, () -> assertThat(String.join("; ", check.apply(text))).isEqualTo(expected));
        });
    }
}
