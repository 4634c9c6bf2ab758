package dev.mooring.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The objects of a kind that a list or watch selects, by a label selector and a field selector. Immutable; thread-safe.
 *
 * <p>Names and namespaces are taken from the key. The object's JSON is read at most once, and only if other fields are
 * selected.
 */
public final class Selection {
    private static final String NAME = "metadata.name";
    private static final String NAMESPACE = "metadata.namespace";
    private static final int MAX_NAME_LENGTH = 253;
    private static final Selection EVERYTHING = of(LabelSelector.everything(), FieldSelector.everything(), List.of());

    private final LabelSelector labels;
    private final FieldSelector fields;
    private final List<FieldSelector.Requirement> onName = new ArrayList<>();
    private final List<FieldSelector.Requirement> onNamespace = new ArrayList<>();
    private final List<OnField> onFields = new ArrayList<>();
    private final List<OnLabel> onLabels = new ArrayList<>();
    private final ObjectFields reader;

    /** A requirement on the first non-empty one of these fields, as {@link ObjectFields} found them. */
    private static final class OnField {
        private final FieldSelector.Requirement requirement;
        private final int[] places;
        private final String otherwise;

        private OnField(FieldSelector.Requirement requirement, int[] places, String otherwise) {
            this.requirement = requirement;
            this.places = places;
            this.otherwise = otherwise;
        }

        private boolean accepts(String[] found) {
            for (int place : places) {
                if (found[place] != null && !found[place].isEmpty()) {
                    return requirement.accepts(found[place]);
                }
            }
            return requirement.accepts(otherwise);
        }
    }

    private record OnLabel(LabelRequirement requirement, int place) {
        boolean accepts(String[] found) {
            return requirement.accepts(found[place]);
        }
    }

    private Selection(LabelSelector labels, FieldSelector fields, Collection<SelectableField> selectable) {
        this.labels = labels;
        this.fields = fields;
        List<FieldPath> paths = new ArrayList<>();
        for (LabelRequirement requirement : labels.requirements()) {
            onLabels.add(new OnLabel(requirement, placeOf(FieldPath.ofLabel(requirement.key()), paths)));
        }
        for (FieldSelector.Requirement requirement : fields.requirements()) {
            switch (requirement.field()) {
                case NAME -> onName.add(requirement);
                case NAMESPACE -> onNamespace.add(requirement);
                default -> onFields.add(onField(requirement, selectable, paths));
            }
        }
        this.reader = ObjectFields.at(paths);
    }

    private static OnField onField(
            FieldSelector.Requirement requirement, Collection<SelectableField> selectable, List<FieldPath> paths) {
        SelectableField field = selectable.stream()
                .filter(each -> each.name().equals(requirement.field()))
                .findFirst()
                .orElseThrow(() -> new UnknownFieldException(requirement.field()));
        int[] places =
                field.paths().stream().mapToInt(path -> placeOf(path, paths)).toArray();
        return new OnField(requirement, places, field.defaultValue());
    }

    private static int placeOf(FieldPath path, List<FieldPath> paths) {
        if (!paths.contains(path)) {
            paths.add(path);
        }
        return paths.indexOf(path);
    }

    public static Selection everything() {
        return EVERYTHING;
    }

    /**
     * @param selectable the selectable fields of the kind, besides {@code metadata.name} and {@code metadata.namespace}
     * @throws UnknownFieldException if the field selector uses another field
     */
    public static Selection of(LabelSelector labels, FieldSelector fields, Collection<SelectableField> selectable) {
        return new Selection(labels, fields, selectable);
    }

    public LabelSelector labels() {
        return labels;
    }

    public FieldSelector fields() {
        return fields;
    }

    public boolean isEverything() {
        return labels.isEverything() && fields.isEverything();
    }

    /**
     * Returns the only name that selected objects can have, valid in an {@link ObjectKey}. Empty if the selector
     * requests an invalid name, which matches nothing.
     */
    public Optional<String> exactName() {
        return onName.stream()
                .filter(requirement -> requirement.operator() == FieldSelector.Operator.EQUALS)
                .map(FieldSelector.Requirement::value)
                .findFirst()
                .filter(Selection::mayBeName);
    }

    private static boolean mayBeName(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_NAME_LENGTH
                && text.chars().allMatch(c -> c > ' ' && c != '/' && c != 0x7f);
    }

    public boolean matches(StoredObject object) {
        return matchesKey(object.key())
                && ((onLabels.isEmpty() && onFields.isEmpty()) || matchesContent(object.json()));
    }

    private boolean matchesKey(ObjectKey key) {
        if (!onName.isEmpty() && !allAccept(onName, key.name())) {
            return false;
        }
        return onNamespace.isEmpty() || allAccept(onNamespace, key.namespace().orElse(""));
    }

    private boolean matchesContent(byte[] json) {
        String[] found = reader.find(json);
        for (OnLabel each : onLabels) {
            if (!each.accepts(found)) {
                return false;
            }
        }
        for (OnField each : onFields) {
            if (!each.accepts(found)) {
                return false;
            }
        }
        return true;
    }

    private static boolean allAccept(List<FieldSelector.Requirement> requirements, String value) {
        for (FieldSelector.Requirement requirement : requirements) {
            if (!requirement.accepts(value)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return "labels \"" + labels + "\", fields \"" + fields + '"';
    }
}
