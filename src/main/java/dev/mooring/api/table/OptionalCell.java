package dev.mooring.api.table;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Column;

/**
 * The cell of a column that Kubernetes does not have: it is only there if something is known for at least one of the objects. So what is
 * printed about others is what Kubernetes prints. To be the last one of its kind, for rows of a watch come without it.
 */
interface OptionalCell extends Column.Cell {
    /** Whether it is not worth while to ask about any object. */
    boolean isNeverKnown();

    boolean isKnown(JsonNode object);
}
