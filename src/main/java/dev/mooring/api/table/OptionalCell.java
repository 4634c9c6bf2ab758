package dev.mooring.api.table;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;

/**
 * The cell of a column that Kubernetes does not have. The column is only shown if a value is known for at least one
 * object, so that the output otherwise equals Kubernetes'. Must be the last column of the kind, because rows of a watch
 * omit it.
 */
interface OptionalCell extends Column.Cell {
    /** Returns true if no value is known for any object. */
    boolean isNeverKnown();

    boolean isKnown(JsonNode object);
}
