package dev.mooring.volume.block;

import dev.mooring.volume.VolumeException;

/**
 * Records durably, outside the device, that a device was found empty and is being formatted. Without the marker, the
 * result of an interrupted formatting could not be distinguished from user data.
 */
public interface FormatMarker {
    /** For devices without a place for a marker: if formatting is interrupted, a person must wipe the device. */
    FormatMarker NONE = new FormatMarker() {
        @Override
        public boolean isStarted() {
            return false;
        }

        @Override
        public void begin() {}

        @Override
        public void end() {}
    };

    /** Returns whether formatting was started and not finished. */
    boolean isStarted() throws VolumeException;

    /** Records the start of formatting; the record is durable when this returns. */
    void begin() throws VolumeException;

    void end() throws VolumeException;
}
