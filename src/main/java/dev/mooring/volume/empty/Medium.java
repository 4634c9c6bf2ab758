package dev.mooring.volume.empty;

import dev.mooring.volume.VolumeException;

/** What an {@code emptyDir} is made of. */
enum Medium {
    DISK,
    MEMORY;

    /** @param text as Pods write it */
    static Medium of(String text) throws VolumeException {
        if (text.isEmpty()) {
            return DISK;
        }
        if (text.equals("Memory")) {
            return MEMORY;
        }
        if (text.equals("HugePages") || text.startsWith("HugePages-")) {
            throw VolumeException.clean(
                    "Unsupported",
                    "storage medium \"" + text + "\" is not supported by Mooring: use \"Memory\", or leave medium out");
        }
        throw VolumeException.clean("Unsupported", "unknown storage medium \"" + text + "\"");
    }
}
