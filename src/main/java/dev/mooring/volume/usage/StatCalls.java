package dev.mooring.volume.usage;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** The one call to Linux that tells how full a file system is. Any thread; for paths on which nothing can hang. */
interface StatCalls extends Library {
    /** That of this machine, loaded when first asked for. */
    static StatCalls real() {
        return Loaded.REAL;
    }

    /**
     * As in the C library; negative if it failed.
     *
     * @param path ends with a zero
     */
    int statvfs(byte[] path, Pointer result);

    /** Holds the one instance until somebody needs it. */
    final class Loaded {
        private static final StatCalls REAL = Native.load("c", StatCalls.class);

        private Loaded() {}
    }
}
