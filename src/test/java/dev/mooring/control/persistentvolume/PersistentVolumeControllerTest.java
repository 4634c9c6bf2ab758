package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PersistentVolumeControllerTest {
    private static final Duration SETTLE_TIME = PersistentVolumeController.NEW_OBJECT_DELAY.multipliedBy(2);

    private static final String NAMESPACES =
            "---\n{kind: Namespace, metadata: {name: default}}\n---\n{kind: Namespace, metadata: {name: team}}\n";
    private static final String GOLD = "---\n"
            + "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, provisioner:"
            + " vendor.example/x, volumeBindingMode: Immediate}\n";

    static String volume(String name, String size, String more) {
        return "---\n{kind: PersistentVolume, metadata: {name: " + name + "}, spec: {capacity: {storage: " + size
                + "}, accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Retain, hostPath: {path: /x}" + more
                + "}, status: {phase: Pending}}\n";
    }

    static String claim(String name, String size, String more) {
        return "---\n{kind: PersistentVolumeClaim, metadata: {name: " + name
                + ", namespace: default}, spec: {resources: {requests: {storage: " + size
                + "}}, accessModes: [ReadWriteOnce]" + more + "}, status: {phase: Pending}}\n";
    }

    static ControllerFixture binder(String... yaml) {
        return new ControllerFixture(new PersistentVolumeController(), NAMESPACES + String.join("", yaml))
                .settle()
                .advance(SETTLE_TIME);
    }

    static ObjectNode tree(ControllerFixture binder, String key) {
        return WorldFixture.tree(binder.world(), key);
    }

    private static String phase(ControllerFixture binder, String key) {
        return tree(binder, key).path("status").path("phase").asText();
    }

    private static String volumeOf(ControllerFixture binder, String claim) {
        return tree(binder, "persistentvolumeclaims/default/" + claim)
                .path("spec")
                .path("volumeName")
                .asText("");
    }

    private static String pendingReason(ControllerFixture binder, String claim) {
        for (JsonNode each : tree(binder, "persistentvolumeclaims/default/" + claim)
                .path("status")
                .path("conditions")) {
            if (each.path("type").asText().equals("Bound")
                    && each.path("status").asText().equals("False")) {
                return each.path("reason").asText() + ": "
                        + each.path("message").asText();
            }
        }
        return "";
    }

    private static List<String> events(ControllerFixture binder) {
        List<String> events = new ArrayList<>();
        for (StoredObject event : binder.world().list(Scope.resource("events"))) {
            ObjectNode tree = WorldFixture.tree(binder.world(), event.key().text());
            events.add(tree.path("type").asText() + " " + tree.path("reason").asText() + " "
                    + tree.path("involvedObject").path("name").asText());
        }
        return events;
    }

    @Test
    void controller_removedOperationWithInvalidClaim_ignoresIt() {
        ControllerFixture run =
                binder("---\n{apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: op}, spec:"
                        + " {persistentVolume: pv, claim: {namespace: a/b, name: Name}}}\n");

        run.remove("volumeoperations.mooring.dev/op").settle();

        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void claim_matchingVolume_isBoundWithItInOneEvent() {
        ControllerFixture binder = binder(volume("v", "1Gi", "")).put(claim("c", "1Gi", ""));
        binder.takeEvents();

        binder.settle();

        assertThat(binder.takeEvents()).containsExactly("VolumeBound persistentvolumes/v");
        ObjectNode claim = tree(binder, "persistentvolumeclaims/default/c");
        assertThat(claim.path("metadata").path("annotations").toString())
                .isEqualTo(
                        "{\"pv.kubernetes.io/bound-by-controller\":\"yes\",\"pv.kubernetes.io/bind-completed\":\"yes\"}");
        assertThat(claim.path("status").toString())
                .isEqualTo(
                        "{\"phase\":\"Bound\",\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOnce\"],"
                                + "\"volumeName\":\"v\",\"volumeUID\":\"uid-v\",\"conditions\":[{\"type\":\"Bound\","
                                + "\"status\":\"True\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\","
                                + "\"lastProbeTime\":\"2026-01-01T00:00:00Z\",\"reason\":\"Bound\","
                                + "\"message\":\"bound to volume v\"}]}");
        assertThat(tree(binder, "persistentvolumes/v")
                        .path("spec")
                        .path("claimRef")
                        .path("uid")
                        .asText())
                .isEqualTo("uid-c");
        assertThat(phase(binder, "persistentvolumes/v")).isEqualTo("Bound");
    }

    @Test
    void volume_createdForPendingClaim_isBoundInOneEvent() {
        ControllerFixture binder = binder(claim("c", "1Gi", ""));
        binder.takeEvents();

        binder.put(volume("v", "1Gi", "")).settle();

        assertThat(binder.takeEvents()).containsExactly("VolumeBound persistentvolumes/v");
        assertThat(pendingReason(binder, "c")).isEmpty();
    }

    @Test
    void claimAndVolume_createdTogether_areBoundWithTheFirstWrite() {
        for (List<String> order : List.of(
                List.of(claim("c", "1Gi", ""), volume("v", "1Gi", "")),
                List.of(volume("v", "1Gi", ""), claim("c", "1Gi", "")))) {
            ControllerFixture binder = binder();

            order.forEach(each -> binder.put(each).settle());

            assertThat(binder.takeEvents()).containsExactly("VolumeBound persistentvolumes/v");
        }
    }

    @Test
    void volume_severalPendingClaims_isBoundToTheLargestThatFits() {
        ControllerFixture binder =
                binder(claim("small", "1Gi", ""), claim("large", "5Gi", ""), claim("huge", "50Gi", ""));

        binder.put(volume("v", "8Gi", "")).settle();

        assertThat(volumeOf(binder, "large")).isEqualTo("v");
        assertThat(volumeOf(binder, "small")).isEmpty();
    }

    @Test
    void claim_reservedVolume_isPreferredToFreeOneWithFewerModes() {
        String wide = volume("wide", "10Gi", ", claimRef: {namespace: default, name: c}")
                .replace("[ReadWriteOnce]", "[ReadWriteOnce, ReadWriteMany]");

        ControllerFixture binder = binder(volume("free", "1Gi", ""), wide, claim("c", "1Gi", ""));

        assertThat(volumeOf(binder, "c")).isEqualTo("wide");
    }

    @Test
    void volume_reservedInAnotherNamespace_staysAvailable() {
        ControllerFixture binder =
                binder(volume("v", "1Gi", ", claimRef: {namespace: team, name: c}"), claim("c", "1Gi", ""));

        assertThat(volumeOf(binder, "c")).isEmpty();
        assertThat(phase(binder, "persistentvolumes/v")).isEqualTo("Available");
    }

    @Test
    void claim_noMatchingVolume_reportsCountsAndNames() {
        ControllerFixture binder = binder(
                GOLD,
                GOLD.replace("gold", "slow"),
                volume("tiny", "1Gi", ", storageClassName: gold"),
                volume("small", "5Gi", ", storageClassName: gold"),
                volume("slow", "50Gi", ", storageClassName: slow"),
                volume("old", "50Gi", ", storageClassName: gold, claimRef: {namespace: team, name: old, uid: gone}"),
                claim("c", "10Gi", ", storageClassName: \"\""),
                claim("d", "10Gi", ", storageClassName: gold"));

        assertThat(pendingReason(binder, "c"))
                .isEqualTo("FailedBinding: no persistent volumes available for this claim and no storage class is set: "
                        + "4 PVs checked: 4 of other classes than \"\" (gold, slow)");
        assertThat(pendingReason(binder, "d")).startsWith("ExternalProvisioning: Waiting for a volume to be created");
        assertThat(NoMatchReport.of(binder.world(), claimView(binder.world(), "d")))
                .isEqualTo("4 PVs checked: 2 too small (largest 5Gi), 1 class slow≠gold, 1 Released from team/old;"
                        + " next: offer a Released volume again with: mooring release pv/old");
    }

    private static Claim claimView(World world, String name) {
        return Claim.of(world.get(Claim.key("default", name)).orElseThrow());
    }

    @Test
    void search_manyVolumes_examinesOnlyTheBestFit() {
        ControllerFixture store = new ControllerFixture(new NoOpController(), NAMESPACES);
        for (int i = 1; i <= 200; i++) {
            store.put(volume("v" + i, i + "Gi", ""));
        }
        store.put(claim("c", "100Gi", ""));
        List<String> examined = new ArrayList<>();

        Optional<Volume> found = VolumeSearch.findFor(
                store.world(),
                claimView(store.world(), "c"),
                candidate -> examined.add(candidate.stored().key().name()),
                volume -> true);

        assertThat(found.orElseThrow().name()).isEqualTo("v100");
        assertThat(examined).containsExactly("v100");
    }

    @Test
    void search_claimWithInvalidSelector_isSkipped() {
        ControllerFixture store = new ControllerFixture(
                new NoOpController(),
                claim("a", "2Gi", ", selector: {matchExpressions: [{key: k, operator: Invalid}]}")
                        + claim("b", "1Gi", "")
                        + volume("v", "5Gi", ""));
        Volume volume = Volume.of(store.world().get(Volume.key("v")).orElseThrow());

        assertThat(PendingClaim.findFor(store.world(), volume, claim -> true))
                .hasValueSatisfying(claim -> assertThat(claim.name()).isEqualTo("b"));
    }

    @Test
    void claim_pendingAndWorldUnchanged_causesNoFurtherWrites() {
        ControllerFixture binder = binder(volume("v", "1Gi", ""), claim("c", "10Gi", ""));
        binder.takeEvents();

        binder.put(volume("v2", "1Gi", "")).settle();
        binder.advance(Duration.ofSeconds(2));

        assertThat(binder.takeEvents())
                .containsExactly("VolumeAvailable persistentvolumes/v2", "ClaimWaits persistentvolumeclaims/default/c");
        binder.advance(Duration.ofHours(1));
        assertThat(binder.takeEvents()).isEmpty();
        assertThat(binder.waiting()).isZero();
    }

    @Test
    void claim_pendingWhileManyVolumesAppear_hasOneAggregatedEvent() {
        ControllerFixture binder = binder(claim("c", "10Gi", ""));
        for (int i = 0; i < 60; i++) {
            binder.put(volume("v" + i, "1Gi", "")).settle();
            binder.advance(Duration.ofSeconds(2));
        }

        assertThat(pendingReason(binder, "c")).endsWith("60 PVs checked: 60 too small (largest 1Gi)");
        // Two minutes: at once, then 15, 30 and 60 seconds apart.
        assertThat(binder.world().list(Scope.resource("events")))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.toTree().path("count").asInt()).isEqualTo(4));
    }

    @Test
    void claim_lostVolume_reportsVolumeSourceAndRecovery() {
        ControllerFixture binder = binder(volume("v", "1Gi", ""), claim("c", "1Gi", ""));

        binder.remove("persistentvolumes/v").settle();

        String message = pendingReason(binder, "c");
        assertThat(message)
                .startsWith("ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!"
                        + " PersistentVolume \"v\" (hostPath /x, reclaim policy ")
                .contains("was deleted", "mooring log cat --object persistentvolumes/v")
                .contains("delete this claim, create a PersistentVolume with the same source and spec.claimRef"
                        + " {namespace: default, name: c}, and create the claim again");
        ControllerFixture restarted = new ControllerFixture(new PersistentVolumeController(), binder.world());
        restarted.settle();
        assertThat(pendingReason(restarted, "c")).isEqualTo(message);
    }

    @Test
    void claim_volumeLostBeforeStart_reportsHowToFindIt() {
        ControllerFixture binder = binder(claim("c", "1Gi", ", volumeName: v")
                .replace("{name: c", "{annotations: {pv.kubernetes.io/bind-completed: \"yes\"}, name: c"));

        assertThat(pendingReason(binder, "c"))
                .contains("PersistentVolume \"v\" does not exist", "mooring log cat --object persistentvolumes/v");
    }

    @Test
    void volume_affinityToMissingNode_isBoundOnlyAfterNodeAppears() {
        String affine = volume(
                "v",
                "1Gi",
                ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname,"
                        + " operator: In, values: [n1]}]}]}}");
        ControllerFixture binder = binder(affine, claim("c", "1Gi", ""));
        assertThat(pendingReason(binder, "c")).endsWith("1 PV checked: 1 with affinity to no existing node");

        binder.put("---\n{kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}}")
                .settle();
        binder.advance(Duration.ofSeconds(2));

        assertThat(volumeOf(binder, "c")).isEqualTo("v");
    }

    @Test
    void claim_annotatedAsBound_isBoundOnlyIfVolumeMatchesOrUidIsKnown() {
        String annotated = "annotations: {pv.kubernetes.io/bind-completed: 'yes'}, namespace: default";
        String other =
                claim("c", "1Gi", ", volumeName: v, storageClassName: gold").replace("namespace: default", annotated);
        ControllerFixture binder = binder(volume("v", "1Gi", ""), other);
        assertThat(pendingReason(binder, "c"))
                .startsWith("VolumeMismatch: ")
                .contains("storageClassName does not match");
        assertThat(tree(binder, "persistentvolumes/v").path("spec").has("claimRef"))
                .isFalse();

        binder = binder(
                volume("v", "1Gi", ""), claim("c", "1Gi", ", volumeName: v").replace("namespace: default", annotated));
        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Bound");

        String remembered = other.replace("status: {phase: Pending}", "status: {phase: Bound, volumeUID: uid-v}");
        binder = binder(volume("v", "1Gi", ""), remembered);
        assertThat(tree(binder, "persistentvolumes/v")
                        .path("spec")
                        .path("claimRef")
                        .path("name")
                        .asText())
                .isEqualTo("c");
    }

    @Test
    void claim_lostAndVolumeRecreatedWithAnotherUid_staysLost() {
        ControllerFixture binder = binder(volume("v", "1Gi", ""), claim("c", "1Gi", ""));

        binder.remove("persistentvolumes/v").settle();
        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Lost");
        binder.put(volume("v", "1Gi", "").replace("{name: v}", "{name: v, uid: another}"))
                .settle();

        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Lost");
        assertThat(phase(binder, "persistentvolumes/v")).isEqualTo("Available");
        assertThat(pendingReason(binder, "c")).contains("exists again, but with another uid");
        assertThat(events(binder)).contains("Warning ClaimLost c");
    }

    @Test
    void claim_reservedVolumeTooSmall_staysPendingAndReportsSizes() {
        ControllerFixture binder = binder(
                volume("v", "1Gi", ", claimRef: {namespace: default, name: c}"), claim("c", "2Gi", ", volumeName: v"));

        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Pending");
        assertThat(pendingReason(binder, "c"))
                .isEqualTo(
                        "VolumeMismatch: Cannot bind to requested volume \"v\": requested PV is too small (1Gi < 2Gi)");
    }

    @Test
    void claim_recreated_doesNotGetVolumeOfItsPredecessor() {
        ControllerFixture binder = binder(volume("v", "1Gi", ""), claim("c", "1Gi", ""));

        binder.remove("persistentvolumeclaims/default/c")
                .put(claim("c", "1Gi", "").replace("name: c,", "name: c, uid: second,"))
                .settle()
                .advance(SETTLE_TIME);

        assertThat(phase(binder, "persistentvolumes/v")).isEqualTo("Released");
        assertThat(tree(binder, "persistentvolumes/v")
                        .path("status")
                        .path("message")
                        .asText())
                .contains("mooring release pv/v");
        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Pending");
        assertThat(pendingReason(binder, "c")).contains("1 Released from default/c");
    }

    @Test
    void binding_unknownFieldsAndAnnotations_areKept() {
        String extended = volume("v", "1Gi", ", future: {a: 1}").replace("{name: v}", "{name: v, annotations: {x: y}}");
        ControllerFixture binder = binder(extended, claim("c", "1Gi", ", future: [1]"));

        assertThat(tree(binder, "persistentvolumes/v")
                        .path("spec")
                        .path("future")
                        .toString())
                .isEqualTo("{\"a\":1}");
        assertThat(tree(binder, "persistentvolumes/v")
                        .path("metadata")
                        .path("annotations")
                        .path("x")
                        .asText())
                .isEqualTo("y");
        assertThat(tree(binder, "persistentvolumeclaims/default/c")
                        .path("spec")
                        .path("future")
                        .toString())
                .isEqualTo("[1]");
    }

    @Test
    void claims_reconciledOnTheSameWorld_getDifferentVolumes() {
        ControllerFixture store = new ControllerFixture(new NoOpController(), NAMESPACES);
        for (int i = 0; i < 50; i++) {
            store.put(volume("v" + i, "1Gi", "")).put(claim("c" + i, "1Gi", ""));
        }
        PersistentVolumeController binder = new PersistentVolumeController();
        List<ObjectKey> keys = new ArrayList<>();
        store.world().list(Scope.all()).forEach(each -> {
            deliver(binder, store.world(), each);
            if (each.key().resource().equals("persistentvolumeclaims")) {
                keys.add(each.key());
            }
        });

        List<String> volumes = new ArrayList<>();
        for (ObjectKey key : keys) {
            volumes.add(binder.reconcile(store.world(), key, store.now())
                    .proposals()
                    .get(0)
                    .writes()
                    .get(0)
                    .key()
                    .name());
        }

        assertThat(volumes).hasSize(50).doesNotHaveDuplicates();
    }

    private static void deliver(PersistentVolumeController binder, World world, StoredObject object) {
        if (binder.scopes().stream().anyMatch(scope -> scope.contains(object.key()))) {
            binder.onChange(Change.put(object, 0), Optional.empty(), world, new NoOpController());
        }
    }

    /** The changes of volumes and of claims arrive independently of each other. */
    @Test
    void claim_lastChangeOfBestVolumeNotDelivered_isBoundToIt() {
        ControllerFixture store = new ControllerFixture(new NoOpController(), NAMESPACES);
        store.put(volume("small", "1Gi", "")).put(volume("large", "2Gi", "")).put(claim("c", "1Gi", ""));
        PersistentVolumeController binder = new PersistentVolumeController();
        store.world().list(Scope.all()).forEach(each -> deliver(binder, store.world(), each));

        store.put(volume("small", "1Gi", "").replace("Pending", "Available"));
        Decision decision = binder.reconcile(store.world(), Claim.key("default", "c"), store.now());

        assertThat(decision.proposals().get(0).writes().get(0).key()).isEqualTo(Volume.key("small"));
    }

    /** A claim may have been bound and unbound since the last change that was delivered. */
    @Test
    void claim_volumeLostItsClaimRefAndChangeNotDelivered_isNotBoundToIt() {
        ControllerFixture binder = binder(volume("v", "1Gi", ""), claim("first", "1Gi", ""));
        ControllerFixture store = new ControllerFixture(new NoOpController(), binder.world());
        store.put(claim("second", "1Gi", ""));
        PersistentVolumeController restarted = new PersistentVolumeController();
        store.world().list(Scope.all()).forEach(each -> deliver(restarted, store.world(), each));

        store.put(volume("v", "1Gi", "").replace("Pending", "Available"));
        Decision decision = restarted.reconcile(store.world(), Claim.key("default", "second"), store.now());

        assertThat(decision.proposals()).isEmpty();
    }

    /** Does nothing. */
    private static final class NoOpController implements Controller, Controller.Enqueuer {
        @Override
        public String name() {
            return "noop";
        }

        @Override
        public List<Scope> scopes() {
            return List.of();
        }

        @Override
        public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer enqueuer) {}

        @Override
        public Decision reconcile(World world, ObjectKey key, Instant now) {
            return Decision.none();
        }

        @Override
        public void enqueue(ObjectKey key) {}

        @Override
        public void enqueueWithin(ObjectKey key, Duration delay) {}
    }
}
