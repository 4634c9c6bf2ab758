package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/**
 * Rules of Namespaces. {@code spec.finalizers} contains {@code kubernetes} from the start; the namespace controller
 * removes it after it has deleted the objects in the namespace. Users can neither add nor remove it. Stateless;
 * thread-safe.
 */
public final class NamespaceRules extends StatusSubresourceRules {
    private static final String NAME_LABEL = "kubernetes.io/metadata.name";
    private static final String CONTENT = "kubernetes";
    private static final Set<String> STANDARD_FINALIZERS = Set.of(CONTENT, "orphan", "foregroundDeletion");

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("phase", "Active");
        ObjectNode spec = JsonFields.object(object, "spec");
        for (JsonNode finalizer : JsonFields.get(spec, "finalizers")) {
            if (finalizer.asText("").equals(CONTENT)) {
                return;
            }
        }
        spec.withArray("finalizers").add(CONTENT);
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        super.prepareForUpdate(next, before);
        JsonFields.takeFrom(before, "spec", next);
    }

    /** Lets the writer change the spec but not the status, so that a stuck finalizer can be removed. */
    @Override
    public void prepareForFinalize(ObjectNode next, ObjectNode before) {
        super.prepareForUpdate(next, before);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        JsonFields.defaultText(JsonFields.object(object, "status"), "phase", "Active");
        String name = JsonFields.text(object, "metadata", "name");
        if (!name.isEmpty()) {
            ObjectNode labels = JsonFields.object(JsonFields.object(object, "metadata"), "labels");
            if (!name.equals(JsonFields.text(labels, NAME_LABEL))) {
                labels.put(NAME_LABEL, name);
            }
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        for (JsonNode each : JsonFields.get(object, "spec", "finalizers")) {
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
        boolean terminating = JsonFields.has(JsonFields.get(next, "metadata"), "deletionTimestamp");
        String phase = JsonFields.text(next, "status", "phase");
        if (!terminating && !phase.equals("Active")) {
            violations.invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty");
        } else if (terminating && !phase.equals("Terminating")) {
            violations.invalid("status.Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
        }
    }
}
