package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ConfigMapRulesTest {
    private static final int MEBIBYTE = 1024 * 1024;

    private final RuleCases configMap = RuleCases.of(new ConfigMapRules(), """
        metadata: {name: settings, namespace: team}
        data: {colour: blue}
        binaryData: {logo: AAEC}
        """);

    @TestFactory
    Stream<DynamicTest> create_changedConfigMap_reportsViolations() {
        return configMap.creating("""
                                        => ok
            -data                       => ok
            data: {a/b: c}              => data[a/b]: Invalid value: "a/b": a valid config key must consist of…
            data: {..: c}               => data[..]: Invalid value: "..": must not be '..'
            binaryData: {a/b: AAEC}     => binaryData[a/b]: Invalid value: "a/b": a valid config key must consist of…
            binaryData: {colour: AAEC}  => [data[colour]: Invalid value: "colour": duplicate of key present in binaryData, binaryData[colour]: Invalid value: "colour": duplicate of key present in data]
            """);
    }

    @TestFactory
    Stream<DynamicTest> update_mutableConfigMap_allowsAllChanges() {
        return configMap.stored("").updating("""
            data: {colour: red}         => ok
            -binaryData                 => ok
            immutable: true             => ok
            """);
    }

    @TestFactory
    Stream<DynamicTest> update_immutableConfigMap_allowsMetadataOnly() {
        return configMap.stored("immutable: true").updating("""
            metadata.labels: {a: b}     => ok
            -immutable                  => immutable: Forbidden: field is immutable when `immutable` is set
            immutable: false            => immutable: Forbidden: field is immutable when `immutable` is set
            data: {colour: red}         => data: Forbidden: field is immutable when `immutable` is set
            data: {colour: blue, x: ""} => data: Forbidden: field is immutable when `immutable` is set
            -binaryData                 => binaryData: Forbidden: field is immutable when `immutable` is set
            """);
    }

    @Test
    void validate_moreThanOneMebibyte_isTooLong() {
        ObjectNode object = configMap.sent("-data ; -binaryData");
        object.putObject("data").put("a", "x".repeat(MEBIBYTE - 4));
        object.putObject("binaryData").put("b", Base64.getEncoder().encodeToString(new byte[4]));
        Violations fits = new Violations();
        new ConfigMapRules().validate(object, fits);
        object.putObject("binaryData").put("b", Base64.getEncoder().encodeToString(new byte[5]));
        Violations tooMuch = new Violations();
        new ConfigMapRules().validate(object, tooMuch);

        assertThat(fits.all()).isEmpty();
        assertThat(tooMuch.text()).isEqualTo("[]: Too long: may not be more than 1048576 bytes");
    }
}
