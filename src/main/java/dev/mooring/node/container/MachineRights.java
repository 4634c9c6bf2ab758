package dev.mooring.node.container;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process may do on its machine. An engine on the same machine is taken to have the same rights. Any thread. */
public final class MachineRights {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String EFFECTIVE = "CapEff:";

    /** CAP_SYS_RESOURCE: without it nobody can lower an oom_score_adj, and a container that asks for that does not start. */
    private static final int RESOURCE = 24;

    private static final int HEXADECIMAL = 16;

    private MachineRights() {}

    public static boolean mayFavour() {
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
