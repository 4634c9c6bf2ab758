package dev.mooring.runtime.docker;

/**
 * A reference to an image, in the two parts in which the engine wants it.
 *
 * @param tag or a digest; never empty, since the engine takes that for all there are
 */
record ImageReference(String repository, String tag) {
    private static final String DEFAULT_TAG = "latest";

    static ImageReference parse(String text) {
        int digest = text.indexOf('@');
        if (digest >= 0) {
            // The tag before a digest says nothing more: the digest decides.
            return new ImageReference(parse(text.substring(0, digest)).repository(), text.substring(digest + 1));
        }
        int colon = text.lastIndexOf(':');
        boolean isPort = text.indexOf('/', colon + 1) >= 0;
        return colon < 0 || isPort
                ? new ImageReference(text, DEFAULT_TAG)
                : new ImageReference(text.substring(0, colon), text.substring(colon + 1));
    }
}
