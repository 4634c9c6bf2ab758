package dev.mooring.api.table;

import dev.mooring.api.kind.Column;
import dev.mooring.api.kind.Column.Cell;
import java.util.ArrayList;
import java.util.List;

/** Writes down the columns of a kind, left to right. Not thread-safe; what it builds is immutable. */
final class ColumnList {
    private static final int ALWAYS = 0;
    private static final int WIDE = 1;

    private final List<Column> columns = new ArrayList<>();

    /** Begins with the column Name. */
    static ColumnList named() {
        return new ColumnList().name(ALWAYS, (object, now) -> Fields.name(object));
    }

    static ColumnList named(Cell name) {
        return new ColumnList().name(ALWAYS, name);
    }

    static ColumnList unnamed() {
        return new ColumnList();
    }

    ColumnList text(String name, String description, Cell cell) {
        columns.add(new Column(name, "string", "", description, ALWAYS, cell));
        return this;
    }

    ColumnList yesNo(String name, String description, Cell cell) {
        columns.add(new Column(name, "boolean", "", description, ALWAYS, cell));
        return this;
    }

    ColumnList number(String name, String description, Cell cell) {
        columns.add(new Column(name, "integer", "", description, ALWAYS, cell));
        return this;
    }

    ColumnList wide(String name, String description, Cell cell) {
        columns.add(new Column(name, "string", "", description, WIDE, cell));
        return this;
    }

    ColumnList wideName() {
        return name(WIDE, (object, now) -> Fields.name(object));
    }

    ColumnList age() {
        return text("Age", "How long ago the object was created.", Fields::age);
    }

    List<Column> build() {
        return List.copyOf(columns);
    }

    private ColumnList name(int priority, Cell cell) {
        columns.add(new Column("Name", "string", "name", "The name of the object.", priority, cell));
        return this;
    }
}
