package dev.mooring.api.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodDefaultsTest {
    private final PodRules rules = new PodRules();

    @Test
    void applyDefaults_minimalPod_setsAllDefaults() {
        ObjectNode pod = PodRuleCases.pod("pod");

        rules.applyDefaults(pod);

        assertThat(pod.get("spec"))
                .isEqualTo(PodRuleCases.yaml("""
                    containers:
                    - name: c
                      image: busybox
                      resources: {}
                      terminationMessagePath: /dev/termination-log
                      terminationMessagePolicy: File
                      imagePullPolicy: Always
                    restartPolicy: Always
                    terminationGracePeriodSeconds: 30
                    dnsPolicy: ClusterFirst
                    serviceAccountName: default
                    serviceAccount: default
                    securityContext: {}
                    schedulerName: default-scheduler
                    enableServiceLinks: true
                    """).deepCopy().put("terminationGracePeriodSeconds", 30L));
    }

    /** Each line: fields added to a Pod, a JSON pointer, and the value there after defaulting. */
    @TestFactory
    Stream<DynamicTest> applyDefaults_fieldsSet_keepsThemAndSetsOthers() {
        return """
            spec {restartPolicy: Never} => /spec/restartPolicy => "Never"
            spec {restartPolicy: ''} => /spec/restartPolicy => "Always"
            spec {terminationGracePeriodSeconds: 0} => /spec/terminationGracePeriodSeconds => 0
            spec {enableServiceLinks: false} => /spec/enableServiceLinks => false
            spec {securityContext: {fsGroup: 1}} => /spec/securityContext => {"fsGroup":1}
            spec {serviceAccountName: robot} => /spec/serviceAccount => "robot"
            spec {serviceAccount: robot} => /spec/serviceAccountName => "robot"
            spec {serviceAccountName: robot, serviceAccount: other} => /spec/serviceAccount => "robot"
            spec {volumes: [{name: v}]} => /spec/volumes/0/emptyDir => {}
            spec {volumes: [{name: v, hostPath: {path: /v}}]} => /spec/volumes/0/hostPath/type => ""
            spec {volumes: [{name: v, secret: {secretName: s}}]} => /spec/volumes/0/secret/defaultMode => 420
            spec {volumes: [{name: v, secret: {defaultMode: 0}}]} => /spec/volumes/0/secret/defaultMode => 0
            spec {volumes: [{name: v, configMap: {name: s}}]} => /spec/volumes/0/configMap/defaultMode => 420
            spec {volumes: [{name: v, downwardAPI: {items: [{fieldRef: {fieldPath: x}}]}}]} => /spec/volumes/0/downwardAPI => {"items":[{"fieldRef":{"fieldPath":"x","apiVersion":"v1"}}],"defaultMode":420}
            spec {volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]} => /spec/volumes/0/projected => {"sources":[{"serviceAccountToken":{"path":"t","expirationSeconds":3600}}],"defaultMode":420}
            spec {volumes: [{name: v, iscsi: {}}]} => /spec/volumes/0/iscsi => {"iscsiInterface":"default"}
            spec {volumes: [{name: v, rbd: {}}]} => /spec/volumes/0/rbd => {"pool":"rbd","user":"admin","keyring":"/etc/ceph/keyring"}
            spec {volumes: [{name: v, azureDisk: {}}]} => /spec/volumes/0/azureDisk => {"cachingMode":"ReadWrite","kind":"Shared","fsType":"ext4","readOnly":false}
            spec {volumes: [{name: v, scaleIO: {}}]} => /spec/volumes/0/scaleIO => {"storageMode":"ThinProvisioned","fsType":"xfs"}
            spec {volumes: [{name: v, ephemeral: {volumeClaimTemplate: {}}}]} => /spec/volumes/0/ephemeral/volumeClaimTemplate/spec/volumeMode => "Filesystem"
            spec {volumes: [{name: v, image: {reference: a:1}}]} => /spec/volumes/0/image/pullPolicy => "IfNotPresent"
            container {ports: [{containerPort: 1}]} => /spec/containers/0/ports/0/protocol => "TCP"
            container {livenessProbe: {httpGet: {port: 1}}} => /spec/containers/0/livenessProbe => {"httpGet":{"port":1,"path":"/","scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3}
            container {startupProbe: {grpc: {port: 1}, periodSeconds: 5}} => /spec/containers/0/startupProbe => {"grpc":{"port":1,"service":""},"periodSeconds":5,"timeoutSeconds":1,"successThreshold":1,"failureThreshold":3}
            container {lifecycle: {preStop: {httpGet: {port: 1}}}} => /spec/containers/0/lifecycle/preStop/httpGet => {"port":1,"path":"/","scheme":"HTTP"}
            container {env: [{name: A, valueFrom: {fieldRef: {fieldPath: x}}}]} => /spec/containers/0/env/0/valueFrom/fieldRef/apiVersion => "v1"
            container {env: [{name: A, valueFrom: {resourceFieldRef: {resource: x}}}]} => /spec/containers/0/env/0/valueFrom/resourceFieldRef/divisor => "0"
            container {resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}} => /spec/containers/0/resources/requests => {"cpu":"500m","memory":"1Gi"}
            spec {resources: {limits: {cpu: 2}}} => /spec/resources => {"limits":{"cpu":2},"requests":{"cpu":2}}
            spec {hostNetwork: true, containers: [{name: c, ports: [{containerPort: 80}]}]} => /spec/containers/0/ports/0/hostPort => 80
            spec {ephemeralContainers: [{name: e, image: a:1}]} => /spec/ephemeralContainers/0/imagePullPolicy => "IfNotPresent"
            """.lines().map(line -> line.split(" => ", -1)).map(parts -> DynamicTest.dynamicTest(parts[0], () -> {
            ObjectNode pod = PodRuleCases.pod(parts[0]);
            rules.applyDefaults(pod);
            assertThat(pod.at(parts[1]).toString()).isEqualTo(parts[2]);
            ObjectNode twice = pod.deepCopy();
            rules.applyDefaults(twice);
            assertThat(twice.toString()).isEqualTo(pod.toString());
        }));
    }

    @ParameterizedTest
    @CsvSource({
        "busybox, Always",
        "busybox:latest, Always",
        "busybox:1.36, IfNotPresent",
        "registry:5000/busybox, Always",
        "registry:5000/busybox:1, IfNotPresent",
        "busybox@sha256:abc, IfNotPresent",
        "busybox:latest@sha256:abc, Always",
        "'', IfNotPresent"
    })
    void pullPolicy_latestTag_isAlways(String image, String policy) {
        assertThat(ContainerDefaults.pullPolicy(image)).isEqualTo(policy);
    }

    @Test
    void applyDefaults_withoutSpec_createsIt() {
        ObjectNode pod = PodRuleCases.yaml("{kind: Pod}");

        rules.applyDefaults(pod);

        assertThat(pod.at("/spec/restartPolicy").asText()).isEqualTo("Always");
    }
}
