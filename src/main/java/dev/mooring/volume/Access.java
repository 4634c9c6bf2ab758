package dev.mooring.volume;

/** What may be done through a mount. */
public enum Access {
    READ_ONLY,
    READ_WRITE
}
