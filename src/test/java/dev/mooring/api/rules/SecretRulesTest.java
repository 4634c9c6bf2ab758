package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class SecretRulesTest {
    private final RuleCases secret = RuleCases.of(new SecretRules(), """
        metadata: {name: creds, namespace: team}
        data: {user: bWU=}
        """);

    @TestFactory
    Stream<DynamicTest> create_changedSecret_reportsViolations() {
        return secret.creating("""
                                                                                  => ok
            -data                                                                 => ok
            data: {a/b: bWU=}                                                     => data[a/b]: Invalid value: "a/b": a valid config key must consist of…
            stringData: {a/b: me}                                                 => data[a/b]: Invalid value: "a/b": a valid config key must consist of…
            type: example.com/own                                                 => ok
            type: kubernetes.io/service-account-token                             => metadata.annotations[kubernetes.io/service-account.name]: Required value
            type: kubernetes.io/service-account-token ; metadata.annotations: {kubernetes.io/service-account.name: me} => ok
            type: kubernetes.io/dockercfg                                         => data[.dockercfg]: Required value
            type: kubernetes.io/dockercfg ; stringData: {.dockercfg: "{}"}        => ok
            type: kubernetes.io/dockercfg ; data: {.dockercfg: "%"}               => data[.dockercfg]: Invalid value: "<secret contents redacted>": invalid base64
            type: kubernetes.io/dockercfg ; stringData: {.dockercfg: "{"}         => data[.dockercfg]: Invalid value: "<secret contents redacted>": invalid JSON
            type: kubernetes.io/dockercfg ; stringData: {.dockercfg: "[]"}        => data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}
            type: kubernetes.io/dockerconfigjson                                  => data[.dockerconfigjson]: Required value
            type: kubernetes.io/dockerconfigjson ; stringData: {.dockerconfigjson: "{}"} => ok
            type: kubernetes.io/dockerconfigjson ; stringData: {.dockerconfigjson: "{} x"} => data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid JSON
            type: kubernetes.io/basic-auth                                        => [data[username]: Required value, data[password]: Required value]
            type: kubernetes.io/basic-auth ; stringData: {password: x}            => ok
            type: kubernetes.io/ssh-auth                                          => data[ssh-privatekey]: Required value
            type: kubernetes.io/ssh-auth ; stringData: {ssh-privatekey: ""}       => data[ssh-privatekey]: Required value
            type: kubernetes.io/ssh-auth ; stringData: {ssh-privatekey: x}        => ok
            type: kubernetes.io/tls                                               => [data[tls.crt]: Required value, data[tls.key]: Required value]
            type: kubernetes.io/tls ; stringData: {tls.crt: x, tls.key: ""}       => ok
            """);
    }

    @TestFactory
    Stream<DynamicTest> update_type_isImmutable() {
        return secret.stored("type: example.com/own").updating("""
            data: {user: eW91}       => ok
            -type                    => ok
            type: ""                 => ok
            type: Opaque             => type: Invalid value: "Opaque": field is immutable
            """);
    }

    @TestFactory
    Stream<DynamicTest> update_immutableSecret_allowsNoChange() {
        return secret.stored("immutable: true").updating("""
            stringData: {user: me}   => ok
            stringData: {user: you}  => data: Forbidden: field is immutable when `immutable` is set
            -data                    => data: Forbidden: field is immutable when `immutable` is set
            -immutable               => immutable: Forbidden: field is immutable when `immutable` is set
            """);
    }

    @Test
    void create_stringData_isMovedToData() {
        ObjectNode expected = secret.sent("type: Opaque ; data: {user: w6RiYw==, key: a2V5}");

        assertThat(secret.created("data: {user: bWU=, key: a2V5} ; stringData: {user: äbc}"))
                .isEqualTo(expected);
        assertThat(secret.stored("").updated("stringData: {user: äbc, key: key}"))
                .isEqualTo(expected);
        assertThat(secret.created("stringData: {}")).isEqualTo(secret.sent("type: Opaque"));
    }

    @Test
    void validate_moreThanOneMebibyte_isTooLong() {
        ObjectNode object = secret.created("");
        object.putObject("data").put("a", Base64.getEncoder().encodeToString(new byte[1024 * 1024]));
        Violations fits = new Violations();
        new SecretRules().validate(object, fits);
        object.putObject("data").put("a", Base64.getEncoder().encodeToString(new byte[1024 * 1024 + 1]));
        Violations tooMuch = new Violations();
        new SecretRules().validate(object, tooMuch);

        assertThat(fits.all()).isEmpty();
        assertThat(tooMuch.text()).isEqualTo("data: Too long: may not be more than 1048576 bytes");
    }
}
