package dev.mooring.volume.emptydir;

import dev.mooring.volume.VolumeException;

/** Storage medium of an {@code emptyDir}. */
enum Medium {
    DISK,
    MEMORY;

    /**
     * Parses a medium.
     *
     * @param text value of the field {@code medium}
     */
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
