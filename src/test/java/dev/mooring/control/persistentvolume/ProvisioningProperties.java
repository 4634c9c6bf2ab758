package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Annotations;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** After any user actions, node failures and crashes each claim has one volume, and disks hold nothing else. */
class ProvisioningProperties {
    private enum Kind {
        CREATE,
        DELETE,
        BIND_ELSEWHERE,
        FOREIGN_VOLUME,
        SELECT_NODE,
        NOT_READY,
        READY,
        FULL,
        KILL,
        ADVANCE
    }

    record Step(Kind kind, int index, int amount) {}

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

    private FakeProvisioningNode.Disks disks = new FakeProvisioningNode.Disks();
    private int uids;

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void provisioning_anySequenceOfSteps_eachClaimHasOneVolumeAndNoOrphans(@ForAll("steps") List<Step> steps) {
        disks = new FakeProvisioningNode.Disks();
        CrashableControllersFixture fixture = new CrashableControllersFixture(
                """
                {kind: Namespace, metadata: {name: default}}
                ---
                {kind: Node, metadata: {name: n1}}
                ---
                {kind: Node, metadata: {name: n2}}
                ---
                {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, provisioner: mooring.dev/hostpath, parameters: {basePath: /srv}}
                """,
                List.of(
                        FakeBinder::new,
                        () -> new ProvisionController(Map.of()),
                        () -> new FakeProvisioningNode(disks)));
        steps.forEach(step -> run(fixture, step));
        disks.full.clear();
        fixture.put(node(1, "True")).put(node(2, "True"));
        fixture.all("persistentvolumes").stream()
                .filter(volume -> volume.at("/metadata/uid").asText().equals("foreign"))
                .forEach(volume -> fixture.remove(
                        "persistentvolumes/" + volume.at("/metadata/name").asText()));
        fixture.edit(claim(1), each -> Annotations.remove(each, "volume.kubernetes.io/selected-node"));
        fixture.edit(claim(2), each -> Annotations.remove(each, "volume.kubernetes.io/selected-node"));
        fixture.settle().advanceUntilSettled();

        assertThat(fixture.all("volumeoperations.mooring.dev")).isEmpty();
        Set<String> volumes = new TreeSet<>();
        Set<String> owners = new HashSet<>();
        for (ObjectNode volume : fixture.all("persistentvolumes")) {
            volumes.add(volume.at("/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0")
                            .asText()
                    + '/'
                    + volume.at("/metadata/uid").asText());
            assertThat(owners.add(volume.at("/spec/claimRef/uid").asText())).isTrue();
        }
        assertThat(disks.volumes).isEqualTo(volumes);
        for (ObjectNode claim : fixture.all("persistentvolumeclaims")) {
            assertThat(claim.at("/spec/volumeName").asText()).isNotEmpty();
        }
    }

    private void run(CrashableControllersFixture fixture, Step step) {
        String key = claim(step.index());
        String uid = fixture.has(key) ? fixture.tree(key).at("/metadata/uid").asText() : "none";
        switch (step.kind()) {
            case CREATE -> {
                if (!fixture.has(key)) {
                    fixture.put("""
                        kind: PersistentVolumeClaim
                        metadata: {name: c%d, namespace: default, uid: u%d}
                        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: gold}
                        """.formatted(step.index(), uids++));
                }
            }
            case DELETE -> fixture.remove(key);
            case BIND_ELSEWHERE -> {
                if (fixture.has(key)
                        && fixture.tree(key).at("/spec/volumeName").asText().isEmpty()) {
                    fixture.edit(key, claim -> {
                        claim.withObject("/spec").put("volumeName", "static");
                        Annotations.put(claim, "pv.kubernetes.io/bind-completed", "yes");
                    });
                }
            }
            case FOREIGN_VOLUME -> {
                if (!fixture.has("persistentvolumes/pvc-" + uid)) {
                    fixture.put("{kind: PersistentVolume, metadata: {name: pvc-" + uid + ", uid: foreign}, spec: {}}");
                }
            }
            case SELECT_NODE ->
                fixture.edit(
                        key,
                        claim -> Annotations.put(
                                claim, "volume.kubernetes.io/selected-node", "n" + (step.amount() % 2 + 1)));
            case NOT_READY -> fixture.put(node(step.index(), "Unknown"));
            case READY -> fixture.put(node(step.index(), "True"));
            case FULL -> {
                if (!disks.full.remove("n" + step.index())) {
                    disks.full.add("n" + step.index());
                }
            }
            case KILL -> fixture.killAfter(step.amount());
            case ADVANCE -> fixture.advance(Duration.ofSeconds(step.amount() * 20L));
        }
    }

    private static String claim(int index) {
        return "persistentvolumeclaims/default/c" + index;
    }

    private static String node(int index, String ready) {
        return "{kind: Node, metadata: {name: n" + index + "}, status: {conditions: [{type: Ready, status: '" + ready
                + "'}]}}";
    }
}
