package dev.mooring.api.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class MetadataRulesTest {
    private static final MetadataRules NAMESPACED = MetadataRules.namespaced(NameStyle.SUBDOMAIN);

    private static final String STORED = """
        name: data
        namespace: team
        uid: 0a1b2c3d-0000-4fff-8000-0123456789ab
        creationTimestamp: 2026-01-31T12:00:00Z
        """;

    @TestFactory
    Stream<DynamicTest> create_metadata_reportsViolations() {
        return creating(NAMESPACED, """
            {name: data, namespace: team}                                    => ok
            {namespace: team}                                                => metadata.name: Required value: name or generateName is required
            {name: "", namespace: team}                                      => metadata.name: Required value: name or generateName is required
            {name: Bad_Name, namespace: team}                                => metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
            {name: data-x, generateName: data-, namespace: team}             => ok
            {name: data-x, generateName: Data-, namespace: team}             => metadata.generateName: Invalid value: "Data-": a lowercase RFC 1123 subdomain…
            {name: data}                                                     => metadata.namespace: Required value
            {name: data, namespace: a.b}                                     => metadata.namespace: Invalid value: "a.b": must not contain dots
            {name: data, namespace: team, labels: {a/b: c, d: ""}}           => ok
            {name: data, namespace: team, labels: {a b: c}}                  => metadata.labels: Invalid value: "a b": name part must consist of…
            {name: data, namespace: team, labels: {a: b c}}                  => metadata.labels: Invalid value: "b c": a valid label must be…
            {name: data, namespace: team, annotations: {Example.COM/a: any thing at all}} => ok
            {name: data, namespace: team, annotations: {a b: c}}             => metadata.annotations: Invalid value: "a b": name part must consist of…
            {name: data, namespace: team, finalizers: [example.com/a, b]}    => ok
            {name: data, namespace: team, finalizers: [a b]}                 => metadata.finalizers: Invalid value: "a b": name part must consist of…
            {name: data, namespace: team, finalizers: [orphan, foregroundDeletion]} => metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set
            {name: data, namespace: team, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}, {apiVersion: v1, kind: Pod, name: q, uid: v}]} => ok
            {name: data, namespace: team, ownerReferences: [{}]}             => [metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty, metadata.ownerReferences.kind: Invalid value: "": must not be empty, metadata.ownerReferences.name: Invalid value: "": must not be empty, metadata.ownerReferences.uid: Invalid value: "": must not be empty]
            {name: data, namespace: team, ownerReferences: [{apiVersion: v1, kind: Event, name: p, uid: u}]} => metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: /v1, Kind=Event is disallowed from being an owner
            {name: data, namespace: team, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}, {apiVersion: v1, kind: Pod, name: q, uid: v, controller: true}]} => metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q
            {name: data, namespace: team, managedFields: [{manager: kubectl, operation: Apply, fieldsType: FieldsV1}]} => ok
            {name: data, namespace: team, managedFields: [{manager: kubectl, operation: Write}]} => metadata.managedFields[0].operation: Invalid value: "Write": must be `Apply` or `Update`
            {name: data, namespace: team, managedFields: [{manager: kubectl, operation: Update, fieldsType: FieldsV2}]} => metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`
            {name: data, namespace: team, managedFields: [{manager: "a\\tb", operation: Update}]} => metadata.managedFields[0].manager: Invalid value: "a\\tb": invalid character U+0009 (at position 1)
            """);
    }

    @TestFactory
    Stream<DynamicTest> create_nameStyleOfKind_isChecked() {
        return Stream.of(
                        creating(MetadataRules.clusterWide(NameStyle.LABEL), """
                            {name: team}                  => ok
                            {name: a.b}                   => metadata.name: Invalid value: "a.b": must not contain dots
                            {name: a, namespace: b}       => metadata.namespace: Forbidden: not allowed on this type
                            """),
                        creating(MetadataRules.clusterWide(NameStyle.STORAGE_CLASS), """
                            {name: hostPath}              => ok
                            {name: slow.example.com}      => ok
                            {name: hostPort}              => metadata.name: Invalid value: "hostPort": a lowercase…
                            """),
                        creating(MetadataRules.clusterWide(NameStyle.LABEL_1035), """
                            {name: a1}                    => ok
                            {name: 1a}                    => metadata.name: Invalid value: "1a": a DNS-1035 label…
                            """),
                        creating(MetadataRules.clusterWide(NameStyle.PATH_SEGMENT), """
                            {name: "system:Node"}         => ok
                            {name: ..}                    => metadata.name: Invalid value: "..": may not be '..'
                            {name: a, generateName: .}    => ok
                            """))
                .flatMap(each -> each);
    }

    @TestFactory
    Stream<DynamicTest> update_metadata_reportsImmutableFields() {
        return updating("", """
                                                     => ok
            labels: {a: b}                           => ok
            finalizers: [example.com/a]              => ok
            name: other                              => metadata.name: Invalid value: "other": field is immutable
            namespace: other                         => metadata.namespace: Invalid value: "other": field is immutable
            uid: other                               => metadata.uid: Invalid value: "other": field is immutable
            creationTimestamp: 2027-01-31T12:00:00Z  => metadata.creationTimestamp: Invalid value: "2027-01-31T12:00:00Z": field is immutable
            deletionTimestamp: 2027-01-31T12:00:00Z  => metadata.deletionTimestamp: Invalid value: "2027-01-31T12:00:00Z": field is immutable
            deletionGracePeriodSeconds: 5            => metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable
            labels: {a b: c}                         => metadata.labels: Invalid value: "a b": name part must consist of…
            finalizers: [a b]                        => metadata.finalizers: Invalid value: "a b": name part must consist of…
            generateName: "-1"                       => metadata.generateName: Invalid value: "-1": a lowercase…
            """);
    }

    @TestFactory
    Stream<DynamicTest> update_objectBeingDeleted_allowsNoNewFinalizers() {
        return updating("deletionTimestamp: 2026-02-01T12:00:00Z\nfinalizers: [example.com/a, example.com/b]\n", """
                                                                    => ok
            finalizers: [example.com/b]                             => ok
            -finalizers                                             => ok
            finalizers: [example.com/a, example.com/d, example.com/c] => metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/c", "example.com/d"}
            deletionTimestamp: 2027-02-01T12:00:00Z                 => ok
            -deletionTimestamp                                      => ok
            """);
    }

    @Test
    void prepareForUpdate_systemFieldsOmitted_keepsStoredOnes() {
        ObjectNode before = RuleCases.object(
                "metadata:\n" + STORED.indent(2) + "  deletionTimestamp: x\n  deletionGracePeriodSeconds: 0\n");
        ObjectNode next = RuleCases.object("metadata: {name: data, namespace: team, uid: '', creationTimestamp: null}");

        MetadataRules.prepareForUpdate(next, before);

        assertThat(next).isEqualTo(before);
    }

    @Test
    void validate_tooLongAnnotationsOrManagers_reportsViolations() {
        ObjectNode object = RuleCases.object("metadata: {name: data, namespace: team, annotations: {a: b}}");
        ((ObjectNode) object.at("/metadata/annotations")).put("b", "ä".repeat(128 * 1024));
        ((ObjectNode) object.get("metadata"))
                .putArray("managedFields")
                .addObject()
                .put("operation", "Apply")
                .put("manager", "m".repeat(129))
                .put("subresource", "s".repeat(257));
        Violations violations = new Violations();
        NAMESPACED.validate(object, violations);

        assertThat(violations.text())
                .isEqualTo("[metadata.annotations: Too long: may not be more than 262144 bytes,"
                        + " metadata.managedFields[0].manager: Too long: may not be more than 128 bytes,"
                        + " metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes]");
    }

    private static Stream<DynamicTest> creating(MetadataRules rules, String table) {
        return RuleCases.cases(table, metadata -> {
            Violations violations = new Violations();
            rules.validate(RuleCases.object("metadata: " + metadata), violations);
            return violations;
        });
    }

    private static Stream<DynamicTest> updating(String more, String table) {
        RuleCases stored = RuleCases.of((object, violations) -> {}, "metadata:\n" + (STORED + more).indent(2));
        return RuleCases.cases(table, change -> {
            Violations violations = new Violations();
            ObjectNode before = stored.sent("");
            ObjectNode next = stored.sent(
                    change.isEmpty()
                            ? ""
                            : change.startsWith("-") ? "-metadata." + change.substring(1) : "metadata." + change);
            MetadataRules.prepareForUpdate(next, before);
            NAMESPACED.validateUpdate(next, before, violations);
            return violations;
        });
    }
}
