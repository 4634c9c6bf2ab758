package dev.mooring.volume;

/** Access mode of a mount. */
public enum Access {
    READ_ONLY,
    READ_WRITE
}
