package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.FieldSelector;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.Selection;
import dev.mooring.model.SelectorException;
import dev.mooring.model.UnknownFieldException;

/** Parses the selectors of a query. */
final class SelectionParser {
    private SelectionParser() {}

    static Selection parse(QueryParameters query, ResourceRef target) {
        String labels = query.text("labelSelector");
        String fields = query.text("fieldSelector");
        if (labels.isEmpty() && fields.isEmpty()) {
            return Selection.everything();
        }
        KindDefinition kind = target.kind();
        try {
            return Selection.of(LabelSelector.parse(labels), FieldSelector.parse(fields), kind.selectable());
        } catch (SelectorException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        } catch (UnknownFieldException e) {
            throw new StatusException(Status.badRequest(unknownField(kind, e.field())));
        }
    }

    /**
     * Returns the message for an unknown field; kubectl adds a prefix. Kubernetes has two messages, for kinds with
     * their own fields and for others.
     */
    private static String unknownField(KindDefinition kind, String field) {
        return kind.selectable().isEmpty()
                ? '"' + field + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                : "field label not supported: " + field;
    }
}
