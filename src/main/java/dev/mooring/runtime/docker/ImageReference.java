package dev.mooring.runtime.docker;

/**
 * An image reference, split into the two parts that the engine expects.
 *
 * @param tag a tag or a digest; never empty, since the engine would pull all tags
 */
record ImageReference(String repository, String tag) {
    private static final String DEFAULT_TAG = "latest";

    static ImageReference parse(String text) {
        int digest = text.indexOf('@');
        if (digest >= 0) {
            // A tag before a digest is redundant.
            return new ImageReference(parse(text.substring(0, digest)).repository(), text.substring(digest + 1));
        }
        int colon = text.lastIndexOf(':');
        boolean isPort = text.indexOf('/', colon + 1) >= 0;
        return colon < 0 || isPort
                ? new ImageReference(text, DEFAULT_TAG)
                : new ImageReference(text.substring(0, colon), text.substring(colon + 1));
    }
}
