package dev.mooring.api.rules.pod;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class EnvironmentRulesTest {
    private static final String SUBDOMAIN =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    @TestFactory
    Stream<DynamicTest> env_nameAndSource_areChecked() {
        return PodRuleCases.validated("""
            container {env: [{name: A, value: x}, {name: b.c-d, value: ''}, {name: B, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]}
            => ok

            container {env: [{value: x}]}
            => spec.containers[0].env[0].name: Required value

            container {env: [{name: A=B}]}
            => spec.containers[0].env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '='

            container {env: [{name: A, valueFrom: {}}]}
            => spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`

            container {env: [{name: A, value: x, valueFrom: {secretKeyRef: {name: s, key: k}}}]}
            => spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty

            container {env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}, configMapKeyRef: {name: s, key: k}}}]}
            => spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time

            container {env: [{name: A, valueFrom: {secretKeyRef: {name: S}}}, {name: B, valueFrom: {configMapKeyRef: {name: s, key: '..'}}}]}
            => spec.containers[0].env[0].valueFrom.secretKeyRef.name: Invalid value: "S": %s
            => spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value
            => spec.containers[0].env[1].valueFrom.configMapKeyRef.key: Invalid value: "..": must not be '..'
            """.formatted(SUBDOMAIN));
    }

    @TestFactory
    Stream<DynamicTest> env_fieldReferences_areChecked() {
        return PodRuleCases.validated("""
            container {env: [{name: A, valueFrom: {fieldRef: {fieldPath: "metadata.labels['app']"}}}, {name: B, valueFrom: {resourceFieldRef: {resource: requests.cpu, divisor: 1m}}}, {name: C, valueFrom: {resourceFieldRef: {resource: limits.hugepages-2Mi}}}]}
            => ok

            container {env: [{name: A, valueFrom: {fieldRef: {}}}, {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name, apiVersion: v2}}}]}
            => spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Required value
            => spec.containers[0].env[1].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2

            container {env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.colour}}}, {name: B, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}]}
            => spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.colour": error converting fieldPath: field label not supported: spec.colour
            => spec.containers[0].env[1].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"

            container {env: [{name: A, valueFrom: {fieldRef: {fieldPath: "metadata.name['x']"}}}, {name: B, valueFrom: {fieldRef: {fieldPath: "metadata.labels['']"}}}]}
            => spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name['x']": error converting fieldPath: field label does not support subscript: metadata.name['x']
            => spec.containers[0].env[1].valueFrom.fieldRef: Invalid value: "": name part must be non-empty
            => spec.containers[0].env[1].valueFrom.fieldRef: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')

            container {env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.gpu}}}, {name: B, valueFrom: {resourceFieldRef: {}}}]}
            => spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"
            => spec.containers[0].env[1].valueFrom.resourceFieldRef.resource: Required value

            container {env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 2}}}, {name: B, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 3Mi}}}]}
            => spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource
            => spec.containers[0].env[1].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.memory": only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource
            """);
    }

    @TestFactory
    Stream<DynamicTest> env_fileKeyRef_requiresEmptyDirVolume() {
        return PodRuleCases.validated("""
            spec {volumes: [{name: v}]}
            container {env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: f, key: K}}}]}
            => ok

            spec {volumes: [{name: v, hostPath: {path: /v}}]}
            container {env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: ../f}}}, {name: B, valueFrom: {fileKeyRef: {volumeName: w, path: f, key: K}}}]}
            => spec.containers[0].env[0].valueFrom.fileKeyRef.key: Required value
            => spec.containers[0].env[0].valueFrom.fileKeyRef.path: Invalid value: "../f": must not contain '..'
            => spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: Invalid value: "v": referenced volume must be of type emptyDir
            => spec.containers[0].env[1].valueFrom.fileKeyRef.volumeName: Not found: "w"
            """);
    }

    @TestFactory
    Stream<DynamicTest> envFrom_sources_areChecked() {
        return PodRuleCases.validated("""
            container {envFrom: [{prefix: X_, configMapRef: {name: a}}, {secretRef: {name: b}}]}
            => ok

            container {envFrom: [{prefix: '=', configMapRef: {}}]}
            => spec.containers[0].envFrom[0].prefix: Invalid value: "=": a valid environment variable name must consist only of printable ASCII characters other than '='
            => spec.containers[0].envFrom[0].configMapRef.name: Required value

            container {envFrom: [{}]}
            => spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`

            container {envFrom: [{configMapRef: {name: a}, secretRef: {name: b}}]}
            => spec.containers[0].envFrom: Invalid value: "": may not have more than one field specified at a time
            """);
    }
}
