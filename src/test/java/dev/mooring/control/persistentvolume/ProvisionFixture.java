package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.view.NfsSource;
import java.util.List;
import java.util.Map;

/** A claim, the operation that provisions its volume, and a ProvisionController. */
final class ProvisionFixture {
    private ProvisionFixture() {}

    static final String OPERATION = "volumeoperations.mooring.dev/provision-uid-data";

    static final String CLAIM = "persistentvolumeclaims/default/data";

    static final String VOLUME = "persistentvolumes/pvc-uid-data";

    static final String UID = ProvisionOperations.volumeUid("uid-data", "pvc-uid-data");

    static final Map<String, Map<String, String>> DEFAULTS =
            Map.of(NfsSource.PROVISIONER, Map.of("server", "nas", "share", "/export"));

    static final String BASE = """
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: host-1}}}
        ---
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, provisioner: mooring.dev/hostpath}
        ---
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: copper}, provisioner: mooring.dev/hostpath,
         volumeBindingMode: WaitForFirstConsumer}
        """;

    static String claim(String annotations) {
        return """
            ---
            kind: PersistentVolumeClaim
            metadata: {name: data, namespace: default, annotations: {foreign: stays%s}}
            spec: {accessModes: [ReadWriteOnce, ReadOnlyMany], resources: {requests: {storage: 1Gi}}, storageClassName: gold, unknown: kept}
            status:
              phase: Pending
              conditions: [{type: Bound, status: 'False', reason: Provisioning, message: waiting}]
            """.formatted(annotations.isEmpty() ? "" : ", " + annotations);
    }

    static String operation(String spec, String status) {
        return """
            ---
            apiVersion: mooring.dev/v1
            kind: VolumeOperation
            metadata: {name: provision-uid-data, creationTimestamp: '2026-01-01T00:00:00Z', annotations: {mooring.dev/reclaim-policy: Delete}}
            spec:
              %s
              persistentVolume: pvc-uid-data
              persistentVolumeUID: %s
              claim: {namespace: default, name: data, uid: uid-data}
              storageClassName: gold
              path: pvc-uid-data
              capacity: 1Gi
              parameters: {onDelete: archive, basePath: /srv}
            status: %s
            """.formatted(spec.replace(", ", "\n  ").indent(0).strip(), UID, status);
    }

    static final String PROVISION_SPEC = "operation: Provision, node: n1, provisioner: mooring.dev/hostpath";

    static final String DELETE_SPEC = "operation: Delete, node: n1, provisioner: mooring.dev/hostpath";

    static final String SUCCEEDED_STATUS =
            "{state: Succeeded, capacity: 2Gi, source: {hostPath: {path: /srv/pvc-uid-data, type: Directory}}}";

    static ControllerFixture run(String yaml) {
        ControllerFixture run =
                new ControllerFixture(new ProvisionController(DEFAULTS), yaml.replace("}---", "}\n---")).settle();
        ControllerFixture restarted = new ControllerFixture(new ProvisionController(DEFAULTS), run.world()).settle();
        assertThat(restarted.takeEvents())
                .as("events of a restarted controller")
                .isEmpty();
        return run;
    }

    static List<String> events(ControllerFixture run) {
        return run.keys().stream()
                .filter(key -> key.startsWith("events/"))
                .map(key -> WorldFixture.tree(run.world(), key))
                .map(event ->
                        event.path("type").asText() + ' ' + event.path("reason").asText() + ": "
                                + event.path("message").asText())
                .toList();
    }

    static String condition(ControllerFixture run) {
        ObjectNode claim = WorldFixture.tree(run.world(), CLAIM);
        return claim.path("status").path("conditions").path(0).path("reason").asText() + ": "
                + claim.path("status")
                        .path("conditions")
                        .path(0)
                        .path("message")
                        .asText();
    }
}
