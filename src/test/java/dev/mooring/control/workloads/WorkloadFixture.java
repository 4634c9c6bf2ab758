package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.ControllerPodAdmission;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.types.Schemas;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Pod;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;

/** Runs a controller of workloads on a World written as text, with the admission of the server. */
final class WorkloadFixture {
    static final PodAdmission ADMISSION = new ControllerPodAdmission(
            new KindTable(Schemas.ofThisProgram(), Clock.systemUTC()).catalog(), PodPolicy.DENY_ALL)::admit;

    private static final String NAMESPACE = "{kind: Namespace, metadata: {name: ns}}\n---\n";

    final ControllerFixture run;

    WorkloadFixture(Controller controller, String yaml) {
        this.run = new ControllerFixture(controller, NAMESPACE + yaml);
        run.settle();
    }

    static String template(String labels, String image) {
        return "template: {metadata: {labels: {" + labels + "}}, spec: {containers: [{name: c, image: " + image
                + "}]}}";
    }

    List<Pod> pods() {
        return run.world().stream(Scope.resource("pods")).map(Pod::of).toList();
    }

    List<Pod> activePods() {
        return pods().stream().filter(Pod::isActive).toList();
    }

    /** Sets the phase Running and the condition Ready of a Pod, like its node. */
    WorkloadFixture ready(String pod, boolean ready) {
        ObjectNode tree = tree("pods/ns/" + pod);
        ObjectNode status = tree.withObject("/status");
        status.put("phase", "Running");
        status.putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", ready ? "True" : "False")
                .put("lastTransitionTime", run.now().toString());
        return put(tree);
    }

    WorkloadFixture allReady() {
        pods().stream().filter(each -> each.isActive() && !each.isReady()).forEach(each -> ready(each.name(), true));
        return this;
    }

    WorkloadFixture put(ObjectNode object) {
        run.put(object.toString()).settle();
        return this;
    }

    /** Changes a field of an object and its generation, like a user. */
    WorkloadFixture set(String key, String pointer, Object value) {
        ObjectNode tree = tree(key);
        int slash = pointer.lastIndexOf('/');
        ObjectNode parent = slash == 0 ? tree : (ObjectNode) tree.at(pointer.substring(0, slash));
        parent.putPOJO(pointer.substring(slash + 1), value);
        ObjectNode metadata = (ObjectNode) tree.get("metadata");
        metadata.put("generation", metadata.path("generation").asInt(0) + 1);
        return put(tree);
    }

    ObjectNode tree(String key) {
        return WorldFixture.tree(run.world(), key);
    }

    JsonNode status(String key) {
        return tree(key).path("status");
    }

    boolean exists(String key) {
        return run.world().get(ObjectKey.parse(key)).isPresent();
    }

    /** Removes a Pod, like its node at the end of its deletion. */
    WorkloadFixture end(String pod) {
        run.remove("pods/ns/" + pod).settle();
        return this;
    }

    /** Returns the Events as {@code reason: message}. */
    List<String> events() {
        Stream<JsonNode> events = run.world().stream(Scope.resource("events")).map(each -> each.toTree());
        return events.map(each -> each.path("reason").asText() + ": "
                        + each.path("message").asText())
                .toList();
    }

    void assertSettled() {
        run.takeEvents();
        run.settle();
        assertThat(run.takeEvents()).isEmpty();
    }
}
