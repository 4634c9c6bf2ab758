package dev.mooring.api.table;

import dev.mooring.api.types.Column;
import dev.mooring.api.types.Column.Cell;
import java.util.ArrayList;
import java.util.List;

/** Builds the columns of a kind, left to right. Not thread-safe; the result is immutable. */
final class ColumnListBuilder {
    private static final int ALWAYS = 0;
    private static final int WIDE = 1;

    private final List<Column> columns = new ArrayList<>();

    /** Returns a builder that starts with the column Name. */
    static ColumnListBuilder withName() {
        return new ColumnListBuilder().name(ALWAYS, (object, now) -> ColumnFields.name(object));
    }

    static ColumnListBuilder withName(Cell name) {
        return new ColumnListBuilder().name(ALWAYS, name);
    }

    static ColumnListBuilder withoutName() {
        return new ColumnListBuilder();
    }

    ColumnListBuilder text(String name, String description, Cell cell) {
        columns.add(new Column(name, "string", "", description, ALWAYS, cell));
        return this;
    }

    ColumnListBuilder yesNo(String name, String description, Cell cell) {
        columns.add(new Column(name, "boolean", "", description, ALWAYS, cell));
        return this;
    }

    ColumnListBuilder number(String name, String description, Cell cell) {
        columns.add(new Column(name, "integer", "", description, ALWAYS, cell));
        return this;
    }

    ColumnListBuilder wide(String name, String description, Cell cell) {
        columns.add(new Column(name, "string", "", description, WIDE, cell));
        return this;
    }

    ColumnListBuilder wideName() {
        return name(WIDE, (object, now) -> ColumnFields.name(object));
    }

    ColumnListBuilder age() {
        return text("Age", "Time since the object was created.", ColumnFields::age);
    }

    List<Column> build() {
        return List.copyOf(columns);
    }

    private ColumnListBuilder name(int priority, Cell cell) {
        columns.add(new Column("Name", "string", "name", "The name of the object.", priority, cell));
        return this;
    }
}
