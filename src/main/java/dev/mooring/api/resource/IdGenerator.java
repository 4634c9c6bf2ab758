package dev.mooring.api.resource;

/** Generates names and uids of new objects; injected, so that a simulation can choose them. Thread-safe. */
public interface IdGenerator {
    /** Returns a UUID. */
    String uid();

    /** Returns the suffix of a name for {@code generateName}: a few letters and digits. */
    String nameSuffix();
}
