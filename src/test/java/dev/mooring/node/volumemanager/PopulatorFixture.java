package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;

/** A populator of the node n1 in a world of its own. */
final class PopulatorFixture {
    static final String BASE = """
        ---
        {kind: Namespace, metadata: {name: team}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}}
        """;

    static final String CLAIM = """
        ---
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: team, finalizers: [kubernetes.io/pvc-protection]}
        spec: {volumeName: pv, accessModes: [ReadWriteMany], volumeMode: Filesystem}
        status: {phase: Bound}
        """;

    static final String VOLUME = """
        ---
        kind: PersistentVolume
        metadata: {name: pv}
        spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteMany], nfs: {server: nas, path: /a}, volumeMode: Filesystem,
          claimRef: {namespace: team, name: data, uid: uid-data}}
        """;

    private final Set<String> running = new HashSet<>();
    private ControllerFixture world;

    PopulatorFixture(String yaml) {
        world = new ControllerFixture(populator(), BASE + yaml).settle();
    }

    private Populator populator() {
        return new Populator("n1", FakePlugin.all(), running::contains);
    }

    /** A Pod with volumes, each mounted by its only container. */
    static String pod(String name, String volumes) {
        List<String> mounts = new ArrayList<>();
        WorldFixture.objects("{volumes: [" + volumes + "]}")
                .get(0)
                .path("volumes")
                .forEach(each -> mounts.add("{name: " + each.path("name").asText() + "}"));
        return "---\n{kind: Pod, metadata: {name: " + name + ", namespace: team}, spec: {nodeName: n1, volumes: ["
                + volumes + "], containers: [{name: c, volumeMounts: [" + String.join(",", mounts) + "]}]}}\n";
    }

    /** A Pod that uses the claim. */
    static String pod() {
        return pod("p", "{name: v, persistentVolumeClaim: {claimName: data}}");
    }

    PopulatorFixture put(String yaml) {
        world.put(yaml).settle();
        return this;
    }

    PopulatorFixture remove(String key) {
        world.remove(key).settle();
        return this;
    }

    PopulatorFixture pass(Duration time) {
        world.advance(time);
        return this;
    }

    /** Another process takes over, with nothing but the World. */
    PopulatorFixture restart() {
        world = new ControllerFixture(populator(), world.world()).settle();
        return this;
    }

    void runs(String podUid) {
        running.add(podUid);
    }

    void ends(String podUid) {
        running.remove(podUid);
    }

    ControllerFixture world() {
        return world;
    }

    /** The types of what happened since it was asked last. */
    List<String> eventTypes() {
        return world.takeEvents().stream()
                .map(each -> each.substring(0, each.indexOf(' ')))
                .toList();
    }

    List<DesiredVolume> all() {
        return StreamSupport.stream(
                        world.world()
                                .list(Scope.resource("desiredvolumes.mooring.dev"))
                                .spliterator(),
                        false)
                .map(DesiredVolume::of)
                .toList();
    }

    DesiredVolume only() {
        List<DesiredVolume> all = all();
        if (all.size() != 1) {
            throw new AssertionError("Expected one DesiredVolume, but found " + all);
        }
        return all.get(0);
    }

    Optional<DesiredVolume> of(String pod, String volume) {
        return world.world()
                .get(Pod.key("team", pod))
                .map(Pod::of)
                .flatMap(each -> world.world().get(DesiredVolume.key(each, volume)))
                .map(DesiredVolume::of);
    }

    /** The spec of the only one without what every one has. */
    JsonNode spec() {
        ObjectNode spec = ((ObjectNode) only().spec()).deepCopy();
        spec.remove(List.of("node", "pod", "volumeName", "since"));
        return spec;
    }

    String error(String pod, String volume) {
        return of(pod, volume)
                .orElseThrow()
                .status()
                .path("error")
                .path("message")
                .asText("");
    }

    /** What Pods were told. */
    List<String> recordedEvents() {
        List<String> told = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.resource("events"))) {
            JsonNode event = each.toTree();
            told.add(event.path("type").asText() + " " + event.path("reason").asText() + " "
                    + event.path("involvedObject").path("name").asText() + ": "
                    + event.path("message").asText());
        }
        return told;
    }
}
