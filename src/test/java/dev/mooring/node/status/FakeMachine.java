package dev.mooring.node.status;

import dev.mooring.node.status.MachineFacts.Identity;
import dev.mooring.node.status.MachineFacts.Resources;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A machine as a test wants it. */
final class FakeMachine implements Machine {
    static final long GIB = 1L << 30;

    final Map<String, Long> free = new HashMap<>();
    Optional<String> address = Optional.of("10.0.0.7");
    long memoryAvailable = 8 * GIB;
    long diskAvailable = 100 * GIB;
    long tasks = 500;
    volatile boolean broken;

    @Override
    public MachineFacts read() throws IOException {
        if (broken) {
            throw new IOException("meant to happen");
        }
        return facts();
    }

    MachineFacts facts() {
        Identity identity =
                new Identity("host-a", address, "6.1.0-test", "Debian GNU/Linux 12 (bookworm)", "amd64", "m", "b", "s");
        Resources resources = new Resources(4, 16 * GIB, memoryAvailable, 200 * GIB, diskAvailable, tasks, 32_768);
        return new MachineFacts(identity, resources, free);
    }
}
