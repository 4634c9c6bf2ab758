package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;

/** An ExpandController with the claim {@code team/data} of 1Gi, bound to the volume {@code v}, and two nodes. */
final class ExpandFixture {
    static final String CLAIM = "persistentvolumeclaims/team/data";
    static final String VOLUME = "persistentvolumes/v";
    static final String OPERATION = "volumeoperations.mooring.dev/grow-uid-v";

    static final String BASE = """
        kind: Namespace
        metadata: {name: team}
        ---
        kind: Node
        metadata: {name: n1, labels: {kubernetes.io/hostname: host-1}}
        ---
        kind: Node
        metadata: {name: n2, labels: {kubernetes.io/hostname: host-2}}
        ---
        kind: StorageClass
        apiVersion: storage.k8s.io/v1
        metadata: {name: block}
        provisioner: mooring.dev/block
        allowVolumeExpansion: true
        parameters: {overcommit: "true"}
        ---
        """;

    static final String BLOCK = """
        kind: PersistentVolume
        metadata: {name: v, annotations: {pv.kubernetes.io/provisioned-by: mooring.dev/block, mine: kept}}
        spec:
          capacity: {storage: 1Gi}
          storageClassName: block
          csi: {driver: block.mooring.dev, volumeHandle: uid-v, volumeAttributes: {image: /base/v.img}}
          claimRef: {namespace: team, name: data, uid: uid-data}
          nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [host-2]}]}]}}
          unknownToUs: {a: 1}
        status: {phase: Bound}
        """;

    static String claim(String request, String status) {
        return """
            kind: PersistentVolumeClaim
            metadata: {name: data, namespace: team, annotations: {mine: kept}}
            spec: {storageClassName: block, volumeName: v, resources: {requests: {storage: REQUEST}}, unknownToUs: 1}
            status: {phase: Bound, capacity: {storage: 1Gi}, unknownToUs: [1] STATUS}
            """.replace("REQUEST", request).replace("STATUS", status);
    }

    static String claim(String request) {
        return claim(request, "");
    }

    static ControllerFixture with(String... yaml) {
        return new ControllerFixture(new ExpandController(), BASE + String.join("\n---\n", yaml));
    }

    /** Changes the size that the claim requests. */
    static void request(ControllerFixture world, String size) {
        ObjectNode claim = WorldFixture.tree(world.world(), CLAIM);
        claim.withObject("/spec/resources/requests").put("storage", size);
        world.put(claim.toString()).settle();
    }

    static void reportStatus(ControllerFixture world, String status) {
        ObjectNode operation = WorldFixture.tree(world.world(), OPERATION);
        operation.set("status", WorldFixture.objects("status: " + status).get(0).get("status"));
        world.put(operation.toString()).settle();
    }

    static JsonNode status(ControllerFixture world) {
        return WorldFixture.tree(world.world(), CLAIM).path("status");
    }

    static String state(ControllerFixture world) {
        return status(world).at("/allocatedResourceStatuses/storage").asText();
    }

    static List<String> conditions(ControllerFixture world) {
        List<String> conditions = new ArrayList<>();
        status(world)
                .path("conditions")
                .forEach(each -> conditions.add(
                        each.path("type").asText() + "=" + each.path("status").asText() + " "
                                + each.path("message").asText()));
        return conditions;
    }

    static List<String> events(ControllerFixture world) {
        List<String> recorded = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.namespace("events", "team"))) {
            JsonNode event = WorldFixture.tree(world.world(), each.key().text());
            recorded.add(
                    event.path("type").asText() + " " + event.path("reason").asText() + " "
                            + event.path("message").asText());
        }
        return recorded;
    }

    static String capacities(ControllerFixture world) {
        return WorldFixture.tree(world.world(), VOLUME)
                        .at("/spec/capacity/storage")
                        .asText() + " " + status(world).at("/capacity/storage").asText();
    }

    static void assertSettled(ControllerFixture world) {
        world.takeEvents();
        world.put(WorldFixture.tree(world.world(), CLAIM).toString())
                .put(WorldFixture.tree(world.world(), VOLUME).toString())
                .settle();
        assertThat(world.takeEvents()).as("events of another reconcile").isEmpty();
    }

    private ExpandFixture() {}
}
