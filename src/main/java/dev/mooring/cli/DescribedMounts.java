package dev.mooring.cli;

import static dev.mooring.cli.DescriptionWriter.reference;
import static dev.mooring.cli.DescriptionWriter.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.table.AgeFormat;
import dev.mooring.cli.ObjectDescription.RelatedObjects;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The mounts of a described object: the actual state of volumes on nodes, and volumes that should be mounted but are
 * not. Pure.
 *
 * @param now the moment of the description
 */
record DescribedMounts(JsonNode object, RelatedObjects related, Instant now) {
    static final List<String> HEADER =
            List.of("Pod", "Volume", "Node", "State", "Attempts", "Next Try", "Error", "Path");

    /** Returns a row for each mount; empty if there are none. */
    List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode actual : related.actual()) {
            for (JsonNode mount : actual.at("/status/mounts")) {
                if (concerns(actual, mount.path("pod"))) {
                    rows.add(row(
                            actual, mount, mount.path("pod"), text(mount.path("volumeName")), state(actual, mount)));
                }
            }
            if (actual.at("/status/mounts").isEmpty() && concerns(actual, actual.path(""))) {
                rows.add(row(actual, actual.path("status"), actual.path(""), "", text(actual.at("/status/state"))));
            }
        }
        for (JsonNode desired : related.desired()) {
            JsonNode pod = desired.at("/spec/pod");
            if (concerns(desired, pod) && !isMounted(desired)) {
                JsonNode error = desired.at("/status/error");
                rows.add(row(
                        desired,
                        desired.path("status"),
                        pod,
                        text(desired.at("/spec/volumeName")),
                        error.isObject() ? "Waiting" : "Desired"));
            }
        }
        return rows;
    }

    private static String state(JsonNode actual, JsonNode mount) {
        String state = text(mount.path("state"));
        return state.isEmpty() ? text(actual.at("/status/state")) : state;
    }

    private List<String> row(JsonNode volume, JsonNode status, JsonNode pod, String volumeName, String state) {
        JsonNode problem = List.of("lastError", "health", "error").stream()
                .map(status::path)
                .filter(JsonNode::isObject)
                .findFirst()
                .orElse(volume.at("/status/lastError"));
        String next = text(status.path("nextTry"));
        return List.of(
                pod.isObject() ? reference(pod) : DescriptionWriter.NONE,
                volumeName.isEmpty() ? text(volume.at("/spec/persistentVolume")) : volumeName,
                text(volume.at("/spec/node")),
                state,
                text(status.path("attempts")),
                next.isEmpty() ? "" : nextTry(next),
                problem.isObject() ? text(problem.path("reason")) + ": " + text(problem.path("message")) : "",
                text(status.path("path")));
    }

    private String nextTry(String time) {
        String left = AgeFormat.until(time, now);
        return left.startsWith("<") ? "now" : left;
    }

    /** Returns whether a desired or actual volume is of the described object. */
    private boolean concerns(JsonNode volume, JsonNode pod) {
        JsonNode metadata = object.path("metadata");
        return switch (object.path("kind").asText()) {
            case "Pod" -> pod.path("uid").equals(metadata.path("uid"));
            case "PersistentVolume" -> volume.at("/spec/persistentVolume").equals(metadata.path("name"));
            case "PersistentVolumeClaim" ->
                volume.at("/spec/claim/namespace").equals(metadata.path("namespace"))
                        && volume.at("/spec/claim/name").equals(metadata.path("name"));
            case "Node" -> volume.at("/spec/node").equals(metadata.path("name"));
            case "ActualVolume", "DesiredVolume" ->
                volume.at("/spec/node").equals(object.at("/spec/node"))
                        && !object.at("/spec/volume").asText().isEmpty()
                        && volume.at("/spec/volume").equals(object.at("/spec/volume"));
            default -> false;
        };
    }

    private boolean isMounted(JsonNode desired) {
        for (JsonNode actual : related.actual()) {
            boolean isSame = actual.at("/spec/node").equals(desired.at("/spec/node"))
                    && actual.at("/spec/volume").equals(desired.at("/spec/volume"));
            for (JsonNode mount : actual.at("/status/mounts")) {
                if (isSame && mount.at("/pod/uid").equals(desired.at("/spec/pod/uid"))) {
                    return true;
                }
            }
        }
        return false;
    }
}
