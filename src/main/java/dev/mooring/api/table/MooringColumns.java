package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.NONE;
import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.text;
import static dev.mooring.api.table.ColumnFields.textOr;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import java.time.Instant;
import java.util.List;
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
}
