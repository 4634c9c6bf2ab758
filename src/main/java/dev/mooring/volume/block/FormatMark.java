package dev.mooring.volume.block;

import dev.mooring.volume.VolumeException;

/**
 * Remembers, beside the device and beyond a crash, that a device was found empty and is being formatted. What a program that was killed in
 * the middle has left looks like somebody's data; with a mark it is known to be nobody's.
 */
public interface FormatMark {
    /** For devices that nothing can be remembered of: one whose formatting was cut off must be emptied by a person. */
    FormatMark NONE = new FormatMark() {
        @Override
        public boolean begun() {
            return false;
        }

        @Override
        public void begin() {}

        @Override
        public void end() {}
    };

    /** Whether it was begun and not ended. */
    boolean begun() throws VolumeException;

    /** Returns when it is safe from a crash. */
    void begin() throws VolumeException;

    void end() throws VolumeException;
}
