package dev.mooring.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.StdinSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ContainerSpecsTest {
    @TempDir
    Path directory;

    private ContainerSpecFixture fixture;

    @BeforeEach
    void prepare() {
        fixture = new ContainerSpecFixture(directory);
    }

    private ContainerSpec spec(String container) throws ConfigException, InterruptedException {
        return fixture.container(ContainerSpecFixture.pod("{}"), container, List.of())
                .spec();
    }

    @Test
    void spec_hasFieldsOfContainer() throws Exception {
        ContainerSpec spec = spec("{image: 'busybox', command: ['sh', '-c', 'echo $(A) $(B) $$(A)'], args: ['$(A)x'],"
                + " env: [{name: 'A', value: '1'}], workingDir: '/srv', lifecycle: {stopSignal: 'SIGUSR1'}}");

        assertThat(spec.name()).isEqualTo("mooring_c_web_shop_u1_0");
        assertThat(spec.image()).isEqualTo("sha256:1234");
        assertThat(spec.entrypoint()).containsExactly("sh", "-c", "echo 1 $(B) $(A)");
        assertThat(spec.args()).containsExactly("1x");
        assertThat(spec.environment()).containsExactly(Map.entry("A", "1"));
        assertThat(spec.workingDirectory()).isEqualTo("/srv");
        assertThat(spec.stopSignal()).isEqualTo("SIGUSR1");
        assertThat(spec.labels()).isEqualTo(ContainerSpecFixture.labels("c", 0).toLabels());
        assertThat(spec.stdinSettings()).isEqualTo(StdinSettings.NONE);
    }

    @Test
    void spec_unsetFields_areLeftToTheImage() throws Exception {
        ContainerSpec spec = spec("{image: 'busybox'}");

        assertThat(spec.entrypoint()).isEmpty();
        assertThat(spec.args()).isEmpty();
        assertThat(spec.environment()).isEmpty();
        assertThat(spec.workingDirectory()).isEmpty();
        assertThat(spec.stopSignal()).isEmpty();
        assertThat(spec.security().user()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {stdin: true}                             | true  | false | false
        {stdin: true, stdinOnce: true, tty: true} | true  | true  | true
        {tty: true}                               | false | false | true
        """)
    void spec_stdinAndTty_areAsRequested(String container, boolean stdin, boolean once, boolean tty) throws Exception {
        assertThat(spec(container).stdinSettings()).isEqualTo(new StdinSettings(stdin, once, tty));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {name: 'c', image: 'a'}                                          | {name: 'c', image: 'a', env: [{name: 'X'}]}  | same
        {name: 'c', image: 'a'}                                          | {image: 'a', name: 'c', command: ['x']}      | same
        {name: 'c', image: 'a'}                                          | {name: 'c', image: 'b'}                      | other
        {name: 'c', image: 'a'}                                          | {name: 'd', image: 'a'}                      | other
        """)
    void specHash_dependsOnNameAndImageOnly(String one, String two, String expected) {
        String first = ContainerSpecs.specHash(ContainerSpecFixture.json(one));
        String second = ContainerSpecs.specHash(ContainerSpecFixture.json(two));

        assertThat(first.equals(second) ? "same" : "other").isEqualTo(expected);
        assertThat(first).matches("[0-9a-f]{16}");
    }

    @Test
    void specHash_staysTheSameAcrossVersions() {
        // Running containers are labelled with the hash: if an update changed it, all of them would restart.
        JsonNode container = ContainerSpecFixture.json("{name: 'web', image: 'nginx:1.27'}");

        assertThat(ContainerSpecs.specHash(container)).isEqualTo("d518b673e1fd9e06");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        {}                                                    | false
        {terminationMessagePolicy: 'File'}                    | false
        {terminationMessagePolicy: 'FallbackToLogsOnError'}   | true
        """)
    void fallsBackToLogs_policyFallbackToLogsOnError_isTrue(String container, boolean expected) {
        assertThat(ContainerSpecs.fallsBackToLogs(ContainerSpecFixture.json(container)))
                .isEqualTo(expected);
    }

    private static String lines(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());
    }

    @Test
    void logTail_manyLines_hasLast80() {
        assertThat(ContainerSpecs.logTail("")).isEmpty();
        assertThat(ContainerSpecs.logTail("\n")).isEqualTo("\n");
        assertThat(ContainerSpecs.logTail("one")).isEqualTo("one");
        assertThat(ContainerSpecs.logTail(lines(0, 80))).isEqualTo(lines(0, 80));
        assertThat(ContainerSpecs.logTail(lines(0, 81))).isEqualTo(lines(1, 81));
        assertThat(ContainerSpecs.logTail(lines(0, 200) + "end")).isEqualTo(lines(121, 200) + "end");
    }

    @Test
    void logTail_longLine_hasLast2048BytesWithoutPartialCharacter() {
        assertThat(ContainerSpecs.logTail("a" + "b".repeat(2048))).isEqualTo("b".repeat(2048));

        String shown = ContainerSpecs.logTail("€".repeat(1000));

        assertThat(shown.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(2048);
        assertThat(shown).isEqualTo("€".repeat(682));
    }
}
