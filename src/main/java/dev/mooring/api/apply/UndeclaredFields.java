package dev.mooring.api.apply;

/** What becomes of fields of an applied configuration that the schema does not know. */
public enum UndeclaredFields {
    /** Kept as they are; each has an owner as a whole. For kinds and servers that let such fields through. */
    PRESERVED,
    /** The configuration is refused, as Kubernetes does with its own kinds: {@code .spec.x: field not declared in schema}. */
    REFUSED
}
