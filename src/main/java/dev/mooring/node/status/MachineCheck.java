package dev.mooring.node.status;

import dev.mooring.node.status.MachineFacts.Capabilities;
import dev.mooring.node.status.MachineFacts.MachineResources;
import java.util.ArrayList;
import java.util.List;

/**
 * One thing that a machine needs for some or all volumes, whether it has it, and how to get it. {@code mooring check}
 * prints the checks, and {@link NodeObjectBuilder} writes them as conditions of the Node. Pure.
 *
 * @param name for people and scripts, such as {@code nfs-client}
 * @param condition type of the Node's condition; "True" if the check is ok
 * @param reason of the condition, in CamelCase
 * @param message the facts found
 * @param remedy how to get it; "" if it is ok
 */
public record MachineCheck(String name, State state, String condition, String reason, String message, String remedy) {
    static final long LITTLE_SPACE = 1L << 30;

    /** Below this, the Node has DiskPressure. */
    static final long NO_SPACE = 256L << 20;

    private static final long MIB = 1L << 20;

    /** The result of a check. */
    public enum State {
        OK,
        /** Some volumes or Pods do not work. */
        WARNING,
        /** Mooring does not work. */
        MISSING
    }

    /** Returns all checks of a machine. */
    public static List<MachineCheck> of(MachineFacts facts, RuntimeStatusHolder.RuntimeStatus engine) {
        List<MachineCheck> checks = new ArrayList<>();
        checks.add(engine(engine));
        facts.capabilities().ifPresent(found -> checks.addAll(of(found)));
        checks.add(space(facts.resources()));
        return checks;
    }

    /** Returns the checks that are conditions of their own; the Node has others for its engine and its disk. */
    static List<MachineCheck> of(Capabilities found) {
        return List.of(nfs(found), loop(found), filesystems(found), cgroups(found), propagation(found), clock(found));
    }

    private static MachineCheck engine(RuntimeStatusHolder.RuntimeStatus engine) {
        String name = "docker-engine";
        String type = "ContainerRuntimeReady";
        if (engine instanceof RuntimeStatusHolder.RuntimeStatus.Present present) {
            return ok(name, type, "EngineAnswers", "the engine responds: " + present.version());
        }
        if (engine instanceof RuntimeStatusHolder.RuntimeStatus.Absent absent) {
            return new MachineCheck(
                    name,
                    State.MISSING,
                    type,
                    "EngineUnreachable",
                    absent.reason(),
                    "apt-get install docker.io, systemctl start docker; or run volumes only: runtime: none");
        }
        return ok(name, type, "RuntimeDisabled", "not used: runtime is none");
    }

    private static MachineCheck nfs(Capabilities found) {
        boolean program = found.programs().contains("mount.nfs");
        if (program && found.nfsInKernel()) {
            return ok("nfs-client", "NFSClientAvailable", "NFSClientFound", "mount.nfs and kernel support are present");
        }
        return new MachineCheck(
                "nfs-client",
                State.WARNING,
                "NFSClientAvailable",
                program ? "NoNFSInKernel" : "NoMountProgram",
                program
                        ? "the kernel has no NFS client: nfs volumes cannot be mounted"
                        : "mount.nfs is not installed:" + " nfs volumes cannot be mounted",
                program ? "use a kernel with the module nfs (modprobe nfs)" : "apt-get install nfs-common");
    }

    private static MachineCheck loop(Capabilities found) {
        boolean program = found.programs().contains("losetup");
        if (program && found.loopControl()) {
            return ok(
                    "loop-devices", "LoopDevicesAvailable", "LoopDevicesFound", "losetup and /dev/loop-control exist");
        }
        return new MachineCheck(
                "loop-devices",
                State.WARNING,
                "LoopDevicesAvailable",
                program ? "NoLoopControl" : "NoLosetup",
                (program ? "/dev/loop-control does not exist" : "losetup is not installed")
                        + ": block volumes cannot be attached",
                program ? "modprobe loop; in a container: --privileged -v /dev:/dev" : "apt-get install mount");
    }

