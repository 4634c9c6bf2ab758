package dev.mooring.volume;

/**
 * Identifies one Pod; the uid distinguishes it from other Pods of the same name. Directories on the node are named by
 * uid.
 */
public record PodIdentity(String namespace, String name, String uid) {
    @Override
    public String toString() {
        return namespace + '/' + name;
    }
}
