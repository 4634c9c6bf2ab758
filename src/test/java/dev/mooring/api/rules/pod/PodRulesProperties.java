package dev.mooring.api.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Violations;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Properties of the rules that hold for any Pod: no combination of fields makes them throw. */
class PodRulesProperties {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final List<String> FIELDS =
            List.of("type", "name", "claimName", "path", "hostPath", "bind", "mode", "mountPath");
    private static final List<JsonNode> LEAVES = List.of(
            JSON.textNode("pvc"), JSON.textNode("hostPath"), JSON.textNode("ro"), JSON.numberNode(1), JSON.nullNode());
    private static final ObjectNode EVERYTHING = PodRuleCases.yaml("""
        apiVersion: v1
        kind: Pod
        metadata: {name: app, namespace: team, labels: {a: b}}
        spec:
          volumes:
          - {name: a, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
          - {name: b, hostPath: {path: /b, type: Directory}}
          - {name: c, configMap: {name: x, defaultMode: 420, items: [{key: k, path: p, mode: 256}]}}
          - {name: d, secret: {secretName: x, items: [{key: k, path: p}]}}
          - {name: e, downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}, {path: q, resourceFieldRef: {containerName: c, resource: limits.cpu, divisor: 1m}}]}}
          - {name: f, projected: {sources: [{configMap: {name: x, items: [{key: k, path: p}]}}, {serviceAccountToken: {path: t}}, {clusterTrustBundle: {signerName: s, path: u, labelSelector: {matchLabels: {a: b}}}}]}}
          - {name: g, persistentVolumeClaim: {claimName: x, readOnly: true}}
          - {name: h, ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}
          - {name: i, nfs: {server: s, path: /p}}
          - {name: j, csi: {driver: d, nodePublishSecretRef: {name: x}}}
          - {name: k, iscsi: {targetPortal: p, iqn: 'iqn.2001-04.com.example:x', lun: 1, initiatorName: 'iqn.2001-04.com.example:y'}}
          - {name: l, azureDisk: {diskName: x, diskURI: y}}
          - {name: m, image: {reference: x}}
          - {name: n, quobyte: {registry: 'a:1', volume: v}}
          initContainers:
          - {name: i, image: x, restartPolicy: Always, startupProbe: {exec: {command: [x]}}}
          containers:
          - name: c
            image: x
            ports: [{name: http, containerPort: 80, hostPort: 80, protocol: TCP}]
            env: [{name: A, value: x}, {name: B, valueFrom: {configMapKeyRef: {name: x, key: y}}}, {name: C, valueFrom: {fileKeyRef: {volumeName: a, path: p, key: k}}}]
            envFrom: [{prefix: p, secretRef: {name: x}}]
            resources: {limits: {cpu: 1, memory: 1Gi, hugepages-2Mi: 2Mi, example.com/x: 1}, requests: {cpu: 500m}, claims: [{name: x, request: y}]}
            resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
            volumeMounts: [{name: a, mountPath: /a, readOnly: true, recursiveReadOnly: Enabled, subPath: s}, {name: b, mountPath: /b, subPathExpr: t, mountPropagation: None}]
            volumeDevices: [{name: g, devicePath: /dev/g}]
            livenessProbe: {httpGet: {path: /x, port: http, httpHeaders: [{name: a, value: b}]}}
            readinessProbe: {tcpSocket: {port: 80}}
            lifecycle: {preStop: {sleep: {seconds: 1}}, postStart: {exec: {command: [x]}}}
            securityContext: {runAsUser: 1, privileged: true, capabilities: {add: [X]}, seccompProfile: {type: Localhost, localhostProfile: x}, appArmorProfile: {type: Localhost, localhostProfile: x}, procMount: Default}
          ephemeralContainers: [{name: e, image: x, targetContainerName: c}]
          restartPolicy: OnFailure
          activeDeadlineSeconds: 5
          dnsPolicy: None
          dnsConfig: {nameservers: [1.2.3.4], searches: [a.b], options: [{name: x}]}
          nodeSelector: {a: b}
          nodeName: n
          hostNetwork: true
          securityContext: {fsGroup: 1, supplementalGroups: [1], sysctls: [{name: a.b, value: c}], seLinuxOptions: {level: x}}
          tolerations: [{key: a, operator: Equal, value: b, effect: NoExecute, tolerationSeconds: 5}]
          affinity:
            nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b]}]}]}}
            podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: z, labelSelector: {matchLabels: {a: b}}, matchLabelKeys: [c], namespaces: [n]}}]}
          topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, minDomains: 1, matchLabelKeys: [a], labelSelector: {matchLabels: {a: b}}}]
          hostAliases: [{ip: 1.2.3.4, hostnames: [a]}]
          readinessGates: [{conditionType: a/b}]
          schedulingGates: [{name: g}]
          resourceClaims: [{name: x, resourceClaimName: y}]
          overhead: {cpu: 1m}
          os: {name: linux}
          resources: {limits: {cpu: 2}}
        status:
          phase: Running
          qosClass: Burstable
          podIP: 1.2.3.4
          podIPs: [{ip: 1.2.3.4}]
          hostIP: 1.2.3.4
          hostIPs: [{ip: 1.2.3.4}]
          conditions: [{type: Ready, status: 'True'}]
          containerStatuses: [{name: c, state: {terminated: {exitCode: 0}}}]
        """);

