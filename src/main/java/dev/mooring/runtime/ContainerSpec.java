package dev.mooring.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A container to be made. Everything has been decided by now: the engine adds nothing but what the image says where this says nothing.
 *
 * @param image what to run, as the engine knows it (an id, or a reference that is there)
 * @param entrypoint instead of the image's; empty: the image's own
 * @param args instead of the image's; with an entrypoint, empty means none
 * @param environment NAME to value, in order; on top of the image's
 * @param workingDirectory "" for the image's
 * @param labels {@link Labels} and others
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
        Surroundings surroundings,
        List<Bind> binds,
        List<Device> devices,
        Security security,
        Resources resources,
        Terminal terminal,
        String stopSignal) {

    public ContainerSpec {
        entrypoint = List.copyOf(entrypoint);
        args = List.copyOf(args);
        binds = List.copyOf(binds);
        devices = List.copyOf(devices);
        labels = Map.copyOf(labels);
    }

    /** What it sees of network, processes and host names. */
    public sealed interface Surroundings {}

    /**
     * Its own, for others to join: a sandbox.
     *
     * @param network its own, or the machine's
     * @param hostName "" for the engine's choice, which with the machine's network is the machine's
     * @param dns nothing: as the machine has it
     * @param hosts lines for /etc/hosts: name to address, a name may come several times
     */
    public record Own(
            Network network,
            HostProcesses processes,
            String hostName,
            Optional<Dns> dns,
            List<HostAlias> hosts,
            List<Port> ports,
            Map<String, String> sysctls)
            implements Surroundings {
        public Own {
            hosts = List.copyOf(hosts);
            ports = List.copyOf(ports);
            sysctls = Map.copyOf(sysctls);
        }
    }

    /**
     * Those of another container, by its name, which need not run before this one is started.
     *
     * @param processes whether it sees the processes of the others too
     */
    public record Joined(String sandbox, Processes processes) implements Surroundings {}

    /** Whose network. */
    public enum Network {
        OWN,
        MACHINE
    }

    /** Which of the machine's name spaces a sandbox and those who join it have instead of their own. */
    public record HostProcesses(boolean pid, boolean ipc) {}

    /** Whose processes a joined container sees. */
    public enum Processes {
        OWN,
        SANDBOX,
        MACHINE
    }

    public record Dns(List<String> servers, List<String> searches, List<String> options) {}

    public record HostAlias(String name, String address) {}

    /**
     * A port of the machine that leads to one of the sandbox.
     *
     * @param protocol tcp, udp or sctp
     * @param hostAddress "" for all
     */
    public record Port(String protocol, int container, int host, String hostAddress) {}

    /**
     * A path of the machine within the container. It must be there: it is never made.
     *
     * @param target absolute, within the container
     */
    public record Bind(Path source, String target, Access access, Propagation propagation) {}

    /** Whether it may be written to. */
    public enum Access {
        READ_WRITE,
        READ_ONLY,
        /** And so is everything mounted below it; refused where the engine cannot. */
        READ_ONLY_RECURSIVE
    }

    /** Whether mounts made later on one side appear on the other. */
    public enum Propagation {
        PRIVATE,
        HOST_TO_CONTAINER,
        BIDIRECTIONAL
    }

    /** A device of the machine; read-only is enforced by the kernel. */
    public record Device(Path source, String target, Access access) {}

    /**
     * What it may.
     *
     * @param user as the engine takes it: uid or uid:gid; "" for the image's
     * @param groups further ones
     * @param newPrivileges whether its processes may get more than it has
     * @param unmaskedProc whether all of /proc is shown
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
            boolean unmaskedProc) {
        public static final Security PLAIN =
                new Security("", List.of(), false, false, true, List.of(), List.of(), Seccomp.DEFAULT, false);

        public Security {
            groups = List.copyOf(groups);
            addedCapabilities = List.copyOf(addedCapabilities);
            droppedCapabilities = List.copyOf(droppedCapabilities);
        }
    }

    /** Which system calls it may use: the engine's choice, or all. */
    public enum Seccomp {
        DEFAULT,
        UNCONFINED
    }

    /**
     * How much it gets.
     *
     * @param cpuNanos thousand millions are one processor
     * @param cpuShares its part when there is too little for all
     * @param memoryBytes at most, swap included
     * @param oomScore who is ended first when the machine has no memory left
     */
    public record Resources(
            OptionalLong cpuNanos,
            OptionalLong cpuShares,
            OptionalLong memoryBytes,
            OptionalInt oomScore,
            OptionalLong sharedMemoryBytes) {
        public static final Resources PLAIN = new Resources(
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalLong.empty());
    }

    /**
     * Its standard input.
     *
     * @param stdin whether it has one
     * @param once whether that ends with the first who attaches
     */
    public record Terminal(boolean stdin, boolean once, boolean tty) {
        public static final Terminal NONE = new Terminal(false, false, false);
    }
}
