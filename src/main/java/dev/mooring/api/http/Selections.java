package dev.mooring.api.http;

import dev.mooring.api.kind.Kind;
import dev.mooring.api.resource.Target;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.select.FieldSelector;
import dev.mooring.model.select.LabelSelector;
import dev.mooring.model.select.Selection;
import dev.mooring.model.select.SelectorException;
import dev.mooring.model.select.UnknownFieldException;

/** The selectors of a query. */
final class Selections {
    private Selections() {}

    static Selection of(Query query, Target target) {
        String labels = query.text("labelSelector");
        String fields = query.text("fieldSelector");
        if (labels.isEmpty() && fields.isEmpty()) {
            return Selection.everything();
        }
        Kind kind = target.kind();
        try {
            return Selection.of(LabelSelector.parse(labels), FieldSelector.parse(fields), kind.selectable());
        } catch (SelectorException e) {
            throw new StatusException(Status.badRequest(e.getMessage()));
        } catch (UnknownFieldException e) {
            throw new StatusException(Status.badRequest(unknownField(kind, e.field())));
        }
    }

    /** The end of the sentence; kubectl adds the beginning. Kubernetes has two, for kinds with fields of their own and for others. */
    private static String unknownField(Kind kind, String field) {
        return kind.selectable().isEmpty()
                ? '"' + field + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                : "field label not supported: " + field;
    }
}
