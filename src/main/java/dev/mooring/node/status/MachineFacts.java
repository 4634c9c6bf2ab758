package dev.mooring.node.status;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A snapshot of the machine's state.
 *
 * @param volumeBases default base directories of volumes, by kind of volume
 * @param freeBytes free space in the base directories, by kind of volume ({@code hostpath}, {@code local},
 *     {@code block}); without kinds whose base is on a remote file system
 * @param capabilities empty for simulated machines
 */
public record MachineFacts(
        Identity identity,
        MachineResources resources,
        Map<String, Path> volumeBases,
        Map<String, Long> freeBytes,
        Optional<Capabilities> capabilities) {
    public MachineFacts {
        volumeBases = Map.copyOf(volumeBases);
        freeBytes = Map.copyOf(freeBytes);
    }

    public MachineFacts(
            Identity identity, MachineResources resources, Map<String, Path> volumeBases, Map<String, Long> freeBytes) {
        this(identity, resources, volumeBases, freeBytes, Optional.empty());
    }

    /**
     * Programs and kernel features that volumes need.
     *
     * @param programs names of installed programs, of those that volumes need
     * @param nfsInKernel whether the kernel has an NFS client or a module for it
     * @param loopControl whether {@code /dev/loop-control} exists
     * @param cgroupVersion 1 or 2; 0 if no cgroup file system is mounted
     * @param volumesRoot the directory below which volumes are mounted for Pods
     * @param volumesMountPoint the mount that holds it
     * @param sharedMounts whether mounts below it propagate to other mount namespaces
     * @param clockPlausible whether the clock is after the build of this program
     * @param clockSynchronized whether the kernel considers its clock synchronized
     */
    public record Capabilities(
            Set<String> programs,
            boolean nfsInKernel,
            boolean loopControl,
            int cgroupVersion,
            Path volumesRoot,
            String volumesMountPoint,
            boolean sharedMounts,
            boolean clockPlausible,
            boolean clockSynchronized) {
        public Capabilities {
            programs = Set.copyOf(programs);
        }
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
