package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;

/** Objects for scheduler tests, as YAML in namespace {@code team}, and accessors to their fields. */
final class SchedulerObjects {
    static final String TEAM = "---\n{kind: Namespace, metadata: {name: team}}\n";

    /** A class with WaitForFirstConsumer and without a provisioner. */
    static final String STATIC = storageClass("static", "kubernetes.io/no-provisioner", "");

    /** A class with WaitForFirstConsumer and a Mooring provisioner. */
    static final String DYNAMIC = storageClass("dynamic", "mooring.dev/hostpath", "");

    private SchedulerObjects() {}

    static String storageClass(String name, String provisioner, String more) {
        return "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " + name + "}, provisioner: "
                + provisioner + ", volumeBindingMode: WaitForFirstConsumer" + more + "}\n";
    }

    static String node(String name) {
        return node(name, "", "");
    }

    /** @param annotations such as {@code a: b} */
    static String annotatedNode(String name, String annotations) {
        return "---\n{kind: Node, metadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name
                + "}, annotations: {" + annotations + "}}}\n";
    }

    /**
     * Returns a node with its host name as label.
     *
     * @param spec such as {@code unschedulable: true}
     * @param status such as {@code allocatable: {cpu: 1}}
     */
    static String node(String name, String spec, String status) {
        return "---\n{kind: Node, metadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name
                + "}}, spec: {" + spec + "}, status: {" + status + "}}\n";
    }

    static String pod(String name, String spec) {
        return "---\n{kind: Pod, metadata: {namespace: team, name: " + name + "}, spec: {" + spec + "}}\n";
    }

    /** Returns the volumes of a Pod's spec for these claims. */
    static String uses(String... claims) {
        List<String> volumes = new ArrayList<>();
        for (String claim : claims) {
            volumes.add("{name: v-" + claim + ", persistentVolumeClaim: {claimName: " + claim + "}}");
        }
        return "volumes: [" + String.join(", ", volumes) + "]";
    }

    /** Returns a pending ReadWriteOnce claim. */
    static String claim(String name, String size, String storageClass) {
        return claim(name, size, storageClass, "ReadWriteOnce");
    }

    static String claim(String name, String size, String storageClass, String mode) {
        return "---\n{kind: PersistentVolumeClaim, metadata: {namespace: team, name: " + name
                + "}, spec: {accessModes: ["
                + mode + "], storageClassName: " + storageClass + ", resources: {requests: {storage: " + size
                + "}}}, status: {phase: Pending}}\n";
    }

    static String boundClaim(String name, String volume, String mode) {
        return "---\n{kind: PersistentVolumeClaim, metadata: {namespace: team, name: " + name
                + ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {accessModes: [" + mode
                + "], storageClassName: static, volumeName: " + volume
                + ", resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}\n";
    }

    /** @param nodes the nodes of its affinity, such as {@code n1, n2}; "" for none */
    static String volume(String name, String size, String nodes) {
        String affinity = nodes.isEmpty()
                ? ""
                : ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname,"
                        + " operator: In, values: [" + nodes + "]}]}]}}";
        return "---\n{kind: PersistentVolume, metadata: {name: " + name + "}, spec: {accessModes: [ReadWriteOnce],"
                + " storageClassName: static, capacity: {storage: " + size + "}" + affinity
                + "}, status: {phase: Available}}\n";
    }

    static String nodeOf(World world, String pod) {
        return WorldFixture.tree(world, "pods/team/" + pod)
                .path("spec")
                .path("nodeName")
                .asText("-");
    }

    static String nodeOf(ControllerFixture run, String pod) {
        return nodeOf(run.world(), pod);
    }

    /** Returns the message of a Pod's condition Unschedulable; "-" without one. */
    static String messageOf(ControllerFixture run, String pod) {
        ObjectNode object = WorldFixture.tree(run.world(), "pods/team/" + pod);
        return Conditions.find(object, "PodScheduled")
                .filter(condition -> condition.path("status").asText().equals("False"))
                .filter(condition -> condition.path("reason").asText().equals("Unschedulable"))
                .map(condition -> condition.path("message").asText())
                .orElse("-");
    }

    static String volumeOf(ControllerFixture run, String claim) {
        return WorldFixture.tree(run.world(), "persistentvolumeclaims/team/" + claim)
                .path("spec")
                .path("volumeName")
                .asText("-");
    }

    static String selectedNodeOf(ControllerFixture run, String claim) {
        return annotations(run, claim)
                .path("volume.kubernetes.io/selected-node")
                .asText("-");
    }

    private static JsonNode annotations(ControllerFixture run, String claim) {
        return WorldFixture.tree(run.world(), "persistentvolumeclaims/team/" + claim)
                .path("metadata")
                .path("annotations");
    }

    /** Returns the Events of a World as {@code Pod name: type reason message}. */
    static List<String> events(World world) {
        List<String> recorded = new ArrayList<>();
        for (StoredObject object : world.list(Scope.resource("events"))) {
            ObjectNode event = WorldFixture.tree(world, object.key().text());
            recorded.add(event.path("involvedObject").path("name").asText() + ": "
                    + event.path("type").asText() + " " + event.path("reason").asText() + " "
                    + event.path("message").asText());
        }
        return recorded;
    }

    static ObjectKey podKey(String name) {
        return ObjectKey.parse("pods/team/" + name);
    }
}
