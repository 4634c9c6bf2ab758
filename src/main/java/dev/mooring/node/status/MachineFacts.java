package dev.mooring.node.status;

import java.util.Map;
import java.util.Optional;

/**
 * What there is to know of a machine, at one moment.
 *
 * @param freeBytes how much is free where volumes are made, by the kind of volume ({@code hostpath}, {@code local}, {@code block}); those
 *     of which it cannot be told without asking another machine are missing
 */
public record MachineFacts(Identity identity, Resources resources, Map<String, Long> freeBytes) {
    public MachineFacts {
        freeBytes = Map.copyOf(freeBytes);
    }

    /**
     * What stays as long as the machine runs.
     *
     * @param address by which other machines reach it
     * @param architecture as Go names it
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
     * What it has, and what is left of it.
     *
     * @param diskBytes of the file system in which Mooring's own data is
     * @param tasks processes and threads there are
     * @param maxTasks how many there can be
     */
    public record Resources(
            int cpus,
            long memoryBytes,
            long memoryAvailableBytes,
            long diskBytes,
            long diskAvailableBytes,
            long tasks,
            long maxTasks) {}
}
