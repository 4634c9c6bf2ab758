package dev.mooring.node.status;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * A snapshot of the machine's state.
 *
 * @param volumeBases default base directories of volumes, by kind of volume
 * @param freeBytes free space in the base directories, by kind of volume ({@code hostpath}, {@code local},
 *     {@code block}); without kinds whose base is on a remote file system
 */
public record MachineFacts(
        Identity identity, MachineResources resources, Map<String, Path> volumeBases, Map<String, Long> freeBytes) {
    public MachineFacts {
        volumeBases = Map.copyOf(volumeBases);
        freeBytes = Map.copyOf(freeBytes);
    }

    /**
     * Properties that are constant while the machine runs.
     *
     * @param address by which other machines reach it
     * @param architecture in Go's naming
     * @param machineId "" if it has none, like the next two
     */
    public record Identity(
            String hostName,
            Optional<String> address,
            String kernelVersion,
            String osImage,
            String architecture,
            String machineId,
            String bootId,
            String systemUuid) {}

    /**
     * Total and available resources.
     *
     * @param diskBytes of the file system with Mooring's data
     * @param tasks number of processes and threads
     * @param maxTasks limit of processes and threads
     */
    public record MachineResources(
            int cpus,
            long memoryBytes,
            long memoryAvailableBytes,
            long diskBytes,
            long diskAvailableBytes,
            long tasks,
            long maxTasks) {}
}
