package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
import java.util.Set;

/**
 * Rules of Namespaces. {@code spec.finalizers} holds {@code kubernetes} from the start: it stands for the objects in the namespace, and
 * whoever has removed those removes it. Users can neither add nor remove it. Stateless; any thread.
 */
public final class NamespaceRules extends SeparateStatus {
    private static final String NAME_LABEL = "kubernetes.io/metadata.name";
    private static final String CONTENT = "kubernetes";
    private static final Set<String> STANDARD_FINALIZERS = Set.of(CONTENT, "orphan", "foregroundDeletion");

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("phase", "Active");
        ObjectNode spec = Fields.object(object, "spec");
        for (JsonNode finalizer : Fields.get(spec, "finalizers")) {
            if (finalizer.asText("").equals(CONTENT)) {
                return;
            }
        }
        spec.withArray("finalizers").add(CONTENT);
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        super.prepareForUpdate(next, before);
        Fields.takeFrom(before, "spec", next);
    }

    /** The way out for a namespace whose finalizer nobody takes away: the spec is the writer's, the status is not. */
    @Override
    public void prepareForFinalize(ObjectNode next, ObjectNode before) {
        super.prepareForUpdate(next, before);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Fields.defaultText(Fields.object(object, "status"), "phase", "Active");
        String name = Fields.text(object, "metadata", "name");
        if (!name.isEmpty()) {
            ObjectNode labels = Fields.object(Fields.object(object, "metadata"), "labels");
            if (!name.equals(Fields.text(labels, NAME_LABEL))) {
                labels.put(NAME_LABEL, name);
            }
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        for (JsonNode each : Fields.get(object, "spec", "finalizers")) {
            String finalizer = each.asText("");
            LabelRules.key(finalizer, "spec.finalizers", violations);
            if (finalizer.indexOf('/') < 0 && !STANDARD_FINALIZERS.contains(finalizer)) {
                violations.invalid(
                        "spec.finalizers",
                        finalizer,
                        "name is neither a standard finalizer name nor is it fully qualified");
            }
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        boolean going = Fields.has(Fields.get(next, "metadata"), "deletionTimestamp");
        String phase = Fields.text(next, "status", "phase");
        if (!going && !phase.equals("Active")) {
            violations.invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty");
        } else if (going && !phase.equals("Terminating")) {
            violations.invalid("status.Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
        }
    }
}
