package dev.mooring.control.provision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import java.util.List;

/** A claim, the operation that makes its volume, and a controller to look at both. */
final class ProvisionScene {
    private ProvisionScene() {}

    static final String OPERATION = "volumeoperations.mooring.dev/provision-uid-data";

    static final String CLAIM = "persistentvolumeclaims/default/data";

    static final String VOLUME = "persistentvolumes/pvc-uid-data";

    static final String UID = Operations.volumeUid("uid-data", "pvc-uid-data");

    static final String AROUND = """
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

    static final String MAKING = "operation: Provision, node: n1, provisioner: mooring.dev/hostpath";

    static final String REMOVING = "operation: Delete, node: n1, provisioner: mooring.dev/hostpath";

    static final String MADE = "{state: Succeeded, capacity: 2Gi, source: {hostPath: {path: /srv/x, type: Directory}}}";

    static OneController run(String yaml) {
        OneController run = new OneController(new ProvisionController(), yaml.replace("}---", "}\n---")).settle();
        OneController again = new OneController(new ProvisionController(), run.world()).settle();
        assertThat(again.did()).as("decided again").isEmpty();
        return run;
    }

    static List<String> told(OneController run) {
        return run.keys().stream()
                .filter(key -> key.startsWith("events/"))
                .map(key -> Worlds.tree(run.world(), key))
                .map(event ->
                        event.path("type").asText() + ' ' + event.path("reason").asText() + ": "
                                + event.path("message").asText())
                .toList();
    }

    static String condition(OneController run) {
        ObjectNode claim = Worlds.tree(run.world(), CLAIM);
        return claim.path("status").path("conditions").path(0).path("reason").asText() + ": "
                + claim.path("status")
                        .path("conditions")
                        .path(0)
                        .path("message")
                        .asText();
    }
}
