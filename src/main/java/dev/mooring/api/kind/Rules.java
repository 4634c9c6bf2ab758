package dev.mooring.api.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What is special about the objects of a kind when they are written. Metadata common to all kinds (names, labels, annotations,
 * finalizers, owners, times, generation) is not its business. Stateless; any thread.
 *
 * <p>A write goes: {@link #normalize}, the schema's types, {@code prepareFor…}, {@link #applyDefaults}, {@code validate…}. Objects may be
 * changed in the first four and are only read in the validations. What is read was written by a user: every field may be missing or
 * {@code null}, but what is there has the type the schema says.
 */
public interface Rules {
    /** Turns other spellings (Minik8s) into Kubernetes' own. Nothing has been checked yet: any field may have any type. */
    default void normalize(ObjectNode object) {}

    /** What a creator may not decide: as a rule, the status. */
    default void prepareForCreate(ObjectNode object) {}

    /** What a writer of the main resource may not change: as a rule, the status, which stays as it was. */
    default void prepareForUpdate(ObjectNode next, ObjectNode before) {}

    /** What a writer of the status may not change: all but the status. Metadata is seen to elsewhere. */
    default void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {}

    /** What a writer of {@code /finalize}, which only namespaces have, may not change. */
    default void prepareForFinalize(ObjectNode next, ObjectNode before) {}

    /** Fills in what was left out. Doing it twice changes nothing more. */
    default void applyDefaults(ObjectNode object) {}

    /** Whether the object may be, whatever it was before. */
    void validate(ObjectNode object, Violations violations);

    /** Whether it may begin so; {@link #validate} is asked too. */
    default void validateCreate(ObjectNode object, Violations violations) {}

    /** Whether it may become so; {@link #validate} is asked too. */
    default void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {}

    /** Whether the status may become so. */
    default void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {}
}
