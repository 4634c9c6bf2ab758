package dev.mooring.log;

import java.io.IOException;

/** Thrown when committed content cannot be read back. The message says where, and which commands help. */
public final class LogDamagedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final long offset;
    private final long revision;

    /**
     * @param file the name of the segment or snapshot
     * @param offset the byte in it
     * @param revision the first revision that is not readable
     * @param found what is wrong there
     */
    public LogDamagedException(String file, long offset, long revision, String found) {
        super("The log is damaged in " + file + " at offset " + offset + ", where revision " + revision
                + " was expected: "
                + found
                + ". Nothing was changed. To see how far the damage goes: mooring log verify; to save what is readable"
                + " into a new log or as text: mooring log export");
        this.file = file;
        this.offset = offset;
        this.revision = revision;
    }

    public String file() {
        return file;
    }

    public long offset() {
        return offset;
    }

    public long revision() {
        return revision;
    }
}
