package dev.mooring.volume.work;

import java.util.Locale;

/** What happens to the data when its volume is deleted. */
enum OnDelete {
    DELETE,
    RETAIN,
    ARCHIVE;

    static OnDelete of(String text) throws VolumeWorkException {
        for (OnDelete each : values()) {
            if (each.toString().equals(text)) {
                return each;
            }
        }
        throw new VolumeWorkException(
                VolumeWorkException.INVALID,
                "onDelete must be delete, retain or archive, got \"" + text.replace("\0", "\\0")
                        + "\": correct the parameters of the storage class");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
