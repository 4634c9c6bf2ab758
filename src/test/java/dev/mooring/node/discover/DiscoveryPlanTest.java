package dev.mooring.node.discover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a survey of the disks means for the World. */
class DiscoveryPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.9Z");
    private static final Path DISKS = Path.of("/mnt/disks");
    private static final Directory KEPT = new Directory(DISKS, "local", false, false);
    private static final Directory WIPED = new Directory(DISKS, "local", true, true);
    private static final String DEFAULT = "---\n{kind: Namespace, metadata: {name: default}}\n";
    private static final String PV = "persistentvolumes/" + LocalVolume.name("n1", DISKS.resolve("a"));

    private static Found found(String name, Found.Form form) {
        return new Found(DISKS.resolve(name), KEPT, form, 10L << 30);
    }

    private static Survey survey(Found... found) {
        return new Survey(List.of(found), Set.of(DISKS), Set.of(), List.of());
    }

    private static DiscoveryPlan plan(Survey survey, World world) {
        return DiscoveryPlan.of(survey, world, "n1", NOW);
    }

    private static World after(World world, DiscoveryPlan plan) {
        World next = world;
        for (Proposal each : plan.proposals()) {
            assertThat(each.actor()).isEqualTo("node/n1");
            next = Worlds.after(next, each);
        }
        return next;
    }

    /** A world in which /mnt/disks/a has been found. */
    private static World known(Found.Form form) {
        World world = Worlds.of(DEFAULT);
        return after(world, plan(survey(found("a", form)), world));
    }

    private static World with(World world, Consumer<ObjectNode> change) {
        ObjectNode volume = Worlds.tree(world, PV);
        change.accept(volume);
        return Worlds.put(world, volume);
    }

    private static String told(World world) {
        StringBuilder told = new StringBuilder();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            JsonNode event = Worlds.tree(world, each.key().text());
            told.append(event.path("type").asText())
                    .append(' ')
                    .append(event.path("reason").asText());
            told.append(": ").append(event.path("message").asText()).append('\n');
        }
        return told.toString();
    }

    @Test
    void whatIsNewBecomesAVolumeAsIfAPersonHadCreatedIt() {
        World world = Worlds.of(
                DEFAULT + "---\n{kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: host1}}}\n");
        Found disk = new Found(DISKS.resolve("a"), WIPED, Found.Form.MOUNTED, 10L << 30);
        DiscoveryPlan plan = plan(survey(disk), world);
        assertThat(plan.proposals()).extracting(Proposal::type).containsExactly("VolumeDiscovered");
        ObjectNode volume = Worlds.tree(after(world, plan), PV);
        String uid = volume.path("metadata").path("uid").asText();
        assertThat(uid).hasSize(36);
        ((ObjectNode) volume.get("metadata")).remove("resourceVersion");
        assertThat(volume)
                .isEqualTo(Worlds.objects("""
                    kind: PersistentVolume
                    apiVersion: v1
                    metadata:
                      name: local-pv-%s
                      uid: %s
                      creationTimestamp: '2026-01-01T00:00:00Z'
                      labels: {kubernetes.io/hostname: host1}
                      annotations: {mooring.dev/discovered-by: n1}
                      finalizers: [kubernetes.io/pv-protection]
                    spec:
                      capacity: {storage: 10Gi}
                      local: {path: /mnt/disks/a}
                      accessModes: [ReadWriteOnce]
                      persistentVolumeReclaimPolicy: Delete
                      storageClassName: local
                      volumeMode: Filesystem
                      nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [
                        {key: kubernetes.io/hostname, operator: In, values: [host1]}]}]}}
                    status: {phase: Pending, lastPhaseTransitionTime: '2026-01-01T00:00:00Z'}
                    """.formatted(PV.substring(PV.length() - 8), uid))
                        .get(0));
    }

    @ParameterizedTest
    @CsvSource({"PLAIN, Filesystem, true", "MOUNTED, Filesystem, false", "DEVICE, Block, false"})
    void saysWhatItIsAndWhetherItsSizeIsEnforced(Found.Form form, String mode, boolean annotated) {
        ObjectNode volume = Worlds.tree(known(form), PV);
        assertThat(volume.path("spec").path("volumeMode").asText()).isEqualTo(mode);
        assertThat(volume.path("spec").path("persistentVolumeReclaimPolicy").asText())
                .isEqualTo("Retain");
        assertThat(volume.path("metadata").path("annotations").has(LocalVolume.SIZE_NOT_ENFORCED))
                .isEqualTo(annotated);
    }

    @Test
    void aDeviceWaitsForAPersonEvenWhereDirectoriesAreWiped() {
        Found device = new Found(DISKS.resolve("a"), WIPED, Found.Form.DEVICE, 1);
        World world = Worlds.of(DEFAULT);
        ObjectNode volume = Worlds.tree(after(world, plan(survey(device), world)), PV);
        assertThat(volume.path("spec").path("persistentVolumeReclaimPolicy").asText())
                .isEqualTo("Retain");
    }

    @Test
    void decidesTheSameTwiceAndNothingOnceItHasHappened() {
        World world = Worlds.of(DEFAULT);
        Survey survey =
                survey(found("a", Found.Form.PLAIN), found("b", Found.Form.DEVICE), found("a", Found.Form.PLAIN));
        DiscoveryPlan plan = plan(survey, world);
        assertThat(plan.proposals()).hasSize(2);
        assertThat(after(world, plan)).isEqualTo(after(world, plan(survey, world)));
        assertThat(plan(survey, after(world, plan)).proposals()).isEmpty();
    }

    @Test
    void whatWasGoneAndComesBackIsAnotherVolume() {
        World first = known(Found.Form.PLAIN);
        World gone = Worlds.after(
                first,
                Proposal.by("t", "Removed")
                        .remove(first.get(ObjectKey.parse(PV)).orElseThrow())
                        .build());
        World again = after(gone, plan(survey(found("a", Found.Form.PLAIN)), gone));
        assertThat(Worlds.tree(again, PV).path("metadata").path("uid"))
                .isNotEqualTo(Worlds.tree(first, PV).path("metadata").path("uid"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{local: {path: /mnt/disks/a/}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                        + " kubernetes.io/hostname, operator: In, values: [n1]}]}]}}}",
                "{hostPath: {path: /mnt/disks/a}}"
            })
    void offersNoPlaceThatIsInAVolumeOfSomebodyElse(String spec) {
        World world = Worlds.of("{kind: PersistentVolume, metadata: {name: mine}, spec: " + spec + "}");
        DiscoveryPlan plan = plan(survey(found("a", Found.Form.PLAIN)), world);
        assertThat(plan.proposals()).isEmpty();
        assertThat(plan.problems().toString()).contains("/mnt/disks/a", "it is in mine");
    }

    @Test
    void theSamePlaceOnAnotherNodeIsAnotherPlace() {
        World world = Worlds.of("{kind: PersistentVolume, metadata: {name: theirs}, spec: {local: {path: /mnt/disks/a},"
                + " nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname,"
                + " operator: In, values: [n2]}]}]}}}}");
        assertThat(plan(survey(found("a", Found.Form.PLAIN)), world).proposals())
                .hasSize(1);
        World discovered =
                DiscoveryPlan.of(survey(found("a", Found.Form.PLAIN)), Worlds.of(DEFAULT), "n2", NOW)
                        .proposals()
                        .stream()
                        .reduce(Worlds.of(DEFAULT), Worlds::after, (a, b) -> b);
        DiscoveryPlan ours = plan(survey(found("a", Found.Form.PLAIN)), discovered);
        assertThat(ours.proposals()).hasSize(1);
        assertThat(plan(survey(), after(discovered, ours))
                        .proposals()
                        .get(0)
                        .writes()
                        .get(0)
                        .key()
                        .text())
                .isEqualTo(PV);
    }

    @Test
    void aNameThatIsTakenIsNotTakenAway() {
        World world = Worlds.of(
                "{kind: PersistentVolume, metadata: {name: " + PV.substring(PV.indexOf('/') + 1) + "}, spec: {}}");
        DiscoveryPlan plan = plan(survey(found("a", Found.Form.PLAIN)), world);
        assertThat(plan.proposals()).isEmpty();
        assertThat(plan.problems()).hasSize(1);
    }

    @Test
    void whatIsGoneAndUnclaimedIsRemoved() {
        World world = known(Found.Form.MOUNTED);
        DiscoveryPlan plan = plan(survey(), world);
        World next = after(world, plan);
        assertThat(plan.proposals())
                .extracting(Proposal::type)
                .containsExactly("PersistentVolumeDeletionRequested", "EventRecorded");
        assertThat(Worlds.tree(next, PV).path("metadata").has("deletionTimestamp"))
                .isTrue();
        assertThat(told(next))
                .isEqualTo("Normal LocalVolumeRemoved: /mnt/disks/a is gone on node n1; nobody had claimed the volume,"
                        + " so it is removed\n");
        assertThat(plan(survey(), next).proposals()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bound", "Released", "Failed", "Available"})
    void whatIsGoneAndWasClaimedIsKeptWithAWarning(String phase) {
        World world = with(known(Found.Form.MOUNTED), volume -> {
            volume.withObject("/status").put("phase", phase);
            volume.withObject("/spec")
                    .putObject("claimRef")
                    .put("namespace", "n")
                    .put("name", "c")
                    .put("uid", "u");
        });
        World next = after(world, plan(survey(), world));
        assertThat(Worlds.tree(next, PV)).isEqualTo(Worlds.tree(world, PV));
        assertThat(told(next))
                .isEqualTo(
                        "Warning LocalVolumeGone: /mnt/disks/a is gone on node n1; the volume belongs to claim n/c, so"
                                + " nothing is removed. Bring it back, or delete the volume.\n");
        assertThat(plan(survey(), next).proposals()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "MOUNTED, PLAIN, nothing is mounted on /mnt/disks/a any more",
        "PLAIN, MOUNTED, something else is mounted on /mnt/disks/a",
        "PLAIN, DEVICE, /mnt/disks/a is a device now"
    })
    void whatHasBecomeSomethingElseIsAsGoodAsGone(Found.Form was, Found.Form is, String words) {
        World world = known(was);
        World next = after(world, plan(survey(found("a", is)), world));
        assertThat(Worlds.tree(next, PV).path("metadata").has("deletionTimestamp"))
                .isTrue();
        assertThat(told(next)).contains(words);
    }

    @Test
    void whatCouldNotBeLookedAtIsNotTakenToBeGone() {
        World world = known(Found.Form.MOUNTED);
        Survey blind = new Survey(List.of(), Set.of(), Set.of(), List.of());
        Survey unclear = new Survey(List.of(), Set.of(DISKS), Set.of(DISKS.resolve("a")), List.of());
        Survey elsewhere = new Survey(List.of(), Set.of(Path.of("/other")), Set.of(), List.of());
        for (Survey each : List.of(blind, unclear, elsewhere)) {
            assertThat(plan(each, world).proposals()).isEmpty();
        }
    }

    @Test
    void refusesDirectoriesThatMakeNoSense() {
        for (String path : List.of("relative", "/a/../b", "/")) {
            assertThatThrownBy(() -> new Directory(Path.of(path), "local", false, false))
                    .hasMessageContaining("Expected an absolute path");
        }
        assertThatThrownBy(() -> new Directory(DISKS, "", false, false)).hasMessageContaining("storage class");
    }
}
