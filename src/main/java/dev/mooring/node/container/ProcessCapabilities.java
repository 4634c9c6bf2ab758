package dev.mooring.node.container;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;

/** The capabilities of this process. An engine on the same machine is assumed to have the same. Any thread. */
public final class ProcessCapabilities {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String EFFECTIVE = "CapEff:";

    /**
     * CAP_SYS_RESOURCE: required to lower oom_score_adj; without it, a container with a lowered value does not start.
     */
    private static final int RESOURCE = 24;

    private static final int HEXADECIMAL = 16;

    private ProcessCapabilities() {}

    public static boolean mayLowerOomScore() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(EFFECTIVE)) {
                    return has(line.substring(EFFECTIVE.length()).strip());
                }
            }
        } catch (IOException e) {
            return false;
        }
        return false;
    }

    static boolean has(String capabilities) {
        try {
            return new BigInteger(capabilities, HEXADECIMAL).testBit(RESOURCE);
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
