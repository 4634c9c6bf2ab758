package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Defaulting and validation of a kind's objects on writes. Metadata common to all kinds (names, labels, annotations,
 * finalizers, owners, times, generation) is handled elsewhere. Stateless; thread-safe.
 *
 * <p>The steps of a write: {@link #normalize}, the schema's types, {@code prepareFor…}, {@link #applyDefaults},
 * {@code validate…}. The first four may modify objects, the validations only read them. Objects come from users: every
 * field may be missing or {@code null}, but a present field has the type of the schema.
 */
public interface Rules {
    /**
     * Converts other notations (Minik8s) to Kubernetes' own. Nothing has been checked yet: any field may have any type.
     */
    default void normalize(ObjectNode object) {}

    /** Resets fields that a create may not set; usually the status. */
    default void prepareForCreate(ObjectNode object) {}

    /** Restores fields that an update of the main resource may not change; usually the status. */
    default void prepareForUpdate(ObjectNode next, ObjectNode before) {}

    /**
     * Restores fields that an update of the status may not change: all but the status. Metadata is handled elsewhere.
     */
    default void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {}

    /** Restores fields that an update of {@code /finalize}, which only namespaces have, may not change. */
    default void prepareForFinalize(ObjectNode next, ObjectNode before) {}

    /**
     * Returns whether {@code metadata.generation} counts the changes of the spec, for controllers that report the
     * generation they observed.
     */
    default boolean hasGeneration() {
        return false;
    }

    /**
     * Returns the path of the template from which the kind's controller creates Pods, such as {@code spec.template}; ""
     * for kinds without a template.
     */
    default String podTemplatePath() {
        return "";
    }

    /** Sets defaults. Idempotent. */
    default void applyDefaults(ObjectNode object) {}

    /** Validates an object, independently of its previous state. */
    void validate(ObjectNode object, Violations violations);

    /** Validates a new object, in addition to {@link #validate}. */
    default void validateCreate(ObjectNode object, Violations violations) {}

    /** Validates a change, in addition to {@link #validate}. */
    default void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {}

    /** Validates a change of the status. */
    default void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {}
}
