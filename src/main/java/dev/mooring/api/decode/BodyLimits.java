package dev.mooring.api.decode;

/** Bounds on what a body can make the server do. How long it may be is decided where it is read. */
public final class BodyLimits {
    /** The deepest real objects (managedFields of a Pod) stay below 20; recursion over any accepted object is safe. */
    public static final int DEPTH = 64;

    /** Findings told about one body: Kubernetes' figure, and more than anyone reads. */
    public static final int FINDINGS = 100;

    static final int STRING_CHARS = 3 * 1024 * 1024;

    /** Of field names. managedFields name list elements by their whole value. */
    static final int NAME_CHARS = 64 * 1024;

    /** The longest that means anything is an int64 or a quantity. */
    static final int NUMBER_CHARS = 256;

    private BodyLimits() {}

    static BodyException tooDeep() {
        return new BodyException("exceeded max depth: values may be nested at most " + DEPTH + " deep");
    }
}
