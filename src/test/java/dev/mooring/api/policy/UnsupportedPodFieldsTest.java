package dev.mooring.api.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.types.Schemas;
import dev.mooring.control.WorldFixture;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnsupportedPodFieldsTest {
    /**
     * The decision about each field of a Pod: supported or without effect (done), supported for some values (part),
     * refused, or accepted with a warning (warned). Every new field of the schema must be added here.
     */
    private static final String DECISIONS = """
        PodSpec done: activeDeadlineSeconds containers dnsConfig dnsPolicy enableServiceLinks ephemeralContainers hostAliases \
          hostIPC hostNetwork hostPID hostname hostnameOverride imagePullSecrets initContainers nodeName nodeSelector os preemptionPolicy \
          readinessGates restartPolicy schedulerName schedulingGates serviceAccount serviceAccountName setHostnameAsFQDN \
          shareProcessNamespace terminationGracePeriodSeconds tolerations
        PodSpec part: affinity securityContext topologySpreadConstraints volumes
        PodSpec refused: hostUsers overhead priority priorityClassName resourceClaims resources runtimeClassName workloadRef
        PodSpec warned: automountServiceAccountToken subdomain
        Container done: args command envFrom image imagePullPolicy livenessProbe name ports readinessProbe resizePolicy restartPolicy \
          startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir
        Container part: env lifecycle resources securityContext
        Container refused: restartPolicyRules
        ResourceRequirements part: limits requests
        ResourceRequirements refused: claims
        EnvVarSource done: configMapKeyRef fieldRef resourceFieldRef secretKeyRef
        EnvVarSource refused: fileKeyRef
        LifecycleHandler done: exec httpGet sleep
        LifecycleHandler refused: tcpSocket
        Lifecycle done: stopSignal
        Lifecycle part: postStart preStop
        Probe done: exec failureThreshold grpc httpGet initialDelaySeconds periodSeconds successThreshold tcpSocket \
          terminationGracePeriodSeconds timeoutSeconds
        VolumeMount done: mountPath mountPropagation name readOnly recursiveReadOnly subPath subPathExpr
        SecurityContext done: allowPrivilegeEscalation capabilities privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot \
          runAsUser seLinuxOptions
        SecurityContext part: appArmorProfile seccompProfile
        SecurityContext refused: windowsOptions
        PodSecurityContext done: fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seLinuxChangePolicy seLinuxOptions \
          supplementalGroups sysctls
        PodSecurityContext part: appArmorProfile seccompProfile supplementalGroupsPolicy
        PodSecurityContext refused: windowsOptions
        Affinity done: nodeAffinity
        Affinity part: podAffinity podAntiAffinity
        Volume done: configMap downwardAPI ephemeral hostPath name nfs persistentVolumeClaim secret
        Volume part: emptyDir projected
        Volume refused: awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker gcePersistentDisk gitRepo \
          glusterfs image iscsi photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume
        EmptyDirVolumeSource part: medium sizeLimit
        VolumeProjection done: configMap downwardAPI secret serviceAccountToken
        VolumeProjection refused: clusterTrustBundle podCertificate
        """;

    private static ObjectNode pod(String spec) {
        return WorldFixture.objects("{kind: Pod, metadata: {name: p}, spec: {" + spec + "}}")
                .get(0);
    }

    private static List<String> refusals(String spec) {
        Violations violations = new Violations();
        UnsupportedPodFields.check(pod(spec), "", violations);
        return violations.all().stream().map(Object::toString).toList();
    }

    @Test
    void decisions_coverEveryFieldOfPods() {
        Map<String, TreeSet<String>> decided = DECISIONS
                .lines()
                .map(line -> line.split("[ :]+"))
                .collect(Collectors.toMap(
                        parts -> parts[0],
                        parts -> Arrays.stream(parts).skip(2).collect(Collectors.toCollection(TreeSet::new)),
                        (one, other) -> {
                            one.addAll(other);
                            return one;
                        }));

        decided.forEach((type, fields) -> {
            TreeSet<String> known = new TreeSet<>();
            Schemas.ofThisProgram().struct(type).fields().forEach(field -> known.add(field.name()));
            assertThat(fields).as(type).isEqualTo(known);
        });
    }

    @Test
    void check_unsupportedVolumeSource_isForbidden() {
        String refused = DECISIONS
                .lines()
                .filter(line -> line.startsWith("Volume refused:"))
                .findFirst()
                .orElseThrow();
        List<String> kinds = Arrays.stream(refused.split("[ :]+")).skip(2).toList();

        assertThat(kinds)
                .hasSizeGreaterThan(20)
                .allSatisfy(
                        kind -> assertThat(refusals("volumes: [{name: a, emptyDir: {}}, {name: v, " + kind + ": {}}]"))
                                .singleElement()
                                .asString()
                                .startsWith("spec.volumes[1]." + kind + ": Forbidden: Mooring on Docker cannot "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        hostUsers: false                                                        | spec.hostUsers: Forbidden: Mooring on Docker cannot give a Pod its own user namespace
        runtimeClassName: gvisor                                                | spec.runtimeClassName: Forbidden: Mooring on Docker cannot select a runtime
        overhead: {cpu: 1m}                                                     | spec.overhead: Forbidden
        ephemeralContainers: [{securityContext: {seccompProfile: {type: Localhost}}}] | spec.ephemeralContainers[0].securityContext.seccompProfile.type: Forbidden
        resourceClaims: [{name: gpu}]                                           | spec.resourceClaims: Forbidden
        resources: {limits: {cpu: 1}}                                           | spec.resources: Forbidden
        workloadRef: {name: w, podGroup: g}                                     | spec.workloadRef: Forbidden
        priorityClassName: high                                                 | spec.priorityClassName: Forbidden
        priority: 7                                                             | spec.priority: Forbidden
        affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{}]}} | spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution: Forbidden
        affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{}]}} | spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution: Forbidden
        topologySpreadConstraints: [{whenUnsatisfiable: DoNotSchedule}]         | spec.topologySpreadConstraints[0].whenUnsatisfiable: Forbidden
        volumes: [{emptyDir: {medium: HugePages-2Mi}}]                          | spec.volumes[0].emptyDir.medium: Forbidden
        volumes: [{projected: {sources: [{secret: {}}, {podCertificate: {path: t}}]}}] | spec.volumes[0].projected.sources[1].podCertificate: Forbidden
        volumes: [{projected: {sources: [{clusterTrustBundle: {path: t}}]}}]    | spec.volumes[0].projected.sources[0].clusterTrustBundle: Forbidden
        volumes: [{projected: {sources: [{podCertificate: {}}]}}]               | spec.volumes[0].projected.sources[0].podCertificate: Forbidden
        containers: [{resources: {limits: {nvidia.com/gpu: 1}}}]                | spec.containers[0].resources.limits[nvidia.com/gpu]: Forbidden
        containers: [{resources: {requests: {hugepages-2Mi: 2Mi}}}]             | spec.containers[0].resources.requests[hugepages-2Mi]: Forbidden
        initContainers: [{resources: {claims: [{name: gpu}]}}]                  | spec.initContainers[0].resources.claims: Forbidden
        containers: [{env: [{}, {valueFrom: {fileKeyRef: {}}}]}]                | spec.containers[0].env[1].valueFrom.fileKeyRef: Forbidden
        containers: [{restartPolicyRules: [{action: Restart}]}]                 | spec.containers[0].restartPolicyRules: Forbidden
        containers: [{lifecycle: {preStop: {tcpSocket: {port: 1}}}}]            | spec.containers[0].lifecycle.preStop.tcpSocket: Forbidden
        containers: [{lifecycle: {postStart: {tcpSocket: {port: 1}}}}]          | spec.containers[0].lifecycle.postStart.tcpSocket: Forbidden
        containers: [{securityContext: {seccompProfile: {type: Localhost}}}]    | spec.containers[0].securityContext.seccompProfile.type: Forbidden
        securityContext: {seccompProfile: {type: Localhost}}                    | spec.securityContext.seccompProfile.type: Forbidden
        containers: [{securityContext: {appArmorProfile: {type: Localhost}}}]   | spec.containers[0].securityContext.appArmorProfile.type: Forbidden
        securityContext: {appArmorProfile: {type: Unconfined}}                  | spec.securityContext.appArmorProfile.type: Forbidden
        initContainers: [{securityContext: {windowsOptions: {hostProcess: true}}}] | spec.initContainers[0].securityContext.windowsOptions: Forbidden
        securityContext: {supplementalGroupsPolicy: Strict}                     | spec.securityContext.supplementalGroupsPolicy: Forbidden
        """)
    void check_unsupportedField_isForbidden(String spec, String message) {
        assertThat(refusals(spec)).singleElement().asString().startsWith(message);
        assertThat(UnsupportedPodFields.warnings(pod(spec), "")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        automountServiceAccountToken: true                             | spec.automountServiceAccountToken: has no effect: Pods get no token
        topologySpreadConstraints: [{whenUnsatisfiable: ScheduleAnyway}] | spec.topologySpreadConstraints[0].whenUnsatisfiable: is ignored
        affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{}]}} | spec.affinity.podAntiAffinity.preferred
        volumes: [{emptyDir: {}}, {emptyDir: {sizeLimit: 1Gi}}]        | spec.volumes[1].emptyDir.sizeLimit: is not enforced on disk
        volumes: [{emptyDir: {sizeLimit: 1000, medium: ''}}]           | spec.volumes[0].emptyDir.sizeLimit: is not enforced on disk
        containers: [{resources: {limits: {ephemeral-storage: 1Gi}}}]  | spec.containers[0].resources.limits[ephemeral-storage]: is not enforced
        """)
    void warnings_fieldWithoutEffect_isAcceptedWithWarning(String spec, String message) {
        assertThat(refusals(spec)).isEmpty();
        assertThat(UnsupportedPodFields.warnings(pod(spec), ""))
                .singleElement()
                .asString()
                .startsWith(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hostUsers: true, os: {name: linux}, priority: 0, preemptionPolicy: Never, overhead: {},"
                        + " resourceClaims: []",
                "runtimeClassName: null, resources: null, automountServiceAccountToken: false",
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}, podAffinity: {}}",
                "containers: [{resources: {limits: {cpu: 1, memory: 1Gi}, requests: {ephemeral-storage: 1Gi}}}]",
                "containers: [{livenessProbe: {grpc: {port: 1}}, lifecycle: {preStop: {sleep: {seconds: 1}}}}]",
                "securityContext: {seccompProfile: {type: Unconfined}, appArmorProfile: {type: RuntimeDefault},"
                        + " fsGroup: 1, seLinuxOptions: {level: 's0:c0,c1', type: spc_t}, supplementalGroupsPolicy:"
                        + " Merge}",
                "volumes: [{emptyDir: {medium: Memory}}, {hostPath: {path: /a}}, {nfs: {}}, {configMap: {}}, {secret:"
                        + " {}}, {downwardAPI: {}}, {persistentVolumeClaim: {}}, {ephemeral: {}}, {projected: {sources:"
                        + " [{secret: {}}]}}]",
                "volumes: [{emptyDir: {sizeLimit: 1Gi, medium: Memory}}, {emptyDir: {sizeLimit: 0}}, {emptyDir:"
                        + " {sizeLimit: null}}, {emptyDir: {sizeLimit: nonsense}}]",
                "schedulerName: other, schedulingGates: [{name: a}], setHostnameAsFQDN: true, hostnameOverride: x",
            })
    void check_supportedFields_areAcceptedWithoutWarning(String spec) {
        assertThat(refusals(spec)).isEmpty();
        assertThat(UnsupportedPodFields.warnings(pod(spec), "")).isEmpty();
    }
}
