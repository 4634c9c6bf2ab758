package dev.mooring.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The complete specification of a container to create: the engine adds only the image's defaults for omitted values.
 *
 * @param image an ID, or a reference that is present in the engine
 * @param entrypoint replaces the image's; empty: the image's own
 * @param args replaces the image's; with an entrypoint, empty means none
 * @param environment NAME to value, in order; added to the image's
 * @param workingDirectory "" for the image's
 * @param labels {@link ContainerLabels} and others
 * @param stopSignal "" for the image's
 */
public record ContainerSpec(
        String name,
        String image,
        List<String> entrypoint,
        List<String> args,
        Map<String, String> environment,
        String workingDirectory,
        Map<String, String> labels,
        Namespaces namespaces,
        List<BindMount> binds,
        List<Device> devices,
        Security security,
        ContainerResources resources,
        StdinSettings stdinSettings,
        String stopSignal) {

    public ContainerSpec {
        entrypoint = List.copyOf(entrypoint);
        args = List.copyOf(args);
        binds = List.copyOf(binds);
        devices = List.copyOf(devices);
        labels = Map.copyOf(labels);
    }

    /** The namespaces of a container. */
    public sealed interface Namespaces {}

    /**
     * Own namespaces that other containers can join: a sandbox.
     *
     * @param network its own, or the machine's
     * @param hostName "" for the engine's default, which with the machine's network is the machine's
     * @param dns empty: the machine's
     * @param hosts lines for /etc/hosts: name to address, a name may occur several times
     */
    public record OwnNamespaces(
            NetworkMode network,
            HostNamespaces hostNamespaces,
            String hostName,
            Optional<Dns> dns,
            List<HostAlias> hosts,
            List<Port> ports,
            Map<String, String> sysctls)
            implements Namespaces {
        public OwnNamespaces {
            hosts = List.copyOf(hosts);
            ports = List.copyOf(ports);
            sysctls = Map.copyOf(sysctls);
        }
    }

    /**
     * The namespaces of another container, by its name. It need not run before this container is started.
     *
     * @param pidMode whether the PID namespace is shared, too
     * @param pidContainer another container whose PID namespace it joins instead of its own
     */
    public record JoinedNamespaces(String sandbox, PidMode pidMode, Optional<String> pidContainer)
            implements Namespaces {
        public JoinedNamespaces(String sandbox, PidMode pidMode) {
            this(sandbox, pidMode, Optional.empty());
        }
    }

    /** The network of a sandbox. */
    public enum NetworkMode {
        OWN,
        MACHINE
    }

    /** The machine's namespaces that a sandbox and its containers use instead of their own. */
    public record HostNamespaces(boolean pid, boolean ipc) {}

    /** The PID namespace of a joined container. */
    public enum PidMode {
        OWN,
        SANDBOX,
        MACHINE
    }

    public record Dns(List<String> servers, List<String> searches, List<String> options) {}

    public record HostAlias(String name, String address) {}

    /**
     * A port mapping from the machine to the sandbox.
     *
     * @param protocol tcp, udp or sctp
     * @param hostAddress "" for all
     */
    public record Port(String protocol, int container, int host, String hostAddress) {}

    /**
     * A bind mount of a path of the machine. The path must exist: it is never created.
     *
     * @param target absolute, within the container
     */
    public record BindMount(Path source, String target, MountAccess access, Propagation propagation) {}

    /** Access to a mount. */
    public enum MountAccess {
        READ_WRITE,
        READ_ONLY,
        /** Including all submounts; fails if the engine does not support it. */
        READ_ONLY_RECURSIVE
    }

    /** Whether later mounts propagate between the machine and the container. */
    public enum Propagation {
        PRIVATE,
        HOST_TO_CONTAINER,
        BIDIRECTIONAL
    }

    /** A device of the machine; the kernel enforces read-only access. */
    public record Device(Path source, String target, MountAccess access) {}

    /**
     * Security settings.
     *
     * @param user in the engine's format: uid or uid:gid; "" for the image's
     * @param groups supplementary groups
     * @param newPrivileges whether processes may gain privileges
     * @param unmaskedProc whether all of /proc is visible
     * @param seLinux the set fields of the SELinux label: user, role, type, level; an engine without SELinux
     *     ignores them
     */
    public record Security(
            String user,
            List<Long> groups,
            boolean privileged,
            boolean readOnlyRoot,
            boolean newPrivileges,
            List<String> addedCapabilities,
            List<String> droppedCapabilities,
            Seccomp seccomp,
            boolean unmaskedProc,
            Map<String, String> seLinux) {
        public static final Security PLAIN =
                new Security("", List.of(), false, false, true, List.of(), List.of(), Seccomp.DEFAULT, false, Map.of());

        public Security {
            groups = List.copyOf(groups);
            addedCapabilities = List.copyOf(addedCapabilities);
            droppedCapabilities = List.copyOf(droppedCapabilities);
            seLinux = Map.copyOf(seLinux);
        }
    }

    /** The seccomp profile: the engine's default, or none. */
    public enum Seccomp {
        DEFAULT,
        UNCONFINED
    }

    /**
     * Resource limits.
     *
     * @param cpuNanos billionths of a CPU
     * @param cpuShares relative weight under contention
     * @param memoryBytes maximum, including swap
     * @param pids maximum number of processes and threads
     * @param oomScore oom_score_adj: higher values are killed first
     */
    public record ContainerResources(
            OptionalLong cpuNanos,
            OptionalLong cpuShares,
            OptionalLong memoryBytes,
            OptionalLong pids,
            OptionalInt oomScore,
            OptionalLong sharedMemoryBytes) {
        public static final ContainerResources PLAIN = new ContainerResources(
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalLong.empty());
    }

    /**
     * Standard input settings.
     *
     * @param stdin whether it has one
     * @param stdinOnce whether it closes after the first attached client
     */
    public record StdinSettings(boolean stdin, boolean stdinOnce, boolean tty) {
        public static final StdinSettings NONE = new StdinSettings(false, false, false);
    }
}
