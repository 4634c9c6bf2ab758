package dev.mooring.control.protection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimProtectionControllerTest {
    private static final String KEY = "persistentvolumeclaims/default/data";
    private static final String NAMESPACE = "{kind: Namespace, metadata: {name: default}}\n---\n";
    private static final String DELETED = "deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0, ";
    private static final String FINALIZERS = "finalizers: [kubernetes.io/pvc-protection], ";
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static String claim(String metadata) {
        return claim("data", metadata);
    }

    private static String claim(String name, String metadata) {
        return """
            {kind: PersistentVolumeClaim, metadata: {%s name: %s, namespace: default},
             spec: {volumeName: pv1, x-foreign: [1, {a: b}]}, status: {phase: Bound, x-foreign: true}}
            """.formatted(metadata, name);
    }

    private static String terminating() {
        return claim(DELETED + FINALIZERS);
    }

    private static String pod(String name, String node, String phase, String claim) {
        return """
            {kind: Pod, metadata: {name: %s, namespace: default}, status: {phase: %s},
             spec: {nodeName: '%s', volumes: [{name: tmp, emptyDir: {}}, {name: v, persistentVolumeClaim: {claimName: %s}}]}}
            """.formatted(name, phase, node, claim);
    }

    private static ControllerFixture run(String... objects) {
        return new ControllerFixture(new ClaimProtectionController(), NAMESPACE + String.join("\n---\n", objects))
                .settle();
    }

    private static String terminatingMessage(ControllerFixture run) {
        return Conditions.find(WorldFixture.tree(run.world(), KEY), "Terminating")
                .map(condition -> condition.path("message").asText())
                .orElse("");
    }

    private static List<String> events(World world) {
        List<String> events = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            ObjectNode event = each.toTree();
            events.add(event.path("type").asText()
                    + ' '
                    + event.path("reason").asText()
                    + ' '
                    + event.path("message").asText());
        }
        return events;
    }

    /** Cases H: the Pods that exist, and whether the claim is kept. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
        H4  | no Pod                         |                                    | gone
        H7  | a Pod on a node                | a,n1,Running,data                  | kept
        H8  | a Pod with another claim       | a,n1,Running,other                 | gone
        H13 | a Pod that has succeeded       | a,n1,Succeeded,data                | kept
        H13 | a Pod that has failed          | a,n1,Failed,data                   | kept
        H14 | a Pod without a node           | a,'',Pending,data                  | gone
        H11 | one with and one without       | a,'',Pending,data b,n1,Running,data | kept
        """)
    void claim_terminating_isKeptWhileUsedByScheduledPod(String id, String users, String pods, String expected) {
        List<String> objects = new ArrayList<>(List.of(terminating()));
        for (String each : pods == null ? new String[0] : pods.split(" ")) {
            String[] part = each.replace("'", "").split(",", -1);
            objects.add(pod(part[0], part[1], part[2], part[3]));
        }
        ControllerFixture run = run(objects.toArray(new String[0]));
        assertThat(run.keys().contains(KEY)).as(id + " " + users).isEqualTo(expected.equals("kept"));
    }

    @Test
    void claim_withoutFinalizer_getsItOnce() {
        ControllerFixture run = run(claim("finalizers: [example.com/mine],"), claim("other", ""));
        assertThat(run.takeEvents())
                .containsExactlyInAnyOrder(
                        "PersistentVolumeClaimFinalizerAdded " + KEY,
                        "PersistentVolumeClaimFinalizerAdded persistentvolumeclaims/default/other");
        ObjectNode after = WorldFixture.tree(run.world(), KEY);
        assertThat(Finalizers.of(after)).containsExactly("example.com/mine", "kubernetes.io/pvc-protection");
        assertThat(after.at("/spec/x-foreign").toString()).isEqualTo("[1,{\"a\":\"b\"}]");
        assertThat(after.at("/status/x-foreign").asBoolean()).isTrue();
        int reconciles = run.reconciles();
        run.put(claim(FINALIZERS)).settle();
        assertThat(run.takeEvents()).isEmpty();
        assertThat(run.reconciles() - reconciles)
                .as("reconciles of a claim with the finalizer")
                .isZero();
    }

    @Test
    void claim_finalizerOnlyInAnnotationText_getsFinalizer() {
        ControllerFixture run = run(claim("annotations: {last: '\"finalizers\":[\"kubernetes.io/pvc-protection\"'},"));
        assertThat(run.takeEvents()).containsExactly("PersistentVolumeClaimFinalizerAdded " + KEY);
    }

    @Test
    void claim_terminatingWithoutFinalizer_getsNone() {
        ControllerFixture run = run(claim(DELETED + "finalizers: [example.com/mine],"));
        assertThat(Finalizers.of(WorldFixture.tree(run.world(), KEY))).containsExactly("example.com/mine");
        assertThat(terminatingMessage(run)).isEqualTo("kept by finalizer example.com/mine: its owner must remove it");
        run.takeEvents();
        run.put(pod("a", "n1", "Running", "data")).settle();
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void claim_terminatingAndUnused_losesOnlyThisFinalizer() {
        ControllerFixture run = run(terminating());
        assertThat(run.takeEvents()).containsExactly("PersistentVolumeClaimDeleted " + KEY);
        ControllerFixture kept =
                run(claim(DELETED + "finalizers: [a.example/x, kubernetes.io/pvc-protection, b.example/y], "));
        assertThat(kept.takeEvents()).containsExactly("PersistentVolumeClaimFinalizerRemoved " + KEY);
        assertThat(Finalizers.of(WorldFixture.tree(kept.world(), KEY))).containsExactly("a.example/x", "b.example/y");
        assertThat(terminatingMessage(kept)).startsWith("kept by finalizers a.example/x, b.example/y");
    }

    @Test
    void claim_terminatingInUse_reportsUsersWhenTheyChange() {
        ControllerFixture run = run(
                terminating(),
                pod("a", "n1", "Running", "data"),
                pod("b", "n1", "Succeeded", "data"),
                mounted("pv1", "n1", "Mounted"));
        String expected =
                "kept by kubernetes.io/pvc-protection: used by Pods a, b; b is Completed: delete it to release the"
                        + " claim; mounted on node n1";
        assertThat(terminatingMessage(run)).isEqualTo(expected);
        assertThat(events(run.world())).containsExactly("Normal ClaimInUse " + expected);
        JsonNode condition = Conditions.find(WorldFixture.tree(run.world(), KEY), "Terminating")
                .orElseThrow();
        assertThat(condition.path("status").asText()).isEqualTo("True");
        assertThat(condition.path("reason").asText()).isEqualTo("InUse");
        run.takeEvents();
        run.put(pod("a", "n1", "Running", "data").replace("emptyDir", "x-y")).settle();
        assertThat(run.takeEvents()).isEmpty();
        run.remove("pods/default/b").settle();
        assertThat(run.takeEvents()).containsExactly("PersistentVolumeClaimStatusUpdated " + KEY);
        assertThat(terminatingMessage(run))
                .isEqualTo("kept by kubernetes.io/pvc-protection: used by Pod a; mounted on node n1");
        run.remove("pods/default/a").settle();
        assertThat(terminatingMessage(run)).isEqualTo("kept by kubernetes.io/pvc-protection: mounted on node n1");
        run.remove("actualvolumes.mooring.dev/n1-pv1").settle();
        assertThat(run.keys()).doesNotContain(KEY);
    }

    @Test
    void claim_manyUsers_reportsFiveAndLimitsUpdates() {
        List<String> objects = new ArrayList<>(List.of(terminating()));
        for (int i = 0; i < 50; i++) {
            objects.add(pod("p%02d".formatted(i), "n1", "Running", "data"));
        }
        ControllerFixture run = run(objects.toArray(new String[0]));
        assertThat(terminatingMessage(run)).endsWith("used by Pods p00, p01, p02, p03, p04 and 45 more");
        run.takeEvents();
        for (int i = 0; i < 40; i++) {
            run.remove("pods/default/p%02d".formatted(i)).settle();
        }
        assertThat(run.takeEvents()).isEmpty();
        run.advance(ClaimProtectionController.STATUS_INTERVAL);
        assertThat(run.takeEvents()).containsExactly("PersistentVolumeClaimStatusUpdated " + KEY);
        for (int i = 40; i < 50; i++) {
            run.remove("pods/default/p%02d".formatted(i));
        }
        run.settle();
        assertThat(run.keys()).as("claims after the last user was removed").doesNotContain(KEY);
        run.advance(Duration.ofSeconds(2));
        assertThat(run.waiting()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        state: Mounted, mounts: [{path: /a}]      | mounted on node n1
        state: Unmounting, mounts: [{path: /a}]   | mounted on node n1
        state: Uncertain                          | possibly still mounted on node n1
        state: Mounting                           | being mounted on node n1
        state: Failed, mounts: [{path: /a}]       | being mounted on node n1
        state: Failed, devicePath: /dev/loop3     | mounted on node n1
        state: Failed, deviceMountPath: /m        | mounted on node n1
        x-new: 1                                  | mounted on node n1
        """)
    void claim_terminatingAndPossiblyMounted_isKept(String status, String expected) {
        ControllerFixture run = run(terminating(), actual("pv1", "n1", "uid-data", status));
        assertThat(terminatingMessage(run)).endsWith(": " + expected);
    }

    @Test
    void claim_mountFailedOrOfFormerClaim_isDeleted() {
        assertThat(run(terminating(), actual("pv1", "n1", "uid-data", "state: Failed"))
                        .keys())
                .doesNotContain(KEY);
        assertThat(run(terminating(), actual("pv9", "n1", "uid-before", "state: Mounted"))
                        .keys())
                .doesNotContain(KEY);
    }

    @Test
    void claim_actualVolumeNamesOnlyTheVolume_isKept() {
        String volume =
                "{kind: PersistentVolume, metadata: {name: pv1}, spec: {claimRef: {namespace: default, name: data,"
                        + " uid: uid-data}}}";
        String actual = """
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: n1-pv1}, spec: {node: n1, persistentVolume: pv1},
             status: {state: Mounted}}
            """;
        ControllerFixture run = run(terminating(), volume, actual);
        assertThat(terminatingMessage(run)).endsWith("mounted on node n1");
        run.remove("actualvolumes.mooring.dev/n1-pv1").settle();
        assertThat(run.keys()).doesNotContain(KEY);
    }

    @ParameterizedTest
    @CsvSource({
        "uid-a, '', kept",
        "uid-z, '', gone",
        "uid-a, 'deletionGracePeriodSeconds: 0,', gone",
        "uid-a, 'deletionGracePeriodSeconds: 30,', kept"
    })
    void ephemeralClaim_isKeptOnlyForItsOwnerPod(String owner, String gracePeriod, String expected) {
        String claim = claim(
                "a-v",
                DELETED + FINALIZERS + "ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: " + owner
                        + ", controller: true}],");
        String deletion = gracePeriod.isEmpty() ? "" : "deletionTimestamp: '2026-01-01T00:00:00Z', " + gracePeriod;
        String pod = "{kind: Pod, metadata: {" + deletion
                + " name: a, namespace: default}, spec: {nodeName: n1, volumes: [{name: v, ephemeral: {}}]}}";
        assertThat(run(claim, pod).keys().contains("persistentvolumeclaims/default/a-v"))
                .isEqualTo(expected.equals("kept"));
    }

    /** H16, H17: deletion and recreation arrive as one change. */
    @Test
    void claim_podReplacedByAnotherOfTheSameName_isDeleted() {
        ControllerFixture run = run(terminating(), claim("quiet", FINALIZERS), pod("a", "n1", "Running", "data"));
        assertThat(run.keys()).contains(KEY);
        run.takeEvents();
        run.put(pod("a", "n2", "Running", "quiet").replace("name: a,", "name: a, uid: another,"))
                .settle();
        assertThat(run.takeEvents()).containsExactly("PersistentVolumeClaimDeleted " + KEY);
    }

    /** H19. */
    @Test
    void claim_podScheduledWhileTerminating_isKept() {
        ControllerFixture run = run(claim(FINALIZERS), pod("a", "", "Pending", "data"));
        run.put(pod("a", "n1", "Pending", "data")).put(terminating()).settle();
        assertThat(terminatingMessage(run)).endsWith("used by Pod a");
    }

    /** H10, race 13: the World has a Pod or a mount whose change the controller has not received. */
    @Test
    void claim_userNotYetDelivered_isKept() {
        ClaimProtectionController controller = new ClaimProtectionController();
        World known = WorldFixture.of(NAMESPACE + terminating());
        ObjectKey key = ObjectKey.parse(KEY);
        assertThat(controller.reconcile(known, key, NOW).proposals().get(0).type())
                .isEqualTo("PersistentVolumeClaimDeleted");
        for (String undelivered : List.of(pod("a", "n1", "Pending", "data"), mounted("pv1", "n1", "Mounting"))) {
            World newer =
                    WorldFixture.put(known, WorldFixture.objects(undelivered).get(0));
            Decision decision = controller.reconcile(newer, key, NOW);
            assertThat(decision.proposals().get(0).type()).isEqualTo("PersistentVolumeClaimStatusUpdated");
        }
    }

    @Test
    void controller_restartedAfterReporting_changesNothing() {
        ControllerFixture run = run(terminating(), pod("a", "n1", "Running", "data"));
        ControllerFixture restarted = new ControllerFixture(new ClaimProtectionController(), run.world()).settle();
        assertThat(restarted.takeEvents()).isEmpty();
    }

    @Test
    void claim_inUseInTerminatingNamespace_isKeptWithoutEvent() {
        ControllerFixture run = new ControllerFixture(
                        new ClaimProtectionController(),
                        "{kind: Namespace, metadata: {name: default, deletionTimestamp: '2026-01-01T00:00:00Z'}}\n---\n"
                                + terminating() + "---\n" + pod("a", "n1", "Running", "data"))
                .settle();
        assertThat(terminatingMessage(run)).endsWith("used by Pod a");
        assertThat(events(run.world())).isEmpty();
    }

    private static String mounted(String volume, String node, String state) {
        return actual(volume, node, "uid-data", "state: " + state);
    }

    private static String actual(String volume, String node, String uid, String status) {
        return """
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: %s-%s},
             spec: {node: %s, persistentVolume: %s, claim: {namespace: default, name: data, uid: %s}}, status: {%s}}
            """.formatted(node, volume, node, volume, uid, status);
    }
}
