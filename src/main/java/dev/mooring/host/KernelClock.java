package dev.mooring.host;

import com.sun.jna.Memory;

/** The kernel's view of its clock. Any thread. */
public final class KernelClock {
    /** Larger than struct timex on all platforms. */
    private static final int TIMEX_BYTES = 256;

    private static final int TIME_ERROR = 5;

    private KernelClock() {}

    /** Returns whether a time service keeps the clock synchronized. */
    public static boolean isSynchronized() {
        Memory timex = new Memory(TIMEX_BYTES);
        timex.clear();
        int state = SystemCalls.real().adjtimex(timex);
        return state >= 0 && state != TIME_ERROR;
    }
}
