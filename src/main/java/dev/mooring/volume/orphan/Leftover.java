package dev.mooring.volume.orphan;

/**
 * Something in a Pod's directory that was not removed.
 *
 * @param path of it, as text: names on a disk need not be such that Java has a Path for them
 * @param reason why not, as rmdir(2) would say it
 */
public record Leftover(What what, String path, String reason) {
    /** What it was or should have been. */
    public enum What {
        VOLUME("failed to rmdir() volume at path "),
        SUBPATH("failed to rmdir() subpath at path "),
        /** Nothing that is known to belong there. */
        OTHER("failed to remove ");

        private final String words;

        What(String words) {
            this.words = words;
        }
    }

    /** As the kubelet puts it. */
    @Override
    public String toString() {
        return what.words + path + ": " + reason;
    }
}
