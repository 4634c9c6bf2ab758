package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.NONE;
import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.text;
import static dev.mooring.api.table.ColumnFields.textOr;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/** Columns of the mooring.dev kinds: desired and actual volumes, volume operations, and tokens. */
final class MooringColumns {
    static final List<Column> DESIRED_VOLUME = NodeVolumeColumns.DESIRED;

    static final List<Column> ACTUAL_VOLUME = NodeVolumeColumns.ACTUAL;

    static final List<Column> VOLUME_OPERATION = ColumnListBuilder.withName()
            .text("Operation", "The requested operation.", (work, now) -> text(work, "spec", "operation"))
            .text("Volume", "The volume of the operation.", (work, now) -> text(work, "spec", "persistentVolume"))
            .text("Node", "The node that runs the operation.", (work, now) -> text(work, "spec", "node"))
            .text("State", "State of the operation.", (work, now) -> textOr("Pending", work, "status", "state"))
            .number(
                    "Attempts",
                    "Consecutive failures.",
                    (work, now) -> at(work, "status", "attempts").asLong(0))
            .text("Message", "Message of the last error.", (work, now) -> text(work, "status", "lastError", "message"))
            .age()
            .wide("Provisioner", "The provisioner of the volume.", (work, now) -> text(work, "spec", "provisioner"))
            .wide("Claim", "The claim of the volume.", (work, now) -> reference(at(work, "spec", "claim")))
            .build();

    static final List<Column> TOKEN = ColumnListBuilder.withName()
            .text("User", "The user of the token.", (token, now) -> text(token, "spec", "user"))
            .text("Role", "The role of the user.", (token, now) -> text(token, "spec", "role"))
            .text("Namespaces", "The namespaces of the role.", (token, now) -> namespaces(token))
            .text("Expires", "Time until the token expires.", MooringColumns::expires)
            .age()
            .build();

    private MooringColumns() {}

    /** Formats a reference: a name, or an object with a namespace and a name. */
    static String reference(JsonNode to) {
        if (!to.isObject()) {
            return text(to);
        }
        String namespace = text(to, "namespace");
        return namespace.isEmpty() ? text(to, "name") : namespace + "/" + text(to, "name");
    }

    /**
     * Formats the namespaces of a token; a service account's token has the account's namespace, which its user name
     * contains.
     */
    private static String namespaces(JsonNode token) {
        JsonNode names = token.path("spec").path("namespaces");
        if (names.isEmpty()) {
            return token.path("spec").has("serviceAccount") ? NONE : "<all>";
        }
        StringJoiner text = new StringJoiner(",");
        names.forEach(name -> text.add(name.asText()));
        return text.toString();
    }

    private static String expires(JsonNode token, Instant now) {
        String at = text(token, "spec", "expires");
        if (at.isEmpty()) {
            return NONE;
        }
        String left = AgeFormat.until(at, now);
        return left.equals("<invalid>") ? "expired" : left;
    }

    /**
     * Columns of DesiredVolumes and ActualVolumes: owner, volume, progress and error. An ActualVolume has one row for
     * all its mounts, which also shows the error of a single Pod. Stateless.
     */
    private static final class NodeVolumeColumns {
        static final List<Column> DESIRED = ColumnListBuilder.withName()
                .text(
                        "Pod",
                        "The Pod that uses it.",
                        (desired, now) -> MooringColumns.reference(at(desired, "spec", "pod")))
                .text(
                        "Volume",
                        "The PersistentVolume, or for other volumes the name within the Pod.",
                        (desired, now) ->
                                textOr(text(desired, "spec", "volumeName"), desired, "spec", "persistentVolume"))
                .text("Plugin", "The volume plugin that mounts it.", (desired, now) -> text(desired, "spec", "plugin"))
                .text(
                        "State",
                        "Resolved if it can be mounted, Waiting if something is missing.",
                        (desired, now) -> at(desired, "status", "error").isObject() ? "Waiting" : "Resolved")
                .text(
                        "Reason",
                        "Reason why it is waiting.",
                        (desired, now) -> text(desired, "status", "error", "reason"))
                .age()
                .wide("Node", "The node on which it is to be mounted.", (desired, now) -> text(desired, "spec", "node"))
                .wide("Claim", "The claim that the Pod uses.", (desired, now) -> text(desired, "spec", "claim", "name"))
                .wide(
                        "Message",
                        "Message why it is waiting.",
                        (desired, now) -> text(desired, "status", "error", "message"))
                .build();

        static final List<Column> ACTUAL = ColumnListBuilder.withName()
                .text("Pod", "The first Pod that it is mounted for.", (actual, now) -> pods(actual))
                .text(
                        "Volume",
                        "The PersistentVolume, or for other volumes the name within the Pod.",
                        (actual, now) -> textOr(
                                text(at(actual, "status", "mounts").path(0), "volumeName"),
                                actual,
                                "spec",
                                "persistentVolume"))
                .text("Plugin", "The volume plugin that mounts it.", (actual, now) -> text(actual, "spec", "plugin"))
                .text("State", "Progress of mounting or unmounting.", (actual, now) -> text(actual, "status", "state"))
                .number("Attempts", "Consecutive failures of the current step.", (actual, now) -> attempts(actual))
                .text("Next Try", "Time until the next retry.", NodeVolumeColumns::nextTry)
                .text("Reason", "Reason of the last error.", (actual, now) -> text(firstError(actual), "reason"))
                .age()
                .wide("Node", "The node of the volume.", (actual, now) -> text(actual, "spec", "node"))
                .wide(
                        "Since",
                        "Time in this state.",
                        (actual, now) -> AgeFormat.since(text(actual, "status", "since"), now))
                .wide("Path", "The mount path.", (actual, now) -> path(actual))
                .wide("Message", "Message of the last error.", (actual, now) -> text(firstError(actual), "message"))
                .build();

        private NodeVolumeColumns() {}

        private static String pods(JsonNode actual) {
            JsonNode mounts = at(actual, "status", "mounts");
            String first = MooringColumns.reference(mounts.path(0).path("pod"));
            return mounts.size() < 2 ? first : first + " + " + (mounts.size() - 1) + " more";
        }

        /** Returns the volume and each of its mounts, all of which can have errors. */
        private static List<JsonNode> parts(JsonNode actual) {
            List<JsonNode> parts = new ArrayList<>();
            parts.add(at(actual, "status"));
            at(actual, "status", "mounts").forEach(parts::add);
            return parts;
        }

        private static long attempts(JsonNode actual) {
            return parts(actual).stream()
                    .mapToLong(each -> each.path("attempts").asLong(0))
                    .max()
                    .orElse(0);
        }

        private static String nextTry(JsonNode actual, Instant now) {
            Optional<Instant> next = parts(actual).stream()
                    .flatMap(each -> ColumnFields.time(each, "nextTry").stream())
                    .min(Instant::compareTo);
            return next.map(due -> due.isAfter(now) ? AgeFormat.until(due.toString(), now) : "now")
                    .orElse("");
        }

        /** Returns the first error, or the problem that was observed with an existing mount. */
        private static JsonNode firstError(JsonNode actual) {
            List<JsonNode> parts = parts(actual);
            for (String field : List.of("lastError", "health")) {
                for (JsonNode each : parts) {
                    if (each.path(field).isObject()) {
                        return each.path(field);
                    }
                }
            }
            return actual.path("");
        }

        private static String path(JsonNode actual) {
            return textOr(
                    text(actual, "status", "deviceMountPath"),
                    at(actual, "status", "mounts").path(0),
                    "path");
        }
    }
}
