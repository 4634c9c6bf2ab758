package dev.mooring.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.policy.PodSecurity.PodSecurityLevel;
import dev.mooring.control.WorldFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the checks of the Pod Security Standards, with the messages of Kubernetes 1.34. */
class PodSecurityTest {
    private static final String STRICT =
            "allowPrivilegeEscalation: false, runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}, capabilities:"
                    + " {drop: [ALL]}";

    private static ObjectNode pod(String spec) {
        return WorldFixture.objects("{kind: Pod, metadata: {name: p}, spec: {" + spec + "}}")
                .get(0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        hostPID: true, hostNetwork: true                                      | host namespaces (hostNetwork, hostPID)
        containers: [{name: a, ports: [{hostPort: 80}, {hostPort: 9}]}, {name: b, ports: [{hostPort: 80}]}] | hostPort (containers "a", "b" use hostPorts 80, 9)
        containers: [{name: a, readinessProbe: {httpGet: {host: h}}}]         | probe or lifecycle host (container "a" uses probe or lifecycle host "h")
        containers: [{name: b, lifecycle: {preStop: {tcpSocket: {host: g}}}}, {name: a, startupProbe: {httpGet: {host: h}}}] | probe or lifecycle host (containers "a", "b" use probe or lifecycle hosts "g", "h")
        initContainers: [{name: i, securityContext: {privileged: true}}]      | privileged (container "i" must not set securityContext.privileged=true)
        containers: [{name: a, securityContext: {procMount: Unmasked}}, {name: b, securityContext: {procMount: Unmasked}}] | procMount (containers "a", "b" must not set securityContext.procMount to "Unmasked")
        securityContext: {seLinuxOptions: {type: foo, level: s0}}             | seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "foo")
        securityContext: {seLinuxOptions: {type: foo}}, containers: [{name: a, securityContext: {seLinuxOptions: {type: container_engine_t}}}, {name: d, securityContext: {seLinuxOptions: {type: bar}}}, {name: e, securityContext: {seLinuxOptions: {user: bar}}}, {name: f, securityContext: {seLinuxOptions: {role: baz}}}] | seLinuxOptions (pod and containers "d", "e", "f" set forbidden securityContext.seLinuxOptions: types "bar", "foo"; user may not be set; role may not be set)
        securityContext: {sysctls: [{name: kernel.msgmax}, {name: net.ipv4.tcp_syncookies}]} | forbidden sysctls (kernel.msgmax)
        containers: [{name: a, securityContext: {capabilities: {add: [NET_RAW, CHOWN, BPF]}}}] | non-default capabilities (container "a" must not include "BPF", "NET_RAW" in securityContext.capabilities.add)
        volumes: [{name: v, hostPath: {path: /x}}, {name: w, hostPath: {path: /x}}] | hostPath volumes (volumes "v", "w")
        securityContext: {seccompProfile: {type: Unconfined}}, ephemeralContainers: [{name: e, securityContext: {seccompProfile: {type: Unconfined}}}] | seccompProfile (pod and container "e" must not set securityContext.seccompProfile.type to "Unconfined")
        hostIPC: true, containers: [{name: c, securityContext: {privileged: true}}] | host namespaces (hostIPC), privileged (container "c" must not set securityContext.privileged=true)
        """)
    void baseline_violation_reportsDetails(String spec, String details) {
        assertThat(PodSecurity.details(PodSecurityLevel.BASELINE, pod(spec))).isEqualTo(details);
        assertThat(PodSecurity.details(PodSecurityLevel.RESTRICTED, pod(spec))).isNotEmpty();
        assertThat(PodSecurity.details(PodSecurityLevel.PRIVILEGED, pod(spec))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}, containers: [{name: c, securityContext: {allowPrivilegeEscalation: true, capabilities: {drop: [ALL]}}}] | allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)
        containers: [{name: c, securityContext: {STRICT, capabilities: {drop: [NET_RAW], add: [NET_BIND_SERVICE, CHOWN]}}}] | unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "CHOWN" in securityContext.capabilities.add)
        volumes: [{name: w, nfs: {server: s, path: /x}}, {name: e, emptyDir: {}}, {name: v, hostPath: {path: /x}}, {name: p, persistentVolumeClaim: {claimName: c}}] | restricted volume types (volumes ["v" "w"] have restricted types)
        securityContext: {runAsNonRoot: false}, containers: [{name: c, securityContext: {STRICT, runAsNonRoot: false}}] | runAsNonRoot != true (pod and container "c" must not set securityContext.runAsNonRoot=false)
        containers: [{name: c, securityContext: {allowPrivilegeEscalation: false, seccompProfile: {type: Localhost}, capabilities: {drop: [ALL]}}}, {name: d, securityContext: {STRICT}}] | runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)
        securityContext: {runAsUser: 0}, containers: [{name: c, securityContext: {STRICT, runAsUser: 0}}] | runAsUser=0 (pod and container "c" must not set runAsUser=0)
        containers: [{name: c, securityContext: {STRICT, seccompProfile: {type: Unconfined}}}] | seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")
        """)
    void restricted_violation_reportsDetails(String spec, String details) {
        ObjectNode pod = pod(spec.replace("STRICT, capabilities", "STRICT_BUT capabilities")
                .replace("STRICT_BUT", STRICT.replace("capabilities: {drop: [ALL]}", ""))
                .replace("STRICT, runAsNonRoot: false", STRICT.replace("runAsNonRoot: true", "runAsNonRoot: false"))
                .replace("STRICT, seccompProfile: {type: Unconfined}", STRICT.replace("RuntimeDefault", "Unconfined"))
                .replace("STRICT", STRICT));

        assertThat(PodSecurity.details(PodSecurityLevel.RESTRICTED, pod)).isEqualTo(details);
    }

    @Test
    void restricted_plainContainer_reportsAllMissingFields() {
        ObjectNode plain = pod("containers: [{name: c, image: busybox}]");

        assertThat(PodSecurity.details(PodSecurityLevel.RESTRICTED, plain))
                .isEqualTo("allowPrivilegeEscalation != false (container \"c\" must set"
                        + " securityContext.allowPrivilegeEscalation=false), unrestricted capabilities"
                        + " (container \"c\" must set securityContext.capabilities.drop=[\"ALL\"]),"
                        + " runAsNonRoot != true (pod or container \"c\" must set"
                        + " securityContext.runAsNonRoot=true), seccompProfile (pod or container \"c\" must set"
                        + " securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")");
        assertThat(PodSecurity.reasons(PodSecurityLevel.RESTRICTED, plain))
                .isEqualTo("allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true,"
                        + " seccompProfile");
        assertThat(PodSecurity.details(PodSecurityLevel.BASELINE, plain)).isEmpty();
    }

    @Test
    void restricted_compliantPod_isAllowed() {
        assertThat(PodSecurity.details(
                        PodSecurityLevel.RESTRICTED,
                        pod("initContainers: [{name: i, securityContext: {" + STRICT
                                + "}}], containers: [{name: c,"
                                + " securityContext: {"
                                + STRICT.replace("drop", "add: [NET_BIND_SERVICE], drop")
                                + ", runAsUser: 1000, seLinuxOptions: {level: s0, type:"
                                + " container_init_t}}}], volumes: [{name: a, secret: {}}, {name: b,"
                                + " ephemeral: {}}]")))
                .isEmpty();
        assertThat(PodSecurity.details(
                        PodSecurityLevel.RESTRICTED,
                        pod("securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}},"
                                + " containers: [{name: c, securityContext: {allowPrivilegeEscalation: false,"
                                + " capabilities: {drop: [ALL]}}}]")))
                .isEmpty();
    }
}
