package dev.mooring.api.types;

/** Limits on the work that a body can cause. The code that reads the body limits its length. */
public final class BodyLimits {
    /**
     * Maximum nesting. The deepest real objects (managedFields of a Pod) stay below 20; recursion over any accepted
     * object is safe.
     */
    public static final int DEPTH = 64;

    /** Maximum number of findings reported for one body; the same as in Kubernetes. */
    public static final int FINDINGS = 100;

    static final int STRING_CHARS = 3 * 1024 * 1024;

    /** Maximum length of field names. managedFields contain list elements by their whole value. */
    static final int NAME_CHARS = 64 * 1024;

    /** Maximum length of a number; the longest valid ones are int64 values and quantities. */
    static final int NUMBER_CHARS = 256;

    private BodyLimits() {}

    static BodyException tooDeep() {
        return new BodyException("exceeded max depth: values may be nested at most " + DEPTH + " deep");
    }
}
