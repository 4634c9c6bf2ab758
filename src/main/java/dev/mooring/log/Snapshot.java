package dev.mooring.log;

import dev.mooring.model.StoredObject;
import java.util.List;

/**
 * All objects at one revision.
 *
 * @param position the log position from which to continue
 * @param objects sorted by key
 */
public record Snapshot(LogPosition position, List<StoredObject> objects) {
    public long revision() {
        return position.revision();
    }
}
