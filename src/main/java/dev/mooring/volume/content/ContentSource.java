package dev.mooring.volume.content;

import dev.mooring.model.ObjectKey;
import dev.mooring.volume.VolumeException;
import java.util.Map;
import java.util.Set;

/** Says which files a volume should show. Immutable; any thread. */
interface ContentSource {
    /** Read and write for the owner, read for all others: if nobody says otherwise. */
    int DEFAULT_MODE = 0644;

    /** The objects that a change of is a reason to look again. */
    Set<ObjectKey> madeOf(String namespace);

    /** Tells the version what the files depend on. What is missing is no error here. */
    void describe(Surroundings surroundings, ContentVersion version);

    /** Adds the files, by their paths as written; one that is there already gives way. */
    void collect(Surroundings surroundings, Map<String, ContentFile> files) throws VolumeException;
}
