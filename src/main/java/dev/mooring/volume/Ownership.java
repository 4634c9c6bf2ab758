package dev.mooring.volume;

/**
 * To which group the files of a volume are handed, and when.
 *
 * @param gid the Pod's {@code fsGroup}
 */
public record Ownership(long gid, When when) {
    /** Kubernetes' {@code fsGroupChangePolicy}. */
    public enum When {
        ALWAYS,
        ON_ROOT_MISMATCH
    }
}
