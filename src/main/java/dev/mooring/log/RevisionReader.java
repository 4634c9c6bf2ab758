package dev.mooring.log;

import java.io.IOException;
import java.util.OptionalLong;

/** Iterates over the revisions of events that have a term, and rarely others. Not thread-safe. */
public interface RevisionReader {
    /** Returns the next revision; empty at the end. May block on the disk. */
    OptionalLong next() throws IOException;
}
