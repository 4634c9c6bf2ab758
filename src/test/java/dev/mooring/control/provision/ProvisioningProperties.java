package dev.mooring.control.provision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever users, nodes and crashes do, in any order: in the end each claim has one volume, and no disk holds anything else. */
class ProvisioningProperties {
    private enum Kind {
        CREATE,
        DELETE,
        BIND_ELSEWHERE,
        RIVAL,
        CHOOSE,
        AWAY,
        BACK,
        FULL,
        KILL,
        PASS
    }

    record Step(Kind kind, int which, int amount) {}

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.of(Kind.class),
                        Arbitraries.integers().between(1, 2),
                        Arbitraries.integers().between(1, 4))
                .as(Step::new)
                .list()
                .ofMaxSize(25);
    }

    private FakeNode.Disks disks = new FakeNode.Disks();
    private int uids;

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void nothingIsLostAndNothingIsLeftOver(@ForAll("steps") List<Step> steps) {
        disks = new FakeNode.Disks();
        Stage stage = new Stage("""
            {kind: Namespace, metadata: {name: default}}
            ---
            {kind: Node, metadata: {name: n1}}
            ---
            {kind: Node, metadata: {name: n2}}
            ---
            {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, provisioner: mooring.dev/hostpath}
            """, List.of(Asking::new, ProvisionController::new, () -> new FakeNode(disks)));
        steps.forEach(step -> take(stage, step));
        disks.full.clear();
        stage.put(node(1, "True")).put(node(2, "True"));
        stage.all("persistentvolumes").stream()
                .filter(volume -> volume.at("/metadata/uid").asText().equals("rival"))
                .forEach(volume -> stage.remove(
                        "persistentvolumes/" + volume.at("/metadata/name").asText()));
        stage.edit(claim(1), each -> Annotations.remove(each, "volume.kubernetes.io/selected-node"));
        stage.edit(claim(2), each -> Annotations.remove(each, "volume.kubernetes.io/selected-node"));
        stage.settle().passAll();

        assertThat(stage.all("volumeoperations.mooring.dev")).isEmpty();
        Set<String> volumes = new TreeSet<>();
        Set<String> owners = new HashSet<>();
        for (ObjectNode volume : stage.all("persistentvolumes")) {
            volumes.add(volume.at("/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0")
                            .asText()
                    + '/'
                    + volume.at("/metadata/uid").asText());
            assertThat(owners.add(volume.at("/spec/claimRef/uid").asText())).isTrue();
        }
        assertThat(disks.made).isEqualTo(volumes);
        for (ObjectNode claim : stage.all("persistentvolumeclaims")) {
            assertThat(claim.at("/spec/volumeName").asText()).isNotEmpty();
        }
    }

    private void take(Stage stage, Step step) {
        String key = claim(step.which());
        String uid = stage.has(key) ? stage.tree(key).at("/metadata/uid").asText() : "none";
        switch (step.kind()) {
            case CREATE -> {
                if (!stage.has(key)) {
                    stage.put("""
                        kind: PersistentVolumeClaim
                        metadata: {name: c%d, namespace: default, uid: u%d}
                        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: gold}
                        """.formatted(step.which(), uids++));
                }
            }
            case DELETE -> stage.remove(key);
            case BIND_ELSEWHERE -> {
                if (stage.has(key)
                        && stage.tree(key).at("/spec/volumeName").asText().isEmpty()) {
                    stage.edit(key, claim -> {
                        claim.withObject("/spec").put("volumeName", "static");
                        Annotations.put(claim, "pv.kubernetes.io/bind-completed", "yes");
                    });
                }
            }
            case RIVAL -> {
                if (!stage.has("persistentvolumes/pvc-" + uid)) {
                    stage.put("{kind: PersistentVolume, metadata: {name: pvc-" + uid + ", uid: rival}, spec: {}}");
                }
            }
            case CHOOSE ->
                stage.edit(
                        key,
                        claim -> Annotations.put(
                                claim, "volume.kubernetes.io/selected-node", "n" + (step.amount() % 2 + 1)));
            case AWAY -> stage.put(node(step.which(), "Unknown"));
            case BACK -> stage.put(node(step.which(), "True"));
            case FULL -> {
                if (!disks.full.remove("n" + step.which())) {
                    disks.full.add("n" + step.which());
                }
            }
            case KILL -> stage.killAfter(step.amount());
            case PASS -> stage.pass(Duration.ofSeconds(step.amount() * 20L));
        }
    }

    private static String claim(int which) {
        return "persistentvolumeclaims/default/c" + which;
    }

    private static String node(int which, String ready) {
        return "{kind: Node, metadata: {name: n" + which + "}, status: {conditions: [{type: Ready, status: '" + ready
                + "'}]}}";
    }
}
