package dev.mooring.api.resource;

/** New names for new objects; handed in, so that a simulation can choose them. Thread-safe. */
public interface Ids {
    /** A UUID. */
    String uid();

    /** The ending of a name made from {@code generateName}: a few letters and digits. */
    String nameEnding();
}
