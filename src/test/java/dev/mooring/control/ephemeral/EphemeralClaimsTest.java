package dev.mooring.control.ephemeral;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EphemeralClaimsTest {
    private static final String TEAM = "---\n{kind: Namespace, metadata: {name: team}}\n";
    private static final String POD = """
        ---
        kind: Pod
        metadata: {name: p, namespace: team}
        spec:
          volumes:
          - name: v
            ephemeral:
              volumeClaimTemplate:
                metadata: {labels: {a: b}, annotations: {c: d}}
                spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, later: kept}
          - {name: other, emptyDir: {}}
        """;
    private static final String CLAIM = "persistentvolumeclaims/team/p-v";

    private static OneController world(String yaml) {
        return new OneController(new EphemeralClaims(), TEAM + yaml).settle();
    }

    private static List<String> told(OneController world) {
        List<String> told = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.resource("events"))) {
            ObjectNode event = StoredJson.tree(each);
            told.add(event.path("type").asText() + " " + event.path("reason").asText() + " "
                    + event.path("message").asText());
        }
        return told;
    }

    @Test
    void makesTheClaimAsTheApiWould() {
        OneController world = world(POD);

        assertThat(world.did()).containsExactly("EphemeralClaimCreated " + CLAIM);
        ObjectNode claim = Worlds.tree(world.world(), CLAIM);
        ObjectNode metadata = (ObjectNode) claim.path("metadata");
        assertThat(metadata.remove("uid").asText()).hasSize(36);
        metadata.remove("resourceVersion");
        assertThat(claim)
                .isEqualTo(Worlds.objects(
                                "{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: p-v, namespace: team,"
                                        + " creationTimestamp: '2026-01-01T00:00:00Z', uid: x,"
                                        + " labels: {a: b}, annotations: {c: d}, ownerReferences: [{apiVersion: v1,"
                                        + " kind: Pod, name: p, uid: uid-p, controller: true,"
                                        + " blockOwnerDeletion: true}], finalizers: [kubernetes.io/pvc-protection]},"
                                        + " spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage:"
                                        + " 1Gi}}, later: kept, volumeMode: Filesystem}, status: {phase: Pending}}")
                        .stream()
                        .peek(each -> ((ObjectNode) each.path("metadata")).remove("uid"))
                        .findFirst()
                        .orElseThrow());
        assertThat(world.put(POD).settle().did()).isEmpty();
    }

    @Test
    void aClaimWithoutAClassGetsTheDefaultOne() {
        String storageClass =
                "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast, annotations:"
                        + " {storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: x}\n";
        OneController world = world(storageClass + POD);
        assertThat(Worlds.tree(world.world(), CLAIM)
                        .path("spec")
                        .path("storageClassName")
                        .asText())
                .isEqualTo("fast");

        OneController none = world(storageClass + POD.replace("later: kept", "storageClassName: ''"));
        assertThat(Worlds.tree(none.world(), CLAIM)
                        .path("spec")
                        .path("storageClassName")
                        .asText("unset"))
                .isEmpty();
    }

    @Test
    void whatItIsFilledFromIsSaidInBothFields() {
        OneController world =
                world(POD.replace("later: kept", "dataSource: {kind: PersistentVolumeClaim, name: golden}"));
        ObjectNode spec = (ObjectNode) Worlds.tree(world.world(), CLAIM).path("spec");

        assertThat(spec.path("dataSourceRef"))
                .isEqualTo(spec.path("dataSource"))
                .isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "namespace: team}|namespace: team, deletionTimestamp: '2026-01-01T00:00:00Z'}",
                "\nspec:|\nstatus: {phase: Failed}\nspec:",
                "namespace: team|namespace: gone"
            })
    void leavesPodsAloneThatAreGoing(String change) {
        String[] sides = change.split("\\|", -1);
        assertThat(POD).contains(sides[0]);

        assertThat(world(POD.replace(sides[0], sides[1])).did()).isEmpty();
    }

    @Test
    void aNamespaceThatGoesGetsNothingNew() {
        String going = TEAM.replace("name: team", "name: team, deletionTimestamp: '2026-01-01T00:00:00Z'");
        assertThat(new OneController(new EphemeralClaims(), going + POD)
                        .settle()
                        .did())
                .isEmpty();
    }

    @Test
    void aClaimOfAnotherIsLeftAloneAndThePodIsToldOnce() {
        String theirs = "---\n{kind: PersistentVolumeClaim, metadata: {name: p-v, namespace: team}}\n";
        OneController world = world(theirs + POD);
        world.put(POD).settle();

        assertThat(told(world))
                .containsExactly("Warning FailedBinding ephemeral volume v: PVC team/p-v was not created for pod team/p"
                        + " (pod is not owner)");
        world.did();

        world.remove(CLAIM).settle();
        assertThat(world.did()).containsExactly("EphemeralClaimCreated " + CLAIM);
    }

    @Test
    void aClaimThatIsDeletedComesAgainAsLongAsThePodIsThere() {
        OneController world = world(POD.replace("name: p,", "name: p-q,"));
        world.did();

        world.remove("persistentvolumeclaims/team/p-q-v").settle();

        assertThat(world.did()).containsExactly("EphemeralClaimCreated persistentvolumeclaims/team/p-q-v");
        world.remove("pods/team/p-q")
                .remove("persistentvolumeclaims/team/p-q-v")
                .settle();
        assertThat(world.did()).isEmpty();
    }

    @Test
    void aNameThatIsTooLongIsSaid() {
        OneController world = world(POD.replace("name: p,", "name: " + "p".repeat(253) + ","));

        assertThat(told(world)).hasSize(1).first().asString().contains("is invalid: metadata.name: Invalid value");
    }
}
