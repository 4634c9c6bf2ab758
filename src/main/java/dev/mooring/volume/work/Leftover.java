package dev.mooring.volume.work;

/**
 * An entry in a Pod's directory that was not removed.
 *
 * @param path as text, because names on disk need not be valid Java paths
 * @param reason why it was not removed, in the wording of rmdir(2)
 */
public record Leftover(LeftoverKind kind, String path, String reason) {
    /** Expected kind of the entry. */
    public enum LeftoverKind {
        VOLUME("failed to rmdir() volume at path "),
        SUBPATH("failed to rmdir() subpath at path "),
        /** An entry of unknown origin. */
        OTHER("failed to remove ");

        private final String description;

        LeftoverKind(String description) {
            this.description = description;
        }
    }

    /** Returns the message in the kubelet's wording. */
    @Override
    public String toString() {
        return kind.description + path + ": " + reason;
    }
}
