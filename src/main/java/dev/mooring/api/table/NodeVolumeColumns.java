package dev.mooring.api.table;

import static dev.mooring.api.table.Fields.at;
import static dev.mooring.api.table.Fields.text;
import static dev.mooring.api.table.Fields.textOr;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Column;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Volumes that a node should have and volumes that it has: whose, which, how far, and what is in the way. An ActualVolume has one line whatever it
 * is mounted for; where something goes wrong for one Pod only, that is what the line shows. Stateless.
 */
final class NodeVolumeColumns {
    static final List<Column> DESIRED = ColumnList.named()
            .text("Pod", "The Pod that needs it.", (want, now) -> MooringColumns.reference(at(want, "spec", "pod")))
            .text(
                    "Volume",
                    "The PersistentVolume, or for other volumes the name within the Pod.",
                    (want, now) -> textOr(text(want, "spec", "volumeName"), want, "spec", "persistentVolume"))
            .text("Plugin", "Who mounts volumes of this sort.", (want, now) -> text(want, "spec", "plugin"))
            .text(
                    "State",
                    "Resolved if everything is there to mount it, Waiting if something is missing.",
                    (want, now) -> at(want, "status", "error").isObject() ? "Waiting" : "Resolved")
            .text("Reason", "What is missing.", (want, now) -> text(want, "status", "error", "reason"))
            .age()
            .wide("Node", "The node on which it is to be mounted.", (want, now) -> text(want, "spec", "node"))
            .wide("Claim", "The claim it comes from.", (want, now) -> text(want, "spec", "claim", "name"))
            .wide("Message", "What is missing, in words.", (want, now) -> text(want, "status", "error", "message"))
            .build();

    static final List<Column> ACTUAL = ColumnList.named()
            .text("Pod", "The Pod it is mounted for; the first, if there are more.", (have, now) -> pods(have))
            .text(
                    "Volume",
                    "The PersistentVolume, or for other volumes the name within the Pod.",
                    (have, now) -> textOr(
                            text(at(have, "status", "mounts").path(0), "volumeName"), have, "spec", "persistentVolume"))
            .text("Plugin", "Who mounts volumes of this sort.", (have, now) -> text(have, "spec", "plugin"))
            .text("State", "How far mounting, or unmounting, has come.", (have, now) -> text(have, "status", "state"))
            .number("Attempts", "How many times in a row the next step has failed.", (have, now) -> attempts(have))
            .text("Next Try", "How long until it is tried again.", NodeVolumeColumns::nextTry)
            .text("Reason", "What is wrong, in one word.", (have, now) -> text(trouble(have), "reason"))
            .age()
            .wide("Node", "The node on which the volume is.", (have, now) -> text(have, "spec", "node"))
            .wide(
                    "Since",
                    "How long it has been in this state.",
                    (have, now) -> Ages.since(text(have, "status", "since"), now))
            .wide("Path", "Where it is mounted.", (have, now) -> path(have))
            .wide("Message", "What is wrong, in words.", (have, now) -> text(trouble(have), "message"))
            .build();

    private NodeVolumeColumns() {}

    private static String pods(JsonNode have) {
        JsonNode mounts = at(have, "status", "mounts");
        String first = MooringColumns.reference(mounts.path(0).path("pod"));
        return mounts.size() < 2 ? first : first + " + " + (mounts.size() - 1) + " more";
    }

    /** The volume as such and each of its mounts: all that can go wrong. */
    private static List<JsonNode> parts(JsonNode have) {
        List<JsonNode> parts = new ArrayList<>();
        parts.add(at(have, "status"));
        at(have, "status", "mounts").forEach(parts::add);
        return parts;
    }

    private static long attempts(JsonNode have) {
        return parts(have).stream()
                .mapToLong(each -> each.path("attempts").asLong(0))
                .max()
                .orElse(0);
    }

    private static String nextTry(JsonNode have, Instant now) {
        Optional<Instant> next = parts(have).stream()
                .flatMap(each -> Fields.time(each, "nextTry").stream())
                .min(Instant::compareTo);
        return next.map(due -> due.isAfter(now) ? Ages.until(due.toString(), now) : "now")
                .orElse("");
    }

    /** The first error, or what a look found wrong with a mount that there is. */
    private static JsonNode trouble(JsonNode have) {
        List<JsonNode> parts = parts(have);
        for (String field : List.of("lastError", "health")) {
            for (JsonNode each : parts) {
                if (each.path(field).isObject()) {
                    return each.path(field);
                }
            }
        }
        return have.path("");
    }

    private static String path(JsonNode have) {
        return textOr(
                text(have, "status", "deviceMountPath"),
                at(have, "status", "mounts").path(0),
                "path");
    }
}