    /** Returns a copy with some fields missing or null, and some texts and lists empty; the same for the same seed. */
    private static JsonNode thinned(JsonNode from, Random random) {
        if (from.isObject()) {
            ObjectNode object = JSON.objectNode();
            from.properties().forEach(field -> {
                int choice = random.nextInt(20);
                if (choice == 0) {
                    object.putNull(field.getKey());
                } else if (choice > 2) {
                    object.set(field.getKey(), thinned(field.getValue(), random));
                }
            });
            return object;
        }
        if (from.isArray()) {
            ArrayNode array = JSON.arrayNode();
            from.forEach(element -> {
                if (random.nextInt(10) > 0) {
                    array.add(thinned(element, random));
                }
            });
            return array;
        }
        return from.isTextual() && from.textValue().matches("[a-z/]+") && random.nextInt(15) == 0
                ? JSON.textNode("")
                : from;
    }

    private static ObjectNode pod(long seed) {
        return (ObjectNode) thinned(EVERYTHING, new Random(seed));
    }

    @Property(tries = 2000)
    void rules_anyPod_validateWithoutException(@ForAll long seed, @ForAll long otherSeed) {
        PodRules rules = new PodRules();
        ObjectNode before = pod(otherSeed);
        ObjectNode pod = pod(seed);

        rules.normalize(pod);
        rules.validate(pod, new Violations());
        rules.prepareForCreate(pod);
        rules.applyDefaults(pod);
        rules.validate(pod, new Violations());
        rules.validateCreate(pod, new Violations());
        rules.validateUpdate(pod, before, new Violations());
        rules.validateSubresource("ephemeralcontainers", pod, before, new Violations());
        rules.prepareForStatusUpdate(pod, before);
        rules.validateStatusUpdate(pod, before, new Violations());

        assertThat(JsonFields.get(pod, "spec")).isEqualTo(JsonFields.get(before, "spec"));
    }

    @Property(tries = 1000)
    void applyDefaults_twice_changesNothing(@ForAll long seed) {
        PodRules rules = new PodRules();
        ObjectNode once = pod(seed);
        rules.applyDefaults(once);
        ObjectNode twice = once.deepCopy();

        rules.applyDefaults(twice);

        assertThat(twice).isEqualTo(once);
    }

    @Property(tries = 1000)
    void validateUpdate_unchangedPod_hasNoViolations(@ForAll long seed) {
        PodRules rules = new PodRules();
        ObjectNode pod = pod(seed);
        rules.applyDefaults(pod);
        Violations violations = new Violations();

        rules.validateUpdate(pod, pod.deepCopy(), violations);

        assertThat(violations.all()).isEmpty();
    }

    @Property(tries = 500)
    void normalize_anyInputOfMinik8s_keepsVolumes(@ForAll long seed) {
        Random random = new Random(seed);
        ObjectNode pod = JSON.objectNode();
        ObjectNode spec = pod.putObject("spec");
        spec.putArray("volumes").add(randomJson(random, 3)).add(randomJson(random, 3));
        spec.putArray("containers").addObject().putArray("volumeMounts").add(randomJson(random, 3));

        new PodRules().normalize(pod);

        assertThat(pod.at("/spec/volumes").size()).isEqualTo(2);
    }

    /** Returns random JSON made of field names and values of the Minik8s format. */
    private static JsonNode randomJson(Random random, int depth) {
        if (depth > 0 && random.nextInt(4) > 0) {
            ObjectNode object = JSON.objectNode();
            for (String field : FIELDS) {
                if (random.nextInt(3) == 0) {
                    object.set(field, randomJson(random, depth - 1));
                }
            }
            return object;
        }
        return LEAVES.get(random.nextInt(LEAVES.size()));
    }
}
