package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EphemeralVolumeControllerTest {
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

    private static ControllerFixture world(String yaml) {
        return new ControllerFixture(new EphemeralVolumeController(), TEAM + yaml).settle();
    }

    private static List<String> events(ControllerFixture world) {
        List<String> recorded = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.resource("events"))) {
            ObjectNode event = each.toTree();
            recorded.add(
                    event.path("type").asText() + " " + event.path("reason").asText() + " "
                            + event.path("message").asText());
        }
        return recorded;
    }

    @Test
    void ephemeralVolume_podCreated_getsClaimWithDefaultsOfTheApi() {
        ControllerFixture world = world(POD);

        assertThat(world.takeEvents()).containsExactly("EphemeralClaimCreated " + CLAIM);
        ObjectNode claim = WorldFixture.tree(world.world(), CLAIM);
        ObjectNode metadata = (ObjectNode) claim.path("metadata");
        assertThat(metadata.remove("uid").asText()).hasSize(36);
        metadata.remove("resourceVersion");
        assertThat(claim)
                .isEqualTo(WorldFixture.objects(
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
        assertThat(world.put(POD).settle().takeEvents()).isEmpty();
    }

    @Test
    void ephemeralVolume_templateWithoutClass_getsDefaultClass() {
        String storageClass =
                "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast, annotations:"
                        + " {storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: x}\n";
        ControllerFixture world = world(storageClass + POD);
        assertThat(WorldFixture.tree(world.world(), CLAIM)
                        .path("spec")
                        .path("storageClassName")
                        .asText())
                .isEqualTo("fast");

        ControllerFixture none = world(storageClass + POD.replace("later: kept", "storageClassName: ''"));
        assertThat(WorldFixture.tree(none.world(), CLAIM)
                        .path("spec")
                        .path("storageClassName")
                        .asText("unset"))
                .isEmpty();
    }

    @Test
    void ephemeralVolume_templateWithDataSource_getsDataSourceRefToo() {
        ControllerFixture world =
                world(POD.replace("later: kept", "dataSource: {kind: PersistentVolumeClaim, name: golden}"));
        ObjectNode spec = (ObjectNode) WorldFixture.tree(world.world(), CLAIM).path("spec");

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
    void ephemeralVolume_podTerminatingFinishedOrWithoutNamespace_getsNoClaim(String change) {
        String[] sides = change.split("\\|", -1);
        assertThat(POD).contains(sides[0]);

        assertThat(world(POD.replace(sides[0], sides[1])).takeEvents()).isEmpty();
    }

    @Test
    void ephemeralVolume_namespaceTerminating_getsNoClaim() {
        String terminating = TEAM.replace("name: team", "name: team, deletionTimestamp: '2026-01-01T00:00:00Z'");
        assertThat(new ControllerFixture(new EphemeralVolumeController(), terminating + POD)
                        .settle()
                        .takeEvents())
                .isEmpty();
    }

    @Test
    void ephemeralVolume_claimOfAnotherOwnerExists_isReportedOnce() {
        String foreign = "---\n{kind: PersistentVolumeClaim, metadata: {name: p-v, namespace: team}}\n";
        ControllerFixture world = world(foreign + POD);
        world.put(POD).settle();

        assertThat(events(world))
                .containsExactly("Warning FailedBinding ephemeral volume v: PVC team/p-v was not created for pod team/p"
                        + " (pod is not owner)");
        world.takeEvents();

        world.remove(CLAIM).settle();
        assertThat(world.takeEvents()).containsExactly("EphemeralClaimCreated " + CLAIM);
    }

    @Test
    void ephemeralVolume_claimDeleted_isRecreatedWhilePodExists() {
        ControllerFixture world = world(POD.replace("name: p,", "name: p-q,"));
        world.takeEvents();

        world.remove("persistentvolumeclaims/team/p-q-v").settle();

        assertThat(world.takeEvents()).containsExactly("EphemeralClaimCreated persistentvolumeclaims/team/p-q-v");
        world.remove("pods/team/p-q")
                .remove("persistentvolumeclaims/team/p-q-v")
                .settle();
        assertThat(world.takeEvents()).isEmpty();
    }

    @Test
    void ephemeralVolume_claimNameTooLong_isReported() {
        ControllerFixture world = world(POD.replace("name: p,", "name: " + "p".repeat(253) + ","));

        assertThat(events(world)).hasSize(1).first().asString().contains("is invalid: metadata.name: Invalid value");
    }
}
