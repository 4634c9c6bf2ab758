package dev.mooring.volume;

/**
 * The group that owns the files of a volume, and when ownership is changed.
 *
 * @param gid the Pod's {@code fsGroup}
 */
public record FsGroup(long gid, FsGroupChangePolicy changePolicy) {
    /** Kubernetes' {@code fsGroupChangePolicy}. */
    public enum FsGroupChangePolicy {
        ALWAYS,
        ON_ROOT_MISMATCH
    }
}
