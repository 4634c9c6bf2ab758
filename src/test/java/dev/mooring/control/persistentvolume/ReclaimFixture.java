package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A ReclaimController with a volume {@code pv1}; the test plays the node that executes operations. */
final class ReclaimFixture {
    static final String KEY = "persistentvolumes/pv1";
    static final String DELETE = "volumeoperations.mooring.dev/delete-uid-pv1";
    static final String SCRUB = "volumeoperations.mooring.dev/scrub-uid-pv1";
    static final String OURS = "pv.kubernetes.io/provisioned-by: mooring.dev/hostpath";
    static final String BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller: 'yes'";
    static final String DELETED = "deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0,";
    static final String HOST_PATH = "hostPath: {path: /srv/v/pv1, type: Directory}";
    static final String ON_N1 = "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
            + " kubernetes.io/hostname, operator: In, values: [host1]}]}]}}";
    static final String NAMESPACE = "{kind: Namespace, metadata: {name: default}}\n";
    static final String N1 = node("n1", "host1");

    private final ControllerFixture run;

    ReclaimFixture(String... objects) {
        this(WorldFixture.of(String.join("\n---\n", objects)));
    }

    ReclaimFixture(World world) {
        run = new ControllerFixture(new ReclaimController(), world).settle();
    }

    /** Returns a fixture with a namespace, a node and a volume. */
    static ReclaimFixture of(String volume, String... more) {
        List<String> objects = new ArrayList<>(List.of(NAMESPACE, N1, volume));
        objects.addAll(List.of(more));
        return new ReclaimFixture(objects.toArray(new String[0]));
    }

    static String node(String name, String host) {
        return "{kind: Node, metadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + host + "}}}\n";
    }

    static String volume(String metadata, String annotations, String spec, String phase) {
        return """
            {kind: PersistentVolume, metadata: {%s annotations: {x.io/mine: a, %s}, name: pv1},
             spec: {%s, x-foreign: [1], claimRef: {kind: PersistentVolumeClaim, namespace: default, name: data, uid: u1, resourceVersion: '7'}},
             status: {phase: %s, x-foreign: b}}
            """.formatted(metadata, annotations, spec, phase);
    }

    static String policy(String policy) {
        return "persistentVolumeReclaimPolicy: " + policy;
    }

    /** Returns a volume of a Mooring provisioner with the policy Delete. */
    static String ours(String metadata, String phase) {
        return volume(
                metadata.contains("finalizers")
                        ? metadata
                        : metadata + " finalizers: [kubernetes.io/pv-protection, kubernetes.io/pv-controller],",
                OURS + ", " + BY_CONTROLLER + ", mooring.dev/on-delete: archive",
                policy("Delete") + ", storageClassName: fast, " + HOST_PATH + ", " + ON_N1,
                phase);
    }

    static String recycled(String annotations, String phase) {
        return volume("", annotations, policy("Recycle") + ", " + HOST_PATH + ", " + ON_N1, phase);
    }

    static String pod(String name, String phase) {
        return "{kind: Pod, metadata: {name: " + name + ", namespace: default}, status: {phase: " + phase
                + "}, spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}}\n";
    }

    static String claim(String uid, String volume) {
        return "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, uid: " + uid
                + "}, spec: {volumeName: '" + volume + "'}, status: {phase: Bound}}\n";
    }

    static String mount() {
        return "{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: m1}, spec: {node: n1,"
                + " persistentVolume: pv1}, status: {state: Mounted}}\n";
    }

    ControllerFixture run() {
        return run;
    }

    ReclaimFixture put(String yaml) {
        run.put(yaml).settle();
        return this;
    }

    ReclaimFixture remove(String key) {
        run.remove(key).settle();
        return this;
    }

    /** Sets the status of an operation, like the node. */
    ReclaimFixture reportStatus(String operation, String status) {
        ObjectNode object = WorldFixture.tree(run.world(), operation);
        object.set(
                "status",
                WorldFixture.objects("{kind: Pod, metadata: {name: x}, status: {" + status + "}}")
                        .get(0)
                        .get("status"));
        run.put(object.toString()).settle();
        return this;
    }

    boolean has(String key) {
        return run.keys().contains(key);
    }

    ObjectNode volume() {
        return WorldFixture.tree(run.world(), KEY);
    }

    String phase() {
        return volume().at("/status/phase").asText();
    }

    String message() {
        return volume().at("/status/message").asText();
    }

    Optional<ObjectNode> operation(String key) {
        return run.world().get(ObjectKey.parse(key)).map(StoredObject::toTree);
    }

    /** Returns the Events, oldest first. */
    List<String> events() {
        List<StoredObject> events =
                new ArrayList<>(run.world().stream(Scope.resource("events")).toList());
        events.sort((left, right) -> Long.compare(left.revision(), right.revision()));
        return events.stream()
                .map(StoredObject::toTree)
                .map(event ->
                        event.path("type").asText() + ' ' + event.path("reason").asText() + ": "
                                + event.path("message").asText())
                .toList();
    }

    /** Checks that a restarted controller changes nothing and that no key is queued. */
    ReclaimFixture assertSettled() {
        assertThat(new ControllerFixture(new ReclaimController(), run.world())
                        .settle()
                        .takeEvents())
                .as("events of a restarted controller")
                .isEmpty();
        assertThat(run.waiting()).isZero();
        return this;
    }

    /** Checks that foreign fields and annotations are unchanged. */
    ReclaimFixture assertForeignFieldsKept() {
        assertThat(volume().at("/spec/x-foreign/0").asInt()).isEqualTo(1);
        assertThat(volume().at("/status/x-foreign").asText()).isEqualTo("b");
        assertThat(volume().at("/metadata/annotations").path("x.io/mine").asText())
                .isEqualTo("a");
        return this;
    }
}
