package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class StorageClassRulesTest {
    private final RuleCases storageClass = RuleCases.of(new StorageClassRules(), """
        metadata: {name: fast}
        provisioner: vendor.example/disk
        parameters: {kind: ssd}
        """);

    @TestFactory
    Stream<DynamicTest> create_changedClass_reportsViolations() {
        return storageClass.creating("""
                                                    => ok
            -parameters                             => ok
            provisioner: kubernetes.io/NO-provisioner => ok
            -provisioner                            => provisioner: Required value
            provisioner: a b                        => provisioner: Invalid value: "a b": name part must consist of…
            parameters: {"": x}                     => parameters: Invalid value: "": field can not be empty.
            reclaimPolicy: Retain                   => ok
            reclaimPolicy: Recycle                  => reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"
            volumeBindingMode: WaitForFirstConsumer => ok
            volumeBindingMode: Later                => volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"
            volumeBindingMode: ""                   => volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"
            allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, b]}, {key: rack, values: [a]}]}, {matchLabelExpressions: [{key: zone, values: [c]}]}] => ok
            allowedTopologies: [{matchLabelExpressions: [{key: zone}]}]                => allowedTopologies[0].matchLabelExpressions[0].values: Required value
            allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, a]}]}] => allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"
            allowedTopologies: [{matchLabelExpressions: [{key: a b, values: [a]}]}]    => allowedTopologies[0].matchLabelExpressions[0].key: Invalid value: "a b": name part must consist of…
            allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}, {key: zone, values: [b]}]}] => allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"
            allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}, {matchLabelExpressions: [{key: zone, values: [a]}]}] => allowedTopologies[1].matchLabelExpressions: Duplicate value: ""
            """);
    }

    @TestFactory
    Stream<DynamicTest> create_unusableParametersOfMooring_reportsViolations() {
        return RuleCases.of(new StorageClassRules(), """
            metadata: {name: ours}
            provisioner: mooring.dev/hostpath
            """).creating("""
                                                          => ok
                parameters: {createMissingVolume: "true"} => ok
                parameters: {pathPattern: "../x"}         => parameters[pathPattern]: Invalid value: "../x": …
                parameters: {pathpattern: a}              => parameters[pathpattern]: Invalid value: "a": unknown parameter of mooring.dev/hostpath; did you mean "pathPattern"?
                parameters: {mode: "999", uid: x}         => [parameters[mode]: Invalid value: "999": …
                parameters: {onDelete: retain} ; reclaimPolicy: Retain => parameters[onDelete]: Invalid value: "retain": has no effect with reclaimPolicy Retain…
                provisioner: mooring.dev/tape             => provisioner: Invalid value: "mooring.dev/tape": is not a provisioner of Mooring; …
                provisioner: vendor.example/x ; parameters: {pathpattern: a} => ok
                """);
    }

    /** Classes that were created before parameters were checked stay usable. */
    @TestFactory
    Stream<DynamicTest> update_existingClassWithInvalidParameters_isAllowed() {
        return RuleCases.of(new StorageClassRules(), """
            metadata: {name: ours}
            provisioner: mooring.dev/tape
            parameters: {speed: fast}
            """).stored("").updating("allowVolumeExpansion: true => ok");
    }

    @TestFactory
    Stream<DynamicTest> update_class_allowsOnlyMutableFields() {
        return storageClass.stored("").updating("""
                                                       => ok
            allowVolumeExpansion: true                 => ok
            mountOptions: [ro]                         => ok
            allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}] => ok
            provisioner: x.example/y                   => provisioner: Forbidden: updates to provisioner are forbidden.
            parameters: {kind: disk}                   => parameters: Forbidden: updates to parameters are forbidden.
            parameters: {kind: ssd, size: ""}          => parameters: Forbidden: updates to parameters are forbidden.
            -parameters                                => parameters: Forbidden: updates to parameters are forbidden.
            reclaimPolicy: Retain                      => reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.
            volumeBindingMode: WaitForFirstConsumer    => volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable
            """);
    }

    @Test
    void create_setsDefaults() {
        assertThat(storageClass.created(""))
                .isEqualTo(storageClass.sent("reclaimPolicy: Delete ; volumeBindingMode: Immediate"));
        assertThat(storageClass
                        .created("reclaimPolicy: Retain")
                        .get("reclaimPolicy")
                        .textValue())
                .isEqualTo("Retain");
    }

    @Test
    void validate_tooManyOrTooLargeParameters_isTooLong() {
        ObjectNode many = storageClass.created("");
        ObjectNode large = storageClass.created("");
        for (int i = 0; i < 512; i++) {
            ((ObjectNode) many.get("parameters")).put("p" + i, "");
        }
        ((ObjectNode) large.get("parameters")).put("p", "x".repeat(256 * 1024));

        assertThat(violations(many)).isEqualTo("parameters: Too long: may not be more than 512 bytes");
        assertThat(violations(large)).isEqualTo("parameters: Too long: may not be more than 262144 bytes");
    }

    private static String violations(ObjectNode object) {
        Violations violations = new Violations();
        new StorageClassRules().validate(object, violations);
        return violations.text();
    }
}
