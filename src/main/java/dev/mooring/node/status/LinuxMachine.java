package dev.mooring.node.status;

import dev.mooring.host.MountTable;
import dev.mooring.node.status.MachineFacts.Capabilities;
import dev.mooring.node.status.MachineFacts.Identity;
import dev.mooring.node.status.MachineFacts.MachineResources;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads this machine's state from {@code /proc}. Any thread that may block on a disk.
 *
 * <p>Reads free space of local file systems only: a remote one may never respond.
 */
public final class LinuxMachine implements NodeReporterVerticle.MachineFactsReader {
    private static final int MAX_TEXT = 1 << 16;
    private static final long KIB = 1024;

    /** Programs that volumes need, and the directories of programs. */
    private static final List<String> PROGRAMS = List.of("mount.nfs", "losetup", "mkfs.ext4", "resize2fs", "mkfs.xfs");

    private static final List<String> PROGRAM_DIRECTORIES = List.of("usr/sbin", "sbin", "usr/bin", "bin");

    private final Path root;
    private final Path data;
    private final Map<String, Path> bases;
    private final Optional<VolumeHost> host;
    private Optional<Boolean> nfsModule = Optional.empty();

    /**
     * What capabilities are read for.
     *
     * @param root the directory below which volumes are mounted for Pods
     * @param built the time of this program's build; the clock cannot be before it
     * @param clockSynchronized asks the kernel
     */
    public record VolumeHost(Path root, Instant built, Clock clock, BooleanSupplier clockSynchronized) {}

    /**
     * Creates a reader.
     *
     * @param data Mooring's data directory
     * @param bases base directories of volumes, by kind; they need not exist
     */
    public LinuxMachine(Path data, Map<String, Path> bases) {
        this(Path.of("/"), data, bases, Optional.empty());
    }

    /** Creates a reader that reads the capabilities too. */
    public LinuxMachine(Path data, Map<String, Path> bases, VolumeHost host) {
        this(Path.of("/"), data, bases, Optional.of(host));
    }

    /**
     * Creates a reader for tests.
     *
     * @param root the root of the system's files
     */
    LinuxMachine(Path root, Path data, Map<String, Path> bases, Optional<VolumeHost> host) {
        this.root = root;
        this.host = host;
        this.data = data;
        this.bases = Map.copyOf(bases);
    }

    @Override
    public MachineFacts read() throws IOException {
        MountTable mounts = MountTable.read(root.resolve("proc/self/mountinfo"));
        Map<String, Long> free = new HashMap<>();
        for (Map.Entry<String, Path> base : bases.entrySet()) {
            if (isOnThisMachine(mounts, base.getValue())) {
                free.put(base.getKey(), store(base.getValue()).getUsableSpace());
            }
        }
        Identity identity = identity();
        Optional<Capabilities> capabilities = Optional.empty();
        if (host.isPresent()) {
            capabilities = Optional.of(capabilities(mounts, host.get(), identity.kernelVersion()));
        }
        return new MachineFacts(identity, resources(mounts), bases, free, capabilities);
    }

    private Capabilities capabilities(MountTable mounts, VolumeHost on, String kernel) {
        Set<String> programs = PROGRAMS.stream()
                .filter(name ->
                        PROGRAM_DIRECTORIES.stream().anyMatch(directory -> exists(mounts, directory + '/' + name)))
                .collect(Collectors.toSet());
        Optional<MountTable.Mount> mount =
                mounts.findMountOf(on.root().toAbsolutePath().normalize());
        return new Capabilities(
                programs,
                hasNfs(mounts, kernel),
                exists(mounts, "dev/loop-control"),
                cgroupVersion(mounts),
                on.root(),
                mount.map(MountTable.Mount::point).orElse("/"),
                mount.filter(this::isShared).isPresent(),
                on.clock().instant().isAfter(on.built()),
                on.clockSynchronized().getAsBoolean());
    }

    /** Returns whether a file exists; false without access if it may be on a remote file system. */
    private boolean exists(MountTable mounts, String file) {
        Path path = Path.of("/").resolve(file);
        return isOnThisMachine(mounts, path) && Files.exists(root.resolve(file));
    }

    /** Returns whether the kernel has an NFS client, or a module for it, which mount.nfs loads. */
    private synchronized boolean hasNfs(MountTable mounts, String kernel) {
        if (optionalText("proc/filesystems")
                .lines()
                .anyMatch(line -> line.strip().matches("nodev\\s+nfs4?"))) {
            return true;
        }
        if (nfsModule.isEmpty()) {
            nfsModule = Optional.of(Stream.of("modules.dep", "modules.builtin")
                    .map(name -> "lib/modules/" + kernel + '/' + name)
                    .filter(file -> exists(mounts, file))
                    .anyMatch(this::namesNfsModule));
        }
        return nfsModule.get();
    }

