package dev.mooring.control.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class GarbageCollectorTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String MARK = ", deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0";
    private static final String OWNER = "{kind: ConfigMap, metadata: {name: owner, namespace: a}}\n";

    private static ControllerFixture settled(String... yaml) {
        return new ControllerFixture(new GarbageCollector(), String.join("---\n", yaml)).settle();
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
    void dependent_ownerExists_isKept() {
        ControllerFixture run = settled(OWNER, secret("s", TO_OWNER));
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void dependent_ownerRemoved_isDeleted() {
        ControllerFixture run = settled(OWNER, secret("s", TO_OWNER));
        run.remove("configmaps/a/owner").settle();
        assertThat(run.takeEvents()).containsExactly("SecretDeleted secrets/a/s");
        assertThat(run.keys()).isEmpty();
    }

    @Test
    void dependent_ownerMissingAtStart_isDeleted() {
        assertThat(settled(secret("s", TO_OWNER)).takeEvents()).containsExactly("SecretDeleted secrets/a/s");
    }

    @Test
    void dependent_ownerReplacedByAnotherUid_isDeleted() {
        ControllerFixture run = settled(owner(", uid: another"), secret("s", TO_OWNER));
        assertThat(run.takeEvents()).containsExactly("SecretDeleted secrets/a/s");
    }

    @Test
    void dependents_withFinalizerOrGracePeriod_areMarkedForDeletion() {
        ControllerFixture run = settled(
                "{kind: PersistentVolumeClaim, metadata: {name: c, namespace: a, finalizers: [x/y], ownerReferences: ["
                        + TO_OWNER + "]}}\n",
                "{kind: Pod, metadata: {name: p, namespace: a, ownerReferences: [" + TO_OWNER
                        + "]}, spec: {nodeName: n}}\n");
        assertThat(run.takeEvents())
                .containsExactlyInAnyOrder(
                        "PersistentVolumeClaimDeletionRequested persistentvolumeclaims/a/c",
                        "PodDeletionRequested pods/a/p");
    }

    @Test
    void dependent_oneOfTwoOwnersMissing_isKeptWithoutThatReference() {
        ControllerFixture run = settled(OWNER, secret("s", TO_OWNER, ref("ConfigMap", "lost", "uid-lost")));
        assertThat(run.takeEvents()).containsExactly("SecretOwnerRemoved secrets/a/s");
        JsonNode references =
                WorldFixture.tree(run.world(), "secrets/a/s").path("metadata").path("ownerReferences");
        assertThat(references).hasSize(1);
        assertThat(references.get(0).path("name").asText()).isEqualTo("owner");
    }

    @Test
    void dependent_ownerOfUnknownKindOrIncomplete_isKept() {
        ControllerFixture run = settled(
                secret("s", "{apiVersion: example.com/v1, kind: Widget, name: r, uid: u}"),
                secret("t", ref("ConfigMap", "owner", "''")),
                secret("u", ref("ConfigMap", "'no name'", "u")));
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void dependents_ofDependents_areDeletedToo() {
        ControllerFixture run = settled(
                OWNER,
                secret("child", TO_OWNER),
                secret("grandchild", ref("Secret", "child", "uid-child")),
                secret("other", ref("ServiceAccount", "sa", "uid-sa")),
                "{kind: ServiceAccount, metadata: {name: sa, namespace: a}}\n");
        run.remove("configmaps/a/owner").settle();
        assertThat(run.keys()).containsExactlyInAnyOrder("secrets/a/other", "serviceaccounts/a/sa");
    }

    @Test
    void dependent_ofRemovedClusterScopedOwner_isDeleted() {
        ControllerFixture run = settled(
                "{kind: PersistentVolume, metadata: {name: pv}}\n",
                secret("s", ref("PersistentVolume", "pv", "uid-pv")));
        assertThat(run.takeEvents()).isEmpty();
        run.remove("persistentvolumes/pv").settle();
        assertThat(run.takeEvents()).containsExactly("SecretDeleted secrets/a/s");
    }

    @Test
    void foregroundDeletion_dependents_areDeletedBeforeTheOwner() {
        ControllerFixture run = settled(OWNER, secret("s", BLOCKS_OWNER), secret("t", BLOCKS_OWNER));
        run.put(marked("foregroundDeletion")).settle();
        assertThat(run.takeEvents())
                .containsExactly(
                        "SecretDeleted secrets/a/s",
                        "SecretDeleted secrets/a/t",
                        "ConfigMapDeleted configmaps/a/owner");
        assertThat(run.keys()).isEmpty();
    }

    @Test
    void foregroundDeletion_blockingDependentWithFinalizer_keepsTheOwner() {
        String blocked = secret("s", BLOCKS_OWNER).replace("namespace: a,", "namespace: a, finalizers: [x/y],");
        ControllerFixture run = settled(
                OWNER, blocked, secret("free", TO_OWNER).replace("namespace: a,", "namespace: a, finalizers: [x/y],"));
        run.put(marked("foregroundDeletion, example.com/mine")).settle();
        assertThat(run.takeEvents())
                .containsExactly("SecretDeletionRequested secrets/a/free", "SecretDeletionRequested secrets/a/s");
        run.remove("secrets/a/s").settle();
        assertThat(run.takeEvents()).containsExactly("ConfigMapFinalizerRemoved configmaps/a/owner");
        assertThat(WorldFixture.tree(run.world(), "configmaps/a/owner")
                        .path("metadata")
                        .path("finalizers"))
                .hasToString("[\"example.com/mine\"]");
    }

    @Test
    void foregroundDeletion_dependentsOfDependents_areDeletedFirst() {
        ControllerFixture run = settled(
                OWNER, secret("child", BLOCKS_OWNER), secret("grandchild", blocking("Secret", "child", "uid-child")));
        run.put(marked("foregroundDeletion")).settle();
        assertThat(run.takeEvents())
                .containsExactly(
                        "SecretDeletionRequested secrets/a/child",
                        "SecretDeleted secrets/a/grandchild",
                        "SecretDeleted secrets/a/child",
                        "ConfigMapDeleted configmaps/a/owner");
    }

    @Test
    void foregroundDeletion_circularOwners_areDeleted() {
        String circle = owner(", ownerReferences: [" + blocking("Secret", "s", "uid-s") + "]");
        ControllerFixture run = settled(circle, secret("s", BLOCKS_OWNER));
        ObjectNode marked = WorldFixture.tree(run.world(), "configmaps/a/owner");
        marked.withObject("/metadata")
                .put("deletionTimestamp", NOW.toString())
                .put("deletionGracePeriodSeconds", 0)
                .putArray("finalizers")
                .add("foregroundDeletion");
        run.put(marked.toString()).settle();
        assertThat(run.keys()).isEmpty();
    }

    @Test
    void foregroundDeletion_dependentOfAnotherOwner_isKeptWithoutThatReference() {
        ControllerFixture run = settled(
                OWNER,
                "{kind: ServiceAccount, metadata: {name: sa, namespace: a}}\n",
                secret("s", BLOCKS_OWNER, ref("ServiceAccount", "sa", "uid-sa")));
        run.put(marked("foregroundDeletion")).settle();
        assertThat(run.takeEvents())
                .containsExactly("SecretOwnerRemoved secrets/a/s", "ConfigMapDeleted configmaps/a/owner");
        assertThat(run.keys()).containsExactlyInAnyOrder("secrets/a/s", "serviceaccounts/a/sa");
    }

    @Test
    void orphanDeletion_dependents_areKeptWithoutOwnerReference() {
        ControllerFixture run = settled(OWNER, secret("s", TO_OWNER), secret("t", BLOCKS_OWNER));
        run.put(marked("orphan")).settle();
        assertThat(run.takeEvents())
                .containsExactly(
                        "SecretOwnerRemoved secrets/a/s",
                        "SecretOwnerRemoved secrets/a/t",
                        "ConfigMapDeleted configmaps/a/owner");
        assertThat(run.keys()).containsExactlyInAnyOrder("secrets/a/s", "secrets/a/t");
        assertThat(WorldFixture.tree(run.world(), "secrets/a/s")
                        .path("metadata")
                        .has("ownerReferences"))
                .isFalse();
    }

    @Test
    void deletion_inProgressAtStart_continues() {
        ControllerFixture run = settled(marked("foregroundDeletion"), secret("s", BLOCKS_OWNER));
        assertThat(run.keys()).isEmpty();
        ControllerFixture orphans = settled(marked("orphan"), secret("s", TO_OWNER));
        assertThat(orphans.keys()).containsExactly("secrets/a/s");
    }

    @Test
    void dependent_ownerInAnotherNamespace_isKeptAndReportedOnce() {
        ControllerFixture run = settled(
                "{kind: Namespace, metadata: {name: a}}\n",
                "{kind: Namespace, metadata: {name: b}}\n",
                "{kind: ConfigMap, metadata: {name: owner, namespace: b}}\n",
                secret("s", BLOCKS_OWNER));
        assertThat(run.takeEvents()).hasSize(1).first().asString().startsWith("EventRecorded events/a/s.");
        StoredObject event =
                run.world().list(Scope.resource("events")).iterator().next();
        JsonNode recorded = WorldFixture.tree(run.world(), event.key().text());
        assertThat(recorded.path("reason").asText()).isEqualTo("OwnerRefInvalidNamespace");
        assertThat(recorded.path("message").asText())
                .isEqualTo("ownerRef [v1/ConfigMap, namespace: a, name: owner, uid: uid-owner] does not exist in"
                        + " namespace \"a\"");
        run.put(secret("s", BLOCKS_OWNER)).settle();
        assertThat(run.takeEvents()).isEmpty();

        // It does not block the owner, and is deleted when no namespace has such an owner.
        run.put("{kind: ConfigMap, metadata: {name: owner, namespace: b, finalizers: [foregroundDeletion]" + MARK
                + "}}");
        run.settle();
        assertThat(run.takeEvents())
                .containsExactly("ConfigMapDeleted configmaps/b/owner", "SecretDeleted secrets/a/s");
    }

    @Test
    void clusterScopedDependent_namespacedOwner_isKeptAndReported() {
        ControllerFixture run = settled(
                "{kind: Namespace, metadata: {name: default}}\n",
                "{kind: PersistentVolume, metadata: {name: pv, ownerReferences: [" + TO_OWNER + "]}}\n");
        assertThat(run.takeEvents()).hasSize(1).first().asString().startsWith("EventRecorded events/default/pv.");
        assertThat(run.keys()).contains("persistentvolumes/pv");
    }

    @Test
    void foregroundDeletion_dependentNotYetDelivered_keepsTheOwner() {
        World world = WorldFixture.of(marked("foregroundDeletion") + "---\n" + secret("s", BLOCKS_OWNER));
        ObjectKey key = ObjectKey.parse("configmaps/a/owner");
        assertThat(new GarbageCollector().reconcile(world, key, NOW)).isEqualTo(Decision.none());
    }

    @Test
    void collector_unrelatedChanges_reconcilesOnlyAffectedObjects() {
        StringBuilder yaml = new StringBuilder(OWNER);
        for (int i = 0; i < 500; i++) {
            yaml.append("---\n")
                    .append("{kind: Secret, metadata: {name: free")
                    .append(i)
                    .append(", namespace: a}}\n");
            yaml.append("---\n").append(secret("s" + i, TO_OWNER));
        }
        ControllerFixture run = settled(yaml.toString());
        assertThat(run.reconciles()).isEqualTo(500);
        run.put("{kind: Secret, metadata: {name: new, namespace: a}}").settle();
        run.remove("secrets/a/new").settle();
        assertThat(run.reconciles()).isEqualTo(500);
        run.remove("secrets/a/s7").settle();
        assertThat(run.reconciles()).as("reconciles including the owner's").isEqualTo(501);
        run.remove("configmaps/a/owner").settle();
        assertThat(run.keys()).hasSize(500);
    }
}
