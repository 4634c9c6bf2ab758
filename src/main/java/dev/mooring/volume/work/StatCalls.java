package dev.mooring.volume.work;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** The statvfs call of the C library. Thread-safe; only for paths that cannot hang. */
interface StatCalls extends Library {
    /** Returns the call of this machine, loaded on first use. */
    static StatCalls real() {
        return Loaded.REAL;
    }

    /**
     * Calls statvfs; negative on error.
     *
     * @param path zero-terminated
     */
    int statvfs(byte[] path, Pointer result);

    /** Lazy holder of the instance. */
    final class Loaded {
        private static final StatCalls REAL = Native.load("c", StatCalls.class);

        private Loaded() {}
    }
}