    private static MachineCheck filesystems(Capabilities found) {
        boolean ext4 =
                found.programs().contains("mkfs.ext4") && found.programs().contains("resize2fs");
        boolean xfs = found.programs().contains("mkfs.xfs");
        if (ext4) {
            return ok(
                    "filesystems",
                    "FilesystemToolsAvailable",
                    "FilesystemToolsFound",
                    xfs
                            ? "mkfs.ext4 and mkfs.xfs are installed"
                            : "mkfs.ext4 is installed; mkfs.xfs is not (xfsprogs)");
        }
        return new MachineCheck(
                "filesystems",
                State.WARNING,
                "FilesystemToolsAvailable",
                "NoMkfsExt4",
                "mkfs.ext4 or resize2fs is not installed: block volumes cannot be formatted",
                "apt-get install e2fsprogs");
    }

    private static MachineCheck cgroups(Capabilities found) {
        if (found.cgroupVersion() > 0) {
            return ok("cgroups", "CgroupsAvailable", "CgroupsFound", "version " + found.cgroupVersion());
        }
        return new MachineCheck(
                "cgroups",
                State.WARNING,
                "CgroupsAvailable",
                "NoCgroups",
                "no cgroup file system is mounted: limits of containers are not enforced",
                "mount -t cgroup2 none /sys/fs/cgroup");
    }

    private static MachineCheck propagation(Capabilities found) {
        String point = found.volumesMountPoint();
        if (found.sharedMounts()) {
            return ok(
                    "mount-propagation",
                    "MountPropagationShared",
                    "SharedMounts",
                    "mounts below " + found.volumesRoot() + " reach containers");
        }
        return new MachineCheck(
                "mount-propagation",
                State.WARNING,
                "MountPropagationShared",
                "PrivateMounts",
                "the mount at " + point + " is not shared: mounts below " + found.volumesRoot()
                        + " do not reach other mount namespaces",
                "mount --make-rshared " + point + "; in a container: -v DIR:DIR:rshared");
    }

    private static MachineCheck clock(Capabilities found) {
        if (!found.clockPlausible()) {
            return new MachineCheck(
                    "clock",
                    State.MISSING,
                    "ClockSynchronized",
                    "ClockInThePast",
                    "the clock is before the build of this program: certificates would not be valid",
                    "set the time, and apt-get install systemd-timesyncd");
        }
        if (found.clockSynchronized()) {
            return ok("clock", "ClockSynchronized", "ClockSynchronized", "synchronized");
        }
        return new MachineCheck(
                "clock",
                State.WARNING,
                "ClockSynchronized",
                "ClockNotSynchronized",
                "the kernel's clock is not synchronized: times of events and expiry of tokens may be wrong",
                "apt-get install systemd-timesyncd, or chrony");
    }

    private static MachineCheck space(MachineResources has) {
        String type = "DiskPressure";
        if (has.diskBytes() == 0) {
            return new MachineCheck(
                    "free-space",
                    State.WARNING,
                    type,
                    "DiskNotLocal",
                    "the data directory is on a remote file system; its free space is not read",
                    "move the data directory to a local disk");
        }
        long free = has.diskAvailableBytes();
        String message = free / MIB + " MiB are free in the data directory's file system";
        if (free >= LITTLE_SPACE) {
            return ok("free-space", type, "HasNoDiskPressure", message);
        }
        return new MachineCheck(
                "free-space",
                free < NO_SPACE ? State.MISSING : State.WARNING,
                type,
                "HasDiskPressure",
                message + ": the event log stops when the disk is full",
                "free space, or move the data directory to a larger disk");
    }

    private static MachineCheck ok(String name, String condition, String reason, String message) {
        return new MachineCheck(name, State.OK, condition, reason, message, "");
    }
}
