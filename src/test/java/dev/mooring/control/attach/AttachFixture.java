package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Scope;
import dev.mooring.model.view.CsiNames;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;

/** Two nodes, a claim {@code data} bound to the volume {@code pv} with the handle {@code h1}, and Pods that use it. */
final class AttachFixture {
    static final String N1 = "volumeattachments.storage.k8s.io/" + attachment("n1");
    static final String N2 = "volumeattachments.storage.k8s.io/" + attachment("n2");
    static final String UNIQUE = "kubernetes.io/csi/block.mooring.dev^h1";
    static final String LISTED = "[{\"name\":\"" + UNIQUE + "\",\"devicePath\":\"/dev/loop3\"}]";

    static final String NODES = """
        ---
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1}, spec: {}}
        ---
        {kind: Node, metadata: {name: n2}, spec: {}}
        """;

    static final String CLAIM = """
        ---
        {kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {volumeName: pv}}
        """;

    private AttachFixture() {}

    static String attachment(String node) {
        return CsiNames.attachment("block.mooring.dev", "h1", node);
    }

    static String volume(String mode) {
        return volume("block.mooring.dev", mode);
    }

    static String volume(String driver, String mode) {
        return """
            ---
            kind: PersistentVolume
            metadata: {name: pv}
            spec:
              accessModes: [%s]
              csi: {driver: %s, volumeHandle: h1}
              claimRef: {namespace: default, name: data, uid: uid-data}
            """.formatted(mode, driver);
    }

    static String pod(String name, String node) {
        return pod(name, node, "Running", "");
    }

    static String pod(String name, String node, String phase, String metadata) {
        return """
            ---
            kind: Pod
            metadata: {name: %s, namespace: default%s}
            spec: {nodeName: %s, volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}
            status: {phase: %s}
            """.formatted(name, metadata, node, phase);
    }

    static String attached(String node, String more) {
        return """
            ---
            apiVersion: storage.k8s.io/v1
            kind: VolumeAttachment
            metadata: {name: %s%s}
            spec: {attacher: block.mooring.dev, nodeName: %s, source: {persistentVolumeName: pv}}
            status: {attached: true, attachmentMetadata: {devicePath: /dev/loop3}}
            """.formatted(attachment(node), more, node);
    }

    static String node(String name, String spec, String status) {
        return "---\n{kind: Node, metadata: {name: %s}, spec: {%s}, status: {%s}}\n".formatted(name, spec, status);
    }

    static String actual(String state, String more) {
        return """
            ---
            apiVersion: mooring.dev/v1
            kind: ActualVolume
            metadata: {name: n1-pv}
            spec: {node: n1, plugin: kubernetes.io/csi, persistentVolume: pv}
            status: {state: %s%s}
            """.formatted(state, more);
    }

    static ControllerFixture run(String... yaml) {
        return new ControllerFixture(new AttachDetachController(), NODES + CLAIM + String.join("", yaml)).settle();
    }

    static List<String> events(World world) {
        List<String> recorded = new ArrayList<>();
        world.list(Scope.resource("events")).forEach(each -> {
            JsonNode event = each.toTree();
            recorded.add(
                    event.path("type").asText() + ' ' + event.path("reason").asText() + ' '
                            + event.path("involvedObject").path("name").asText() + ": "
                            + event.path("message").asText());
        });
        return recorded;
    }

    static JsonNode listed(ControllerFixture run) {
        return WorldFixture.tree(run.world(), "nodes/n1").path("status").path("volumesAttached");
    }
}
