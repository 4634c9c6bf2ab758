package dev.mooring.volume.usage;

/** What was found of a volume. Immutable. */
public record Measured(Space space, Belonging belonging) {
    /** Whose file system it is. */
    public enum Belonging {
        /** The volume's own: what is used is used by it, and when it is full, it is. */
        OWN,
        /** The volume is a directory in it, and others use it too. */
        SHARED
    }
}
