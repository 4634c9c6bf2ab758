package dev.mooring.api.table;

import static dev.mooring.api.table.Fields.NONE;
import static dev.mooring.api.table.Fields.at;
import static dev.mooring.api.table.Fields.text;
import static dev.mooring.api.table.Fields.textOr;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Column;
import java.time.Instant;
import java.util.List;
import java.util.StringJoiner;

/** The kinds of mooring.dev: both states of the world, work on volumes, and tokens. */
final class MooringColumns {
    static final List<Column> DESIRED_VOLUME = NodeVolumeColumns.DESIRED;

    static final List<Column> ACTUAL_VOLUME = NodeVolumeColumns.ACTUAL;

    static final List<Column> VOLUME_OPERATION = ColumnList.named()
            .text("Operation", "What is to be done.", (work, now) -> text(work, "spec", "operation"))
            .text("Volume", "The volume it is done to.", (work, now) -> text(work, "spec", "persistentVolume"))
            .text("Node", "The node that does it.", (work, now) -> text(work, "spec", "node"))
            .text("State", "How far it is.", (work, now) -> textOr("Pending", work, "status", "state"))
            .number(
                    "Attempts",
                    "How many times in a row it failed.",
                    (work, now) -> at(work, "status", "attempts").asLong(0))
            .text(
                    "Message",
                    "What the last attempt failed with.",
                    (work, now) -> text(work, "status", "lastError", "message"))
            .age()
            .wide("Provisioner", "Who knows how to do it.", (work, now) -> text(work, "spec", "provisioner"))
            .wide("Claim", "The claim it is done for.", (work, now) -> reference(at(work, "spec", "claim")))
            .build();

    static final List<Column> TOKEN = ColumnList.named()
            .text("User", "Whom the token stands for.", (token, now) -> text(token, "spec", "user"))
            .text("Role", "What its bearer may do.", (token, now) -> text(token, "spec", "role"))
            .text("Namespaces", "Where its bearer may do it.", (token, now) -> namespaces(token))
            .text("Expires", "How long the token is still good.", MooringColumns::expires)
            .age()
            .build();

    private MooringColumns() {}

    /** A name, or an object with a namespace and a name. */
    static String reference(JsonNode to) {
        if (!to.isObject()) {
            return text(to);
        }
        String namespace = text(to, "namespace");
        return namespace.isEmpty() ? text(to, "name") : namespace + "/" + text(to, "name");
    }

    /** A service account's token is good for the account's own namespace, which its user's name says. */
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
        String left = Ages.until(at, now);
        return left.equals("<invalid>") ? "expired" : left;
    }
}
