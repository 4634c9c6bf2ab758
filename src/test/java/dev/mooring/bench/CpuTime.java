package dev.mooring.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Processor time that processes have used. */
final class CpuTime {
    /** The unit of /proc is 1/100 s on every Linux that matters (USER_HZ). */
    private static final long NANOS_PER_TICK = 10_000_000;

    private static final int UTIME = 11;
    private static final int STIME = 12;

    private CpuTime() {}

    static long ofThisProcessNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    static long ofProcessNanos(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        // The name of the program, in parentheses, may hold anything: fields are counted from behind it.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[STIME])) * NANOS_PER_TICK;
    }
}
