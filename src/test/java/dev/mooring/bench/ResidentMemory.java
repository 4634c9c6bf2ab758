package dev.mooring.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the resident memory of processes. */
final class ResidentMemory {
    private ResidentMemory() {}

    static double bytesOf(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024.0;
            }
        }
        return 0;
    }
}