    private boolean namesNfsModule(String file) {
        try (Stream<String> lines = Files.lines(root.resolve(file), StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.matches("[^:]*/nfs/nfs\\.ko.*"));
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    private static int cgroupVersion(MountTable mounts) {
        return mounts.mounts().stream()
                .filter(mount -> mount.point().startsWith("/sys/fs/cgroup"))
                .mapToInt(mount -> switch (mount.type()) {
                    case "cgroup" -> 1;
                    case "cgroup2" -> mount.point().equals("/sys/fs/cgroup") ? 2 : 1;
                    default -> 0;
                })
                .max()
                .orElse(0);
    }

    /** Returns whether the mount is in a peer group: its line has the field shared:N before the dash. */
    private boolean isShared(MountTable.Mount mount) {
        return optionalText("proc/self/mountinfo")
                .lines()
                .filter(line -> line.startsWith(mount.id() + " "))
                .anyMatch(line -> line.split(" - ", 2)[0].contains(" shared:"));
    }

    /** Returns whether a directory is on a local file system, without touching it; does not follow symbolic links. */
    static boolean isOnThisMachine(MountTable mounts, Path directory) {
        return mounts.findMountOf(directory.toAbsolutePath().normalize())
                .filter(mount -> !mount.isRemote())
                .isPresent();
    }

    private Identity identity() throws IOException {
        return new Identity(
                text("proc/sys/kernel/hostname"),
                address(),
                text("proc/sys/kernel/osrelease"),
                osImage(),
                architecture(System.getProperty("os.arch", "")),
                optionalText("etc/machine-id"),
                optionalText("proc/sys/kernel/random/boot_id"),
                optionalText("sys/class/dmi/id/product_uuid"));
    }

    private MachineResources resources(MountTable mounts) throws IOException {
        Map<String, Long> memory = new HashMap<>();
        for (String line : Files.readAllLines(root.resolve("proc/meminfo"))) {
            String[] fields = line.split("[: ]+", 3);
            if (fields.length > 1 && fields[0].startsWith("Mem")) {
                memory.put(fields[0], Long.parseLong(fields[1]) * KIB);
            }
        }
        long total = memory.getOrDefault("MemTotal", 0L);
        boolean known = isOnThisMachine(mounts, data);
        return new MachineResources(
                Runtime.getRuntime().availableProcessors(),
                total,
                memory.getOrDefault("MemAvailable", total),
                known ? store(data).getTotalSpace() : 0,
                known ? store(data).getUsableSpace() : 0,
                tasks(),
                number(optionalText("proc/sys/kernel/pid_max")));
    }

    /** Returns the number of tasks, which the kernel has in loadavg: {@code 0.20 0.18 0.12 1/80 11206}. */
    private long tasks() {
        String[] fields = optionalText("proc/loadavg").split("[ /]", 6);
        return fields.length > 4 ? number(fields[4]) : 0;
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Returns the file store of a directory, or of its nearest existing parent. */
    private static FileStore store(Path directory) throws IOException {
        Path existing = directory.toAbsolutePath().normalize();
        while (existing.getParent() != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        return Files.getFileStore(existing);
    }

    private String osImage() {
        return optionalText("etc/os-release")
                .lines()
                .filter(line -> line.startsWith("PRETTY_NAME="))
                .map(line -> line.substring("PRETTY_NAME=".length()).replace("\"", ""))
                .findFirst()
                .orElse("Linux");
    }

    /**
     * Returns the address of the interface with the default route, or else of any non-loopback interface; prefers IPv4.
     */
    private Optional<String> address() throws IOException {
        Optional<String> out = outwards();
        if (out.isPresent()) {
            NetworkInterface found = NetworkInterface.getByName(out.get());
            Optional<String> address = found == null ? Optional.empty() : best(found.inetAddresses());
            if (address.isPresent()) {
                return address;
            }
        }
        return best(NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses));
    }

    private Optional<String> outwards() {
        return optionalText("proc/net/route")
                .lines()
                .map(line -> line.split("\t"))
                .filter(fields -> fields.length > 7 && fields[1].equals("00000000") && fields[7].equals("00000000"))
                .map(fields -> fields[0])
                .findFirst();
    }

    private static Optional<String> best(Stream<InetAddress> addresses) {
        return addresses
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .min(Comparator.comparing(address -> address instanceof Inet4Address ? 0 : 1))
                .map(InetAddress::getHostAddress)
                .map(address -> address.split("%", 2)[0]);
    }

    /** Returns the architecture in Go's naming. */
    private static String architecture(String java) {
        return switch (java) {
            case "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            default -> java;
        };
    }

    /** Reads a file in one large read: files below /proc/sys cannot be read in parts. */
    private String text(String file) throws IOException {
        try (InputStream in = Files.newInputStream(root.resolve(file))) {
            return new String(in.readNBytes(MAX_TEXT), StandardCharsets.UTF_8).strip();
        }
    }

    private String optionalText(String file) {
        try {
            return text(file);
        } catch (IOException e) {
            return "";
        }
    }
}
