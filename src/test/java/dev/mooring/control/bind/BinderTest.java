package dev.mooring.control.bind;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BinderTest {
    private static final Duration MOMENT = Binder.NEWCOMER.multipliedBy(2);

    private static final String HOME =
            "---\n{kind: Namespace, metadata: {name: default}}\n---\n{kind: Namespace, metadata: {name: team}}\n";
    private static final String GOLD = "---\n"
            + "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, provisioner:"
            + " vendor.example/x, volumeBindingMode: Immediate}\n";

    private static String volume(String name, String size, String more) {
        return "---\n{kind: PersistentVolume, metadata: {name: " + name + "}, spec: {capacity: {storage: " + size
                + "}, accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Retain, hostPath: {path: /x}" + more
                + "}, status: {phase: Pending}}\n";
    }

    private static String claim(String name, String size, String more) {
        return "---\n{kind: PersistentVolumeClaim, metadata: {name: " + name
                + ", namespace: default}, spec: {resources: {requests: {storage: " + size
                + "}}, accessModes: [ReadWriteOnce]" + more + "}, status: {phase: Pending}}\n";
    }

    private static OneController binder(String... yaml) {
        return new OneController(new Binder(), HOME + String.join("", yaml))
                .settle()
                .pass(MOMENT);
    }

    private static ObjectNode tree(OneController binder, String key) {
        return Worlds.tree(binder.world(), key);
    }

    private static String phase(OneController binder, String key) {
        return tree(binder, key).path("status").path("phase").asText();
    }

    private static String volumeOf(OneController binder, String claim) {
        return tree(binder, "persistentvolumeclaims/default/" + claim)
                .path("spec")
                .path("volumeName")
                .asText("");
    }

    private static String waitsFor(OneController binder, String claim) {
        for (JsonNode each : tree(binder, "persistentvolumeclaims/default/" + claim)
                .path("status")
                .path("conditions")) {
            if (each.path("type").asText().equals("Bound")) {
                return each.path("reason").asText() + ": "
                        + each.path("message").asText();
            }
        }
        return "";
    }

    private static List<String> events(OneController binder) {
        List<String> events = new ArrayList<>();
        for (StoredObject event : binder.world().list(Scope.resource("events"))) {
            ObjectNode tree = Worlds.tree(binder.world(), event.key().text());
            events.add(tree.path("type").asText() + " " + tree.path("reason").asText() + " "
                    + tree.path("involvedObject").path("name").asText());
        }
        return events;
    }

    @Test
    void bindsBothSidesInOneEvent() {
        OneController binder = binder(volume("v", "1Gi", "")).put(claim("c", "1Gi", ""));
        binder.did();

        binder.settle();

        assertThat(binder.did()).containsExactly("VolumeBound persistentvolumes/v");
        ObjectNode claim = tree(binder, "persistentvolumeclaims/default/c");
        assertThat(claim.path("metadata").path("annotations").toString())
                .isEqualTo(
                        "{\"pv.kubernetes.io/bound-by-controller\":\"yes\",\"pv.kubernetes.io/bind-completed\":\"yes\"}");
        assertThat(claim.path("status").toString())
                .isEqualTo(
                        "{\"phase\":\"Bound\",\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOnce\"],"
                                + "\"volumeName\":\"v\",\"volumeUID\":\"uid-v\"}");
        assertThat(tree(binder, "persistentvolumes/v")
                        .path("spec")
                        .path("claimRef")
                        .path("uid")
                        .asText())
                .isEqualTo("uid-c");
        assertThat(phase(binder, "persistentvolumes/v")).isEqualTo("Bound");
    }

    @Test
    void aNewVolumeGoesStraightToTheClaimThatWaitsForIt() {
        OneController binder = binder(claim("c", "1Gi", ""));
        binder.did();

        binder.put(volume("v", "1Gi", "")).settle();

        assertThat(binder.did()).containsExactly("VolumeBound persistentvolumes/v");
        assertThat(waitsFor(binder, "c")).isEmpty();
    }

    @Test
    void aClaimAndAVolumeOfTheSameMomentAreBoundByTheFirstThingWritten() {
        for (List<String> order : List.of(
                List.of(claim("c", "1Gi", ""), volume("v", "1Gi", "")),
                List.of(volume("v", "1Gi", ""), claim("c", "1Gi", "")))) {
            OneController binder = binder();

            order.forEach(each -> binder.put(each).settle());

            assertThat(binder.did()).containsExactly("VolumeBound persistentvolumes/v");
        }
    }

    @Test
    void aNewVolumeGoesToTheLargestRequestItHolds() {
        OneController binder = binder(claim("small", "1Gi", ""), claim("large", "5Gi", ""), claim("huge", "50Gi", ""));

        binder.put(volume("v", "8Gi", "")).settle();

        assertThat(volumeOf(binder, "large")).isEqualTo("v");
        assertThat(volumeOf(binder, "small")).isEmpty();
    }

    @Test
    void aReservedVolumeWinsOverAFreeOneWithFewerModes() {
        String wide = volume("wide", "10Gi", ", claimRef: {namespace: default, name: c}")
                .replace("[ReadWriteOnce]", "[ReadWriteOnce, ReadWriteMany]");

        OneController binder = binder(volume("free", "1Gi", ""), wide, claim("c", "1Gi", ""));

        assertThat(volumeOf(binder, "c")).isEqualTo("wide");
    }

    @Test
    void aReservationInAnotherNamespaceIsNotForThisOne() {
        OneController binder =
                binder(volume("v", "1Gi", ", claimRef: {namespace: team, name: c}"), claim("c", "1Gi", ""));

        assertThat(volumeOf(binder, "c")).isEmpty();
        assertThat(phase(binder, "persistentvolumes/v")).isEqualTo("Available");
    }

    @Test
    void saysWhyWithCountsAndNames() {
        OneController binder = binder(
                GOLD,
                GOLD.replace("gold", "slow"),
                volume("tiny", "1Gi", ", storageClassName: gold"),
                volume("small", "5Gi", ", storageClassName: gold"),
                volume("slow", "50Gi", ", storageClassName: slow"),
                volume("old", "50Gi", ", storageClassName: gold, claimRef: {namespace: team, name: old, uid: gone}"),
                claim("c", "10Gi", ", storageClassName: \"\""),
                claim("d", "10Gi", ", storageClassName: gold"));

        assertThat(waitsFor(binder, "c"))
                .isEqualTo("FailedBinding: no persistent volumes available for this claim and no storage class is set: "
                        + "4 PVs looked at: 4 of other classes than \"\" (gold, slow)");
        assertThat(waitsFor(binder, "d")).startsWith("ExternalProvisioning: Waiting for a volume to be created");
        assertThat(Survey.of(
                        Claim.of(binder.world()
                                .get(ObjectKey.parse("persistentvolumeclaims/default/d"))
                                .orElseThrow()),
                        known(binder)))
                .isEqualTo("4 PVs looked at: 2 too small (largest 5Gi), 1 class slow≠gold, 1 Released from team/old;"
                        + " next: offer a Released volume again with: mooring release pv/old");
    }

    private static Known known(OneController binder) {
        Known known = new Known();
        binder.world()
                .list(Scope.resource("persistentvolumes"))
                .forEach(each -> known.volumes().follow(Change.put(each, 0)));
        return known;
    }

    @Test
    void anUnchangedWorldCostsNothingAndSaysNothingAgain() {
        OneController binder = binder(volume("v", "1Gi", ""), claim("c", "10Gi", ""));
        binder.did();

        binder.put(volume("v2", "1Gi", "")).settle();
        binder.pass(Duration.ofSeconds(2));

        assertThat(binder.did())
                .containsExactly(
                        "VolumeAvailable persistentvolumes/v2",
                        "ClaimWaits persistentvolumeclaims/default/c",
                        "EventRecorded events/default/" + lastEvent(binder));
        binder.pass(Duration.ofHours(1));
        assertThat(binder.did()).isEmpty();
        assertThat(binder.waiting()).isZero();
    }

    private static String lastEvent(OneController binder) {
        StoredObject newest = null;
        for (StoredObject each : binder.world().list(Scope.resource("events"))) {
            newest = newest == null || each.revision() > newest.revision() ? each : newest;
        }
        return newest.key().name();
    }

    @Test
    void aVolumeOnANodeThatDoesNotExistIsNotGivenAway() {
        String affine = volume(
                "v",
                "1Gi",
                ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname,"
                        + " operator: In, values: [n1]}]}]}}");
        OneController binder = binder(affine, claim("c", "1Gi", ""));
        assertThat(waitsFor(binder, "c")).endsWith("1 PV looked at: 1 on no node that exists");

        binder.put("---\n{kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}}")
                .settle();
        binder.pass(Duration.ofSeconds(2));

        assertThat(volumeOf(binder, "c")).isEqualTo("v");
    }

    @Test
    void aLostClaimComesBackOnlyForTheSameVolume() {
        OneController binder = binder(volume("v", "1Gi", ""), claim("c", "1Gi", ""));

        binder.remove("persistentvolumes/v").settle();
        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Lost");
        binder.put(volume("v", "1Gi", "").replace("{name: v}", "{name: v, uid: another}"))
                .settle();

        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Lost");
        assertThat(phase(binder, "persistentvolumes/v")).isEqualTo("Available");
        assertThat(waitsFor(binder, "c")).contains("it is another one");
        assertThat(events(binder)).contains("Warning ClaimLost c");
    }

    @Test
    void twoSidedReservationOfTooSmallAVolumeIsRefusedWithTheSizes() {
        OneController binder = binder(
                volume("v", "1Gi", ", claimRef: {namespace: default, name: c}"), claim("c", "2Gi", ", volumeName: v"));

        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Pending");
        assertThat(waitsFor(binder, "c"))
                .isEqualTo(
                        "VolumeMismatch: Cannot bind to requested volume \"v\": requested PV is too small (1Gi < 2Gi)");
    }

    @Test
    void aRecreatedClaimDoesNotGetTheVolumeOfTheOldOne() {
        OneController binder = binder(volume("v", "1Gi", ""), claim("c", "1Gi", ""));

        binder.remove("persistentvolumeclaims/default/c")
                .put(claim("c", "1Gi", "").replace("name: c,", "name: c, uid: second,"))
                .settle()
                .pass(MOMENT);

        assertThat(phase(binder, "persistentvolumes/v")).isEqualTo("Released");
        assertThat(tree(binder, "persistentvolumes/v")
                        .path("status")
                        .path("message")
                        .asText())
                .contains("mooring release pv/v");
        assertThat(phase(binder, "persistentvolumeclaims/default/c")).isEqualTo("Pending");
        assertThat(waitsFor(binder, "c")).contains("1 Released from default/c");
    }

    @Test
    void whatIsUnknownStaysOnBothSides() {
        String odd = volume("v", "1Gi", ", future: {a: 1}").replace("{name: v}", "{name: v, annotations: {x: y}}");
        OneController binder = binder(odd, claim("c", "1Gi", ", future: [1]"));

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
    void manyClaimsLookedAtUponOneWorldTakeDifferentVolumes() {
        OneController laidDown = new OneController(new Nobody(), HOME);
        for (int i = 0; i < 50; i++) {
            laidDown.put(volume("v" + i, "1Gi", "")).put(claim("c" + i, "1Gi", ""));
        }
        Binder binder = new Binder();
        List<ObjectKey> keys = new ArrayList<>();
        laidDown.world().list(Scope.all()).forEach(each -> {
            if (binder.scopes().stream().anyMatch(scope -> scope.contains(each.key()))) {
                binder.follow(Change.put(each, 0), Optional.empty(), laidDown.world(), new Nobody());
            }
            if (each.key().resource().equals("persistentvolumeclaims")) {
                keys.add(each.key());
            }
        });

        List<String> taken = new ArrayList<>();
        for (ObjectKey key : keys) {
            taken.add(binder.reconcile(laidDown.world(), key, laidDown.now())
                    .proposals()
                    .get(0)
                    .writes()
                    .get(0)
                    .key()
                    .name());
        }

        assertThat(taken).hasSize(50).doesNotHaveDuplicates();
    }

    /** Does nothing, and is woken for nothing. */
    private static final class Nobody implements Controller, Controller.Wakes {
        @Override
        public String name() {
            return "nobody";
        }

        @Override
        public List<Scope> scopes() {
            return List.of();
        }

        @Override
        public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {}

        @Override
        public Decision reconcile(World world, ObjectKey key, Instant now) {
            return Decision.nothing();
        }

        @Override
        public void now(ObjectKey key) {}

        @Override
        public void within(ObjectKey key, Duration delay) {}
    }
}
