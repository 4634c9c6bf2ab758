package dev.mooring.api.rules.pod;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class ContainerRulesTest {
    @TestFactory
    Stream<DynamicTest> containers_nameImageAndPolicies_areChecked() {
        return PodRuleCases.validated("""
            container {image: busybox:1}
            => ok

            spec {containers: []}
            => spec.containers: Required value

            spec {containers: [{}]}
            => spec.containers[0].name: Required value
            => spec.containers[0].image: Required value

            container {name: a.b}
            => spec.containers[0].name: Invalid value: "a.b": must not contain dots

            container {image: ' busybox'}
            => spec.containers[0].image: Invalid value: " busybox": must not have leading or trailing whitespace

            spec {containers: [{name: a, image: b}, {name: a, image: b}]}
            => spec.containers[1].name: Duplicate value: "a"

            init {name: c}
            => spec.initContainers[0].name: Duplicate value: "c"

            container {imagePullPolicy: Sometimes}
            => spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"

            container {terminationMessagePolicy: Logs}
            => spec.containers[0].terminationMessagePolicy: Unsupported value: "Logs": supported values: "File", "FallbackToLogsOnError"

            container {resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]}
            => ok

            spec {restartPolicy: Never}
            container {resizePolicy: [{resourceName: cpu, restartPolicy: RestartContainer}, {resourceName: cpu, restartPolicy: NotRequired}, {resourceName: disk}]}
            => spec.containers[0].resizePolicy: Invalid value: "RestartContainer": must be 'NotRequired' when pod `restartPolicy` is 'Never'
            => spec.containers[0].resizePolicy[1]: Duplicate value: "cpu"
            => spec.containers[0].resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"
            => spec.containers[0].resizePolicy: Required value
            => spec.containers[0].resizePolicy: Invalid value: "": must be 'NotRequired' when pod `restartPolicy` is 'Never'
            """);
    }

    @TestFactory
    Stream<DynamicTest> containers_restartPolicy_isAllowedForSidecarsOnly() {
        return PodRuleCases.validated("""
            init {restartPolicy: Always, readinessProbe: {exec: {command: [x]}}, lifecycle: {preStop: {exec: {command: [x]}}}}
            => ok

            container {restartPolicy: Always}
            => spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers

            init {restartPolicy: OnFailure}
            => spec.initContainers[0].restartPolicy: Unsupported value: "OnFailure": supported values: "Always"

            init {readinessProbe: {exec: {command: [x]}}, lifecycle: {}}
            => spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always
            => spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always

            init {restartPolicy: Always, livenessProbe: {}}
            => spec.initContainers[0].livenessProbe: Required value: must specify a handler type

            container {restartPolicyRules: [{action: Restart}]}
            => spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used
            """);
    }

    @TestFactory
    Stream<DynamicTest> ephemeralContainers_unsupportedFields_areForbidden() {
        return PodRuleCases.validated("""
            spec {ephemeralContainers: [{name: e, image: busybox, targetContainerName: c}]}
            => ok

            spec {ephemeralContainers: [{name: c, image: busybox, targetContainerName: d}]}
            => spec.ephemeralContainers[0].name: Duplicate value: "c"
            => spec.ephemeralContainers[0].targetContainerName: Not found: "d"

            spec {ephemeralContainers: [{name: e, image: busybox, ports: [{containerPort: 1}], resources: {limits: {cpu: 1}}, livenessProbe: {}}]}
            => spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container
            => spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container
            => spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container

            spec {volumes: [{name: v}], ephemeralContainers: [{name: e, image: busybox, volumeMounts: [{name: v, mountPath: /v, subPath: s}]}]}
            => spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container
            """);
    }

    @TestFactory
    Stream<DynamicTest> containers_ports_areCheckedAndUnique() {
        return PodRuleCases.validated("""
            container {ports: [{name: http, containerPort: 80, hostPort: 8080}, {containerPort: 53, protocol: UDP}]}
            => ok

            container {ports: [{}]}
            => spec.containers[0].ports[0].containerPort: Required value

            container {ports: [{containerPort: 65536, hostPort: -1, protocol: ICMP}]}
            => spec.containers[0].ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive
            => spec.containers[0].ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive
            => spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"

            container {ports: [{name: a, containerPort: 1}, {name: a, containerPort: 2}, {name: '80', containerPort: 3}]}
            => spec.containers[0].ports[1].name: Duplicate value: "a"
            => spec.containers[0].ports[2].name: Invalid value: "80": must contain at least one letter (a-z)

            spec {containers: [{name: a, image: b, ports: [{containerPort: 1, hostPort: 7}]}, {name: c, image: b, ports: [{containerPort: 2, hostPort: 7}]}]}
            => spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//7"

            spec {hostNetwork: true}
            container {ports: [{containerPort: 80}]}
            => ok

            spec {hostNetwork: true}
            container {ports: [{containerPort: 80, hostPort: 81}]}
            => spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true
            """);
    }

    @TestFactory
    Stream<DynamicTest> containers_probes_areChecked() {
        return PodRuleCases.validated("""
            container {livenessProbe: {httpGet: {port: http}}, readinessProbe: {tcpSocket: {port: 80}, successThreshold: 2}, startupProbe: {grpc: {port: 9}}}
            => ok

            container {livenessProbe: {}}
            => spec.containers[0].livenessProbe: Required value: must specify a handler type

            container {livenessProbe: {exec: {}, tcpSocket: {port: 1}}}
            => spec.containers[0].livenessProbe.exec.command: Required value
            => spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type

            container {livenessProbe: {exec: {command: [x]}, successThreshold: 2}, startupProbe: {exec: {command: [x]}, successThreshold: 3}}
            => spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1
            => spec.containers[0].startupProbe.successThreshold: Invalid value: 3: must be 1

            container {readinessProbe: {exec: {command: [x]}, initialDelaySeconds: -1, timeoutSeconds: -2, periodSeconds: -3, successThreshold: -4, failureThreshold: -5, terminationGracePeriodSeconds: 0}}
            => spec.containers[0].readinessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0
            => spec.containers[0].readinessProbe.timeoutSeconds: Invalid value: -2: must be greater than or equal to 0
            => spec.containers[0].readinessProbe.periodSeconds: Invalid value: -3: must be greater than or equal to 0
            => spec.containers[0].readinessProbe.successThreshold: Invalid value: -4: must be greater than or equal to 0
            => spec.containers[0].readinessProbe.failureThreshold: Invalid value: -5: must be greater than or equal to 0
            => spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0
            => spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must not be set for readinessProbes

            container {livenessProbe: {httpGet: {port: 0, scheme: FTP, httpHeaders: [{name: 'a b', value: x}]}}}
            => spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive
            => spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"
            => spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')

            container {readinessProbe: {grpc: {}}, livenessProbe: {tcpSocket: {port: UP}}}
            => spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: "UP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)
            => spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: "UP": must contain at least one letter (a-z)
            => spec.containers[0].readinessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive
            """);
    }

    @TestFactory
    Stream<DynamicTest> containers_lifecycleHooks_areChecked() {
        return PodRuleCases.validated("""
            container {lifecycle: {postStart: {exec: {command: [x]}}, preStop: {sleep: {seconds: 30}}}}
            => ok

            container {lifecycle: {preStop: {sleep: {seconds: 31}}}}
            => spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)

            container {lifecycle: {postStart: {}}}
            => spec.containers[0].lifecycle.postStart: Required value: must specify a handler type
            """);
    }
}
