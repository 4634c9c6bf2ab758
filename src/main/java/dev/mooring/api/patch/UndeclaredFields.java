package dev.mooring.api.patch;

/** How an apply handles fields that the schema does not declare. */
public enum UndeclaredFields {
    /** Preserved; each has one owner as a whole. For kinds and servers that accept such fields. */
    PRESERVED,
    /** Rejected, as Kubernetes does for built-in kinds: {@code .spec.x: field not declared in schema}. */
    REFUSED
}
