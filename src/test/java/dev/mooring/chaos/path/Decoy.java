package dev.mooring.chaos.path;

import java.util.EnumSet;
import java.util.Set;

/** What an attacker puts in the place of what was there. */
enum Decoy {
    /** To the treasure, by its whole path. */
    LINK,
    /** The same by many steps up. */
    LINK_UP,
    /** To what has the same name in the treasure. */
    LINK_SAME_NAME,
    /** To itself. */
    LOOP,
    /** To nothing, in the treasure: whoever makes what is missing makes it there. */
    DANGLING,
    FIFO,
    FILE,
    /** Of a file of the treasure. */
    HARD_LINK,
    /** Full of links to the treasure. */
    DIRECTORY,
    /** It is away for a moment. */
    NOTHING,
    /** The treasure is mounted on it. */
    MOUNT;

    static Set<Decoy> all() {
        return EnumSet.allOf(Decoy.class);
    }

    /** All but those whose data an operation may change on purpose, since they are in the volume: a container cannot make them. */
    static Set<Decoy> withoutHardLinks() {
        return EnumSet.complementOf(EnumSet.of(HARD_LINK));
    }

    /** Those that a container can make in its volume: neither mounts nor names of files it cannot see. */
    static Set<Decoy> ofContainers() {
        return EnumSet.complementOf(EnumSet.of(HARD_LINK, MOUNT));
    }
}
