package dev.mooring.chaos.path;

import java.util.EnumSet;
import java.util.Set;

/** What an attacker puts in place of the original name. */
enum Decoy {
    /** A link to the protected files by an absolute path. */
    LINK,
    /** A link to the protected files by a relative path with many "..". */
    LINK_UP,
    /** A link to the same name below the protected files. */
    LINK_SAME_NAME,
    /** A link to itself. */
    LOOP,
    /** A link to a missing name below the protected files: an operation that follows it creates a file there. */
    DANGLING,
    FIFO,
    FILE,
    /** A hard link to a protected file. */
    HARD_LINK,
    /** A directory with links to the protected files. */
    DIRECTORY,
    /** The name is missing for a moment. */
    NOTHING,
    /** The protected files are mounted on the name. */
    MOUNT;

    static Set<Decoy> all() {
        return EnumSet.allOf(Decoy.class);
    }

    /** Returns all but hard links: a container cannot create them, and an operation may change files in the volume. */
    static Set<Decoy> withoutHardLinks() {
        return EnumSet.complementOf(EnumSet.of(HARD_LINK));
    }

    /** Returns the decoys that a container can create in its volume: neither mounts nor hard links. */
    static Set<Decoy> ofContainers() {
        return EnumSet.complementOf(EnumSet.of(HARD_LINK, MOUNT));
    }
}
