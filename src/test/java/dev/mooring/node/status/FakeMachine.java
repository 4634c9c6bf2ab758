package dev.mooring.node.status;

import dev.mooring.node.status.MachineFacts.Identity;
import dev.mooring.node.status.MachineFacts.MachineResources;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A fake machine; the test sets its facts. */
final class FakeMachine implements NodeReporterVerticle.MachineFactsReader {
    static final long GIB = 1L << 30;

    final Map<String, Path> bases = new HashMap<>();
    final Map<String, Long> free = new HashMap<>();
    Optional<String> address = Optional.of("10.0.0.7");
    long memoryAvailable = 8 * GIB;
    long diskAvailable = 100 * GIB;
    long tasks = 500;
    Optional<MachineFacts.Capabilities> capabilities = Optional.empty();
    volatile boolean broken;

    @Override
    public MachineFacts read() throws IOException {
        if (broken) {
            throw new IOException("meant to fail");
        }
        return facts();
    }

    MachineFacts facts() {
        Identity identity =
                new Identity("host-a", address, "6.1.0-test", "Debian GNU/Linux 12 (bookworm)", "amd64", "m", "b", "s");
        MachineResources resources =
                new MachineResources(4, 16 * GIB, memoryAvailable, 200 * GIB, diskAvailable, tasks, 32_768);
        return new MachineFacts(identity, resources, bases, free, capabilities);
    }
}
