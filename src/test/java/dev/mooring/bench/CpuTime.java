package dev.mooring.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the processor time of processes. */
final class CpuTime {
    /** Unit of /proc: 1/100 s on all relevant Linux systems (USER_HZ). */
    private static final long NANOS_PER_TICK = 10_000_000;

    private static final int UTIME = 11;
    private static final int STIME = 12;

    private CpuTime() {}

    static long ofThisProcessNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    static long ofProcessNanos(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        // The program's name, in parentheses, may contain anything: fields are counted after it.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[STIME])) * NANOS_PER_TICK;
    }
}
