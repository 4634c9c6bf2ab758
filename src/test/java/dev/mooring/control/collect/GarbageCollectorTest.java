package dev.mooring.control.collect;

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
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GarbageCollectorTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String MARK = ", deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0";
    private static final String OWNER = "{kind: ConfigMap, metadata: {name: owner, namespace: a}}\n";

    private static OneController settled(String... yaml) {
        return new OneController(new GarbageCollector(), String.join("---\n", yaml)).settle();
    }

    private static String owner(String more) {
        return "{kind: ConfigMap, metadata: {name: owner, namespace: a" + more + "}}\n";
    }

    private static String marked(String finalizers) {
        return owner(MARK + ", finalizers: [" + finalizers + "]");
    }

    private static String secret(String name, String... references) {
        return "{kind: Secret, metadata: {name: " + name + ", namespace: a, ownerReferences: ["
                + String.join(", ", references) + "]}}\n";
    }

    private static String ref(String kind, String name, String uid) {
        return "{apiVersion: v1, kind: " + kind + ", name: " + name + ", uid: " + uid + "}";
    }

    private static String blocking(String kind, String name, String uid) {
        return ref(kind, name, uid).replace("}", ", blockOwnerDeletion: true}");
    }

    private static final String TO_OWNER = ref("ConfigMap", "owner", "uid-owner");
    private static final String BLOCKS_OWNER = blocking("ConfigMap", "owner", "uid-owner");

    @Test
    void keepsWhatHasAnOwner() {
        OneController run = settled(OWNER, secret("s", TO_OWNER));
        assertThat(run.did()).isEmpty();
    }

    @Test
    void removesWhatHasLostItsOwner() {
        OneController run = settled(OWNER, secret("s", TO_OWNER));
        run.remove("configmaps/a/owner").settle();
        assertThat(run.did()).containsExactly("SecretDeleted secrets/a/s");
        assertThat(run.keys()).isEmpty();
    }

    @Test
    void findsAtTheStartWhatLostItsOwnerBefore() {
        assertThat(settled(secret("s", TO_OWNER)).did()).containsExactly("SecretDeleted secrets/a/s");
    }

    @Test
    void doesNotTakeAnotherOfTheSameNameForTheOwner() {
        OneController run = settled(owner(", uid: another"), secret("s", TO_OWNER));
        assertThat(run.did()).containsExactly("SecretDeleted secrets/a/s");
    }

    @Test
    void respectsFinalizersAndTheTimeOfPods() {
        OneController run = settled(
                "{kind: PersistentVolumeClaim, metadata: {name: c, namespace: a, finalizers: [x/y], ownerReferences: ["
                        + TO_OWNER + "]}}\n",
                "{kind: Pod, metadata: {name: p, namespace: a, ownerReferences: [" + TO_OWNER
                        + "]}, spec: {nodeName: n}}\n");
        assertThat(run.did())
                .containsExactlyInAnyOrder(
                        "PersistentVolumeClaimDeletionRequested persistentvolumeclaims/a/c",
                        "PodDeletionRequested pods/a/p");
    }

    @Test
    void keepsWhatHasAnotherOwnerAndForgetsTheLostOne() {
        OneController run = settled(OWNER, secret("s", TO_OWNER, ref("ConfigMap", "lost", "uid-lost")));
        assertThat(run.did()).containsExactly("SecretOwnerRemoved secrets/a/s");
        JsonNode references =
                Worlds.tree(run.world(), "secrets/a/s").path("metadata").path("ownerReferences");
        assertThat(references).hasSize(1);
        assertThat(references.get(0).path("name").asText()).isEqualTo("owner");
    }

    @Test
    void keepsWhatMayHaveAnOwnerThatNobodyHereKnows() {
        OneController run = settled(
                secret("s", "{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u}"),
                secret("t", ref("ConfigMap", "owner", "''")),
                secret("u", ref("ConfigMap", "'no name'", "u")));
        assertThat(run.did()).isEmpty();
    }

    @Test
    void collectsWholeFamilies() {
        OneController run = settled(
                OWNER,
                secret("child", TO_OWNER),
                secret("grandchild", ref("Secret", "child", "uid-child")),
                secret("other", ref("ServiceAccount", "sa", "uid-sa")),
                "{kind: ServiceAccount, metadata: {name: sa, namespace: a}}\n");
        run.remove("configmaps/a/owner").settle();
        assertThat(run.keys()).containsExactlyInAnyOrder("secrets/a/other", "serviceaccounts/a/sa");
    }

    @Test
    void aNamespacedObjectMayBelongToAClusterWideOne() {
        OneController run = settled(
                "{kind: PersistentVolume, metadata: {name: pv}}\n",
                secret("s", ref("PersistentVolume", "pv", "uid-pv")));
        assertThat(run.did()).isEmpty();
        run.remove("persistentvolumes/pv").settle();
        assertThat(run.did()).containsExactly("SecretDeleted secrets/a/s");
    }

    @Test
    void inTheForegroundDependentsGoFirst() {
        OneController run = settled(OWNER, secret("s", BLOCKS_OWNER), secret("t", BLOCKS_OWNER));
        run.put(marked("foregroundDeletion")).settle();
        assertThat(run.did())
                .containsExactly(
                        "SecretDeleted secrets/a/s",
                        "SecretDeleted secrets/a/t",
                        "ConfigMapDeleted configmaps/a/owner");
        assertThat(run.keys()).isEmpty();
    }

    @Test
    void inTheForegroundTheOwnerWaitsForThoseThatBlockIt() {
        String held = secret("s", BLOCKS_OWNER).replace("namespace: a,", "namespace: a, finalizers: [x/y],");
        OneController run = settled(
                OWNER, held, secret("free", TO_OWNER).replace("namespace: a,", "namespace: a, finalizers: [x/y],"));
        run.put(marked("foregroundDeletion, example.com/mine")).settle();
        assertThat(run.did())
                .containsExactly("SecretDeletionRequested secrets/a/free", "SecretDeletionRequested secrets/a/s");
        run.remove("secrets/a/s").settle();
        assertThat(run.did()).containsExactly("ConfigMapFinalizerRemoved configmaps/a/owner");
        assertThat(Worlds.tree(run.world(), "configmaps/a/owner")
                        .path("metadata")
                        .path("finalizers"))
                .hasToString("[\"example.com/mine\"]");
    }

    @Test
    void inTheForegroundGrandchildrenGoBeforeChildren() {
        OneController run = settled(
                OWNER, secret("child", BLOCKS_OWNER), secret("grandchild", blocking("Secret", "child", "uid-child")));
        run.put(marked("foregroundDeletion")).settle();
        assertThat(run.did())
                .containsExactly(
                        "SecretDeletionRequested secrets/a/child",
                        "SecretDeleted secrets/a/grandchild",
                        "SecretDeleted secrets/a/child",
                        "ConfigMapDeleted configmaps/a/owner");
    }

    @Test
    void inTheForegroundCirclesComeToAnEnd() {
        String circle = owner(", ownerReferences: [" + blocking("Secret", "s", "uid-s") + "]");
        OneController run = settled(circle, secret("s", BLOCKS_OWNER));
        ObjectNode marked = Worlds.tree(run.world(), "configmaps/a/owner");
        marked.withObject("/metadata")
                .put("deletionTimestamp", NOW.toString())
                .put("deletionGracePeriodSeconds", 0)
                .putArray("finalizers")
                .add("foregroundDeletion");
        run.put(marked.toString()).settle();
        assertThat(run.keys()).isEmpty();
    }

    @Test
    void keepsADependentOfAnotherOwnerWhenOneGoesInTheForeground() {
        OneController run = settled(
                OWNER,
                "{kind: ServiceAccount, metadata: {name: sa, namespace: a}}\n",
                secret("s", BLOCKS_OWNER, ref("ServiceAccount", "sa", "uid-sa")));
        run.put(marked("foregroundDeletion")).settle();
        assertThat(run.did()).containsExactly("SecretOwnerRemoved secrets/a/s", "ConfigMapDeleted configmaps/a/owner");
        assertThat(run.keys()).containsExactlyInAnyOrder("secrets/a/s", "serviceaccounts/a/sa");
    }

    @Test
    void leavesOrphansBehindIfThatIsWanted() {
        OneController run = settled(OWNER, secret("s", TO_OWNER), secret("t", BLOCKS_OWNER));
        run.put(marked("orphan")).settle();
        assertThat(run.did())
                .containsExactly(
                        "SecretOwnerRemoved secrets/a/s",
                        "SecretOwnerRemoved secrets/a/t",
                        "ConfigMapDeleted configmaps/a/owner");
        assertThat(run.keys()).containsExactlyInAnyOrder("secrets/a/s", "secrets/a/t");
        assertThat(Worlds.tree(run.world(), "secrets/a/s").path("metadata").has("ownerReferences"))
                .isFalse();
    }

    @Test
    void goesOnAfterAStartInTheMiddle() {
        OneController run = settled(marked("foregroundDeletion"), secret("s", BLOCKS_OWNER));
        assertThat(run.keys()).isEmpty();
        OneController orphans = settled(marked("orphan"), secret("s", TO_OWNER));
        assertThat(orphans.keys()).containsExactly("secrets/a/s");
    }

    @Test
    void leavesADependentAloneWhoseOwnerIsInAnotherNamespaceAndSaysSoOnce() {
        OneController run = settled(
                "{kind: Namespace, metadata: {name: a}}\n",
                "{kind: Namespace, metadata: {name: b}}\n",
                "{kind: ConfigMap, metadata: {name: owner, namespace: b}}\n",
                secret("s", BLOCKS_OWNER));
        assertThat(run.did()).hasSize(1).first().asString().startsWith("EventRecorded events/a/s.");
        StoredObject event =
                run.world().list(Scope.resource("events")).iterator().next();
        JsonNode told = Worlds.tree(run.world(), event.key().text());
        assertThat(told.path("reason").asText()).isEqualTo("OwnerRefInvalidNamespace");
        assertThat(told.path("message").asText())
                .isEqualTo("ownerRef [v1/ConfigMap, namespace: a, name: owner, uid: uid-owner] does not exist in"
                        + " namespace \"a\"");
        run.put(secret("s", BLOCKS_OWNER)).settle();
        assertThat(run.did()).isEmpty();

        // It holds nobody up, and goes when there is no such owner anywhere.
        run.put("{kind: ConfigMap, metadata: {name: owner, namespace: b, finalizers: [foregroundDeletion]" + MARK
                + "}}");
        run.settle();
        assertThat(run.did()).containsExactly("ConfigMapDeleted configmaps/b/owner", "SecretDeleted secrets/a/s");
    }

    @Test
    void leavesAClusterWideObjectAloneThatSaysItBelongsToANamespacedOne() {
        OneController run = settled(
                "{kind: Namespace, metadata: {name: default}}\n",
                "{kind: PersistentVolume, metadata: {name: pv, ownerReferences: [" + TO_OWNER + "]}}\n");
        assertThat(run.did()).hasSize(1).first().asString().startsWith("EventRecorded events/default/pv.");
        assertThat(run.keys()).contains("persistentvolumes/pv");
    }

    @Test
    void waitsForItsOwnKnowledgeBeforeItLetsAnOwnerGo() {
        World world = Worlds.of(OWNER);
        GarbageCollector collector = new GarbageCollector();
        for (StoredObject object : world.list(Scope.all())) {
            collector.follow(Change.put(object, 0), Optional.empty(), world, new Asleep());
        }
        World newer =
                Worlds.put(world, Worlds.objects(secret("s", BLOCKS_OWNER)).get(0));
        World newest =
                Worlds.put(newer, Worlds.objects(marked("foregroundDeletion")).get(0));
        ObjectKey key = ObjectKey.parse("configmaps/a/owner");
        // The dependent is there, but the collector has not been told of it yet.
        assertThat(collector.reconcile(newest, key, NOW)).isEqualTo(Decision.nothing());
    }

    @Test
    void looksOnlyAtWhatChanged() {
        StringBuilder yaml = new StringBuilder(OWNER);
        for (int i = 0; i < 500; i++) {
            yaml.append("---\n")
                    .append("{kind: Secret, metadata: {name: free")
                    .append(i)
                    .append(", namespace: a}}\n");
            yaml.append("---\n").append(secret("s" + i, TO_OWNER));
        }
        OneController run = settled(yaml.toString());
        assertThat(run.looks()).isEqualTo(500);
        run.put("{kind: Secret, metadata: {name: new, namespace: a}}").settle();
        run.remove("secrets/a/new").settle();
        assertThat(run.looks()).isEqualTo(500);
        run.remove("secrets/a/s7").settle();
        assertThat(run.looks()).as("its owner").isEqualTo(501);
        run.remove("configmaps/a/owner").settle();
        assertThat(run.keys()).hasSize(500);
    }

    /** Is told which keys to look at and does not. */
    private static final class Asleep implements Controller.Wakes {
        @Override
        public void now(ObjectKey key) {
            // sleeps on
        }

        @Override
        public void within(ObjectKey key, Duration delay) {
            // sleeps on
        }
    }
}
