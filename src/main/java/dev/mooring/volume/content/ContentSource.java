package dev.mooring.volume.content;

import dev.mooring.volume.VolumeException;
import java.util.Map;

/** Defines the files of a volume. Immutable and thread-safe. */
interface ContentSource {
    /** Default file mode. */
    int DEFAULT_MODE = 0644;

    /** Adds everything that the files depend on to the version. Missing objects are not an error here. */
    void describe(ContentContext context, ContentVersion version);

    /** Adds the files by path; a later file replaces an earlier one with the same path. */
    void collect(ContentContext context, Map<String, ContentFile> files) throws VolumeException;
}
