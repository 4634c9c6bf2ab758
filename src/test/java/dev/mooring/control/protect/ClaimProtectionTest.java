package dev.mooring.control.protect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.OneController;
import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimProtectionTest {
    private static final String KEY = "persistentvolumeclaims/default/data";
    private static final String HOME = "{kind: Namespace, metadata: {name: default}}\n---\n";
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

    private static OneController run(String... objects) {
        return new OneController(new ClaimProtection(), HOME + String.join("\n---\n", objects)).settle();
    }

    private static String words(OneController run) {
        return Conditions.find(Worlds.tree(run.world(), KEY), "Terminating")
                .map(condition -> condition.path("message").asText())
                .orElse("");
    }

    private static List<String> events(World world) {
        List<String> events = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            ObjectNode event = StoredJson.tree(each);
            events.add(event.path("type").asText()
                    + ' '
                    + event.path("reason").asText()
                    + ' '
                    + event.path("message").asText());
        }
        return events;
    }

    /** H: what stands in the World, and whether the claim is kept. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
        H4  | nobody                         |                                    | gone
        H7  | a Pod on a node                | a,n1,Running,data                  | kept
        H8  | a Pod with another claim       | a,n1,Running,other                 | gone
        H13 | a Pod that has succeeded       | a,n1,Succeeded,data                | kept
        H13 | a Pod that has failed          | a,n1,Failed,data                   | kept
        H14 | a Pod without a node           | a,'',Pending,data                  | gone
        H11 | one with and one without       | a,'',Pending,data b,n1,Running,data | kept
        """)
    void keepsAClaimThatIsBeingDeletedWhileAPodOnANodeHasIt(String id, String who, String pods, String expected) {
        List<String> objects = new ArrayList<>(List.of(terminating()));
        for (String each : pods == null ? new String[0] : pods.split(" ")) {
            String[] part = each.replace("'", "").split(",", -1);
            objects.add(pod(part[0], part[1], part[2], part[3]));
        }
        OneController run = run(objects.toArray(new String[0]));
        assertThat(run.keys().contains(KEY)).as(id + who).isEqualTo(expected.equals("kept"));
    }

    @Test
    void givesTheFinalizerToAClaimThatLacksItAndThenLeavesItAlone() {
        OneController run = run(claim("finalizers: [example.com/mine],"), claim("other", ""));
        assertThat(run.did())
                .containsExactlyInAnyOrder(
                        "PersistentVolumeClaimFinalizerAdded " + KEY,
                        "PersistentVolumeClaimFinalizerAdded persistentvolumeclaims/default/other");
        ObjectNode after = Worlds.tree(run.world(), KEY);
        assertThat(Finalizers.of(after)).containsExactly("example.com/mine", "kubernetes.io/pvc-protection");
        assertThat(after.at("/spec/x-foreign").toString()).isEqualTo("[1,{\"a\":\"b\"}]");
        assertThat(after.at("/status/x-foreign").asBoolean()).isTrue();
        int looks = run.looks();
        run.put(claim(FINALIZERS)).settle();
        assertThat(run.did()).isEmpty();
        assertThat(run.looks() - looks).as("a claim that has it costs no look").isZero();
    }

    @Test
    void repairsAFinalizerThatOnlyATextMentions() {
        OneController run = run(claim("annotations: {last: '\"finalizers\":[\"kubernetes.io/pvc-protection\"'},"));
        assertThat(run.did()).containsExactly("PersistentVolumeClaimFinalizerAdded " + KEY);
    }

    @Test
    void addsNoFinalizerToAClaimThatIsBeingDeleted() {
        OneController run = run(claim(DELETED + "finalizers: [example.com/mine],"));
        assertThat(Finalizers.of(Worlds.tree(run.world(), KEY))).containsExactly("example.com/mine");
        assertThat(words(run)).isEqualTo("kept by finalizer example.com/mine: whoever added it has to let go");
        run.did();
        run.put(pod("a", "n1", "Running", "data")).settle();
        assertThat(run.did()).isEmpty();
    }

    @Test
    void letsGoInTheSameEventAndLeavesFinalizersOfOthers() {
        OneController run = run(terminating());
        assertThat(run.did()).containsExactly("PersistentVolumeClaimDeleted " + KEY);
        OneController held =
                run(claim(DELETED + "finalizers: [a.example/x, kubernetes.io/pvc-protection, b.example/y], "));
        assertThat(held.did()).containsExactly("PersistentVolumeClaimFinalizerRemoved " + KEY);
        assertThat(Finalizers.of(Worlds.tree(held.world(), KEY))).containsExactly("a.example/x", "b.example/y");
        assertThat(words(held)).startsWith("kept by finalizers a.example/x, b.example/y");
    }

    @Test
    void saysForWhomItWaitsAndSaysItAnewOnlyIfThatChanges() {
        OneController run = run(
                terminating(),
                pod("a", "n1", "Running", "data"),
                pod("b", "n1", "Succeeded", "data"),
                mounted("pv1", "n1", "Mounted"));
        String expected =
                "kept by kubernetes.io/pvc-protection: used by Pods a, b; b is Completed: delete it to let go;"
                        + " mounted on node n1";
        assertThat(words(run)).isEqualTo(expected);
        assertThat(events(run.world())).containsExactly("Normal ClaimInUse " + expected);
        JsonNode condition =
                Conditions.find(Worlds.tree(run.world(), KEY), "Terminating").orElseThrow();
        assertThat(condition.path("status").asText()).isEqualTo("True");
        assertThat(condition.path("reason").asText()).isEqualTo("InUse");
        run.did();
        run.put(pod("a", "n1", "Running", "data").replace("emptyDir", "x-y")).settle();
        assertThat(run.did()).isEmpty();
        run.remove("pods/default/b").settle();
        assertThat(run.did()).containsExactly("PersistentVolumeClaimStatusUpdated " + KEY);
        assertThat(words(run)).isEqualTo("kept by kubernetes.io/pvc-protection: used by Pod a; mounted on node n1");
        run.remove("pods/default/a").settle();
        assertThat(words(run)).isEqualTo("kept by kubernetes.io/pvc-protection: mounted on node n1");
        run.remove("actualvolumes.mooring.dev/n1-pv1").settle();
        assertThat(run.keys()).doesNotContain(KEY);
    }

    @Test
    void namesFiveOfManyAndDoesNotWriteForEachOfThem() {
        List<String> objects = new ArrayList<>(List.of(terminating()));
        for (int i = 0; i < 50; i++) {
            objects.add(pod("p%02d".formatted(i), "n1", "Running", "data"));
        }
        OneController run = run(objects.toArray(new String[0]));
        assertThat(words(run)).endsWith("used by Pods p00, p01, p02, p03, p04 and 45 more");
        run.did();
        for (int i = 0; i < 40; i++) {
            run.remove("pods/default/p%02d".formatted(i)).settle();
        }
        assertThat(run.did()).isEmpty();
        run.pass(ClaimProtection.PACE);
        assertThat(run.did()).containsExactly("PersistentVolumeClaimStatusUpdated " + KEY);
        for (int i = 40; i < 50; i++) {
            run.remove("pods/default/p%02d".formatted(i));
        }
        run.settle();
        assertThat(run.keys()).as("the last one is not waited out").doesNotContain(KEY);
        run.pass(Duration.ofSeconds(2));
        assertThat(run.waiting()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        state: Mounted, mounts: [{path: /a}]      | mounted on node n1
        state: Unmounting, mounts: [{path: /a}]   | mounted on node n1
        state: Uncertain                          | perhaps still mounted on node n1
        state: Mounting                           | mounted on node n1
        state: Failed, mounts: [{path: /a}]       | mounted on node n1
        state: Failed, devicePath: /dev/loop3     | mounted on node n1
        state: Failed, deviceMountPath: /m        | mounted on node n1
        x-new: 1                                  | mounted on node n1
        """)
    void keepsAClaimThatANodeHasOrMayHave(String status, String expected) {
        OneController run = run(terminating(), actual("pv1", "n1", "uid-data", status));
        assertThat(words(run)).endsWith(": " + expected);
    }

    @Test
    void letsGoOfAClaimThatANodeOnlyFailedToMountOrThatWasAnotherOfItsName() {
        assertThat(run(terminating(), actual("pv1", "n1", "uid-data", "state: Failed"))
                        .keys())
                .doesNotContain(KEY);
        assertThat(run(terminating(), actual("pv9", "n1", "uid-before", "state: Mounted"))
                        .keys())
                .doesNotContain(KEY);
    }

    @Test
    void knowsByItsVolumeThatAClaimIsMounted() {
        String volume =
                "{kind: PersistentVolume, metadata: {name: pv1}, spec: {claimRef: {namespace: default, name: data,"
                        + " uid: uid-data}}}";
        String actual = """
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: n1-pv1}, spec: {node: n1, persistentVolume: pv1},
             status: {state: Mounted}}
            """;
        OneController run = run(terminating(), volume, actual);
        assertThat(words(run)).endsWith("mounted on node n1");
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
    void keepsAnEphemeralClaimForThePodThatOwnsItOnly(String owner, String ending, String expected) {
        String claim = claim(
                "a-v",
                DELETED + FINALIZERS + "ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: " + owner
                        + ", controller: true}],");
        String deletion = ending.isEmpty() ? "" : "deletionTimestamp: '2026-01-01T00:00:00Z', " + ending;
        String pod = "{kind: Pod, metadata: {" + deletion
                + " name: a, namespace: default}, spec: {nodeName: n1, volumes: [{name: v, ephemeral: {}}]}}";
        assertThat(run(claim, pod).keys().contains("persistentvolumeclaims/default/a-v"))
                .isEqualTo(expected.equals("kept"));
    }

    /** H16, H17: what was deleted and created anew comes as one change. */
    @Test
    void letsGoWhenAPodOfTheSameNameIsAnother() {
        OneController run = run(terminating(), claim("quiet", FINALIZERS), pod("a", "n1", "Running", "data"));
        assertThat(run.keys()).contains(KEY);
        run.did();
        run.put(pod("a", "n2", "Running", "quiet").replace("name: a,", "name: a, uid: another,"))
                .settle();
        assertThat(run.did()).containsExactly("PersistentVolumeClaimDeleted " + KEY);
    }

    /** H19. */
    @Test
    void keepsAClaimWhosePodGetsANodeWhileItIsBeingDeleted() {
        OneController run = run(claim(FINALIZERS), pod("a", "", "Pending", "data"));
        run.put(pod("a", "n1", "Pending", "data")).put(terminating()).settle();
        assertThat(words(run)).endsWith("used by Pod a");
    }

    /** H10, race 13: the World knows a Pod or a mount that the controller has not been told of. */
    @Test
    void looksInTheWorldForWhatItHasNotBeenToldYet() {
        ClaimProtection controller = new ClaimProtection();
        World told = Worlds.of(HOME + terminating());
        for (StoredObject each : told.list(Scope.all())) {
            controller.follow(Change.put(each, 0), Optional.empty(), told, new Deaf());
        }
        ObjectKey key = ObjectKey.parse(KEY);
        assertThat(controller.reconcile(told, key, NOW).proposals().get(0).type())
                .isEqualTo("PersistentVolumeClaimDeleted");
        for (String untold : List.of(pod("a", "n1", "Pending", "data"), mounted("pv1", "n1", "Mounting"))) {
            World newer = Worlds.put(told, Worlds.objects(untold).get(0));
            Decision decision = controller.reconcile(newer, key, NOW);
            assertThat(decision.proposals().get(0).type()).isEqualTo("PersistentVolumeClaimStatusUpdated");
        }
    }

    @Test
    void decidesNothingMoreOnceItsWordIsThere() {
        OneController run = run(terminating(), pod("a", "n1", "Running", "data"));
        OneController again = new OneController(new ClaimProtection(), run.world()).settle();
        assertThat(again.did()).isEmpty();
    }

    @Test
    void tellsNoEventInANamespaceThatIsGoingButStillWaits() {
        OneController run = new OneController(
                        new ClaimProtection(),
                        "{kind: Namespace, metadata: {name: default, deletionTimestamp: '2026-01-01T00:00:00Z'}}\n---\n"
                                + terminating() + "---\n" + pod("a", "n1", "Running", "data"))
                .settle();
        assertThat(words(run)).endsWith("used by Pod a");
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

    private record Deaf() implements Controller.Wakes {
        @Override
        public void now(ObjectKey key) {}

        @Override
        public void within(ObjectKey key, Duration delay) {}
    }
}
