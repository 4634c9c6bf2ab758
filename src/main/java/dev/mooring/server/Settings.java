package dev.mooring.server;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.auth.AuditLog;
import dev.mooring.api.auth.RateLimit;
import dev.mooring.api.policy.NamespaceDefaults;
import dev.mooring.api.policy.PodGrants;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.model.ProtectedHostPaths;
import dev.mooring.model.ServiceRange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;

/**
 * All settings, validated and complete. Immutable; created once at start by {@link SettingsLoader}.
 * {@link SettingsTable} lists them with defaults and ranges.
 *
 * @param texts all settings by key, as they are written in a configuration file
 */
public record Settings(
        Path data,
        String node,
        NodeIdentity nodeIdentity,
        ListenAddress listen,
        Path kubeconfig,
        Set<ServerPart> without,
        ApiSettings api,
        AuditSettings audit,
        EventSettings events,
        QuotaSettings quota,
        VolumeSettings volumes,
        ContainerSettings containers,
        PolicySettings policy,
        LogSettings log,
        LedgerSettings ledger,
        WatchSettings watch,
        UiSettings ui,
        ChaosSettings chaos,
        LoggingSettings logging,
        SortedMap<String, String> texts) {

    /** Returns paths of this machine that no Pod may use. */
    public ProtectedHostPaths protectedHostPaths() {
        return ProtectedHostPaths.defaults()
                .withOwn(volumes.root(), data.toAbsolutePath().normalize())
                .withEngine(containers.socket().stream().toList())
                .allowing(policy.adminPaths());
    }

    /** Returns the policy for Pods of users. */
    public PodPolicy podPolicy() {
        Set<Integer> ports = new HashSet<>(policy.grants().reservedPorts());
        ports.add(listen.port());
        api.plainListen().ifPresent(address -> ports.add(address.port()));
        containers.port().ifPresent(ports::add);
        return new PodPolicy(
                policy.grants().withReservedPorts(ports),
                policy.defaults(),
                protectedHostPaths(),
                containers.serviceRange());
    }

    /** Returns the addresses of Services, if this machine serves them: its own Docker engine runs Pods. */
    public Optional<ServiceRange> serviceNetwork() {
        boolean runsPods = containers.runtime() == ContainerSettings.Runtime.DOCKER
                && containers.socket().isPresent()
                && !without.contains(ServerPart.NODE)
                && !without.contains(ServerPart.PODS);
        return runsPods ? containers.serviceRange() : Optional.empty();
    }

    /** What to do if the data directory belongs to another node or machine. */
    public enum NodeIdentity {
        /** Refuse to start. */
        KEEP,
        /** Continue as the recorded node on this machine. */
        ADOPT,
        /** Delete the recorded node and register this machine as a new one. */
        NEW
    }

    /** A part of the server that can be disabled, to set up states by hand or to examine other parts alone. */
    public enum ServerPart {
        /** The controllers. */
        CONTROL,
        /** The node's volume manager. */
        NODE,
        /** The Pod manager. */
        PODS
    }

    /**
     * Rate limits and the listener without TLS.
     *
     * @param plainListen a loopback address; empty for no such listener
     * @param requestsPerSecond average rate per user, except admins
     * @param requestBurst burst per user, except admins
     */
    public record ApiSettings(
            Optional<ListenAddress> plainListen, int requestsPerSecond, int requestBurst, ApiLimits limits) {
        /** Number of users with a stored rate limit; a forgotten user starts with a full bucket. */
        private static final int REMEMBERED_USERS = 10_000;

        public RateLimit.RateLimitSettings rate() {
            return new RateLimit.RateLimitSettings(requestsPerSecond, requestBurst, REMEMBERED_USERS);
        }
    }

    /**
     * Audit log settings.
     *
     * @param maxBytes size limit of one file
     * @param files number of files kept, including the current one
     */
    public record AuditSettings(AuditLog.AuditLevel level, Path file, long maxBytes, int files) {}

    /** How long Events are kept in the API ({@code kubectl get events}); the history keeps them beyond that. */
    public record EventSettings(Duration ttl) {}

    /**
     * Limits per namespace; empty for no limit.
     *
     * @param namespaceBytes memory of the objects: their JSON and some overhead
     */
    public record QuotaSettings(Optional<Integer> namespaceObjects, Optional<Long> namespaceBytes) {}

    /**
     * Paths and limits of volumes on this machine.
     *
     * @param root where volumes of Pods are mounted, in the kubelet's layout
     * @param base directory of provisioned volumes, unless the class names another
     * @param allowedBases other base directories that classes may name
     * @param discovery directories whose subdirectories are published as local volumes
     * @param deadline of a job on the data of one volume
     */
    public record VolumeSettings(
            Path root,
            Path base,
            List<Path> allowedBases,
            List<DiscoverySettings> discovery,
            Duration deadline,
            Nfs nfs) {
        public VolumeSettings {
            allowedBases = List.copyOf(allowedBases);
            discovery = List.copyOf(discovery);
        }

        /**
         * Default NFS server of provisioned volumes.
         *
         * @param share the exported directory
         * @param isServer whether this machine is that server, so that directories can be created without a mount
         */
        public record Nfs(String server, Path share, boolean isServer) {}
    }

    /**
     * Container engine settings.
     *
     * @param host engine address: {@code unix:///path} or {@code tcp://host:port}
     * @param tlsDirectory directory with ca.pem, cert.pem and key.pem, as for {@code docker}; empty for no TLS
     * @param deadline timeout of engine requests
     * @param pauseImage image of the Pod sandbox container; empty to build one locally
     * @param pidsLimit maximum number of processes and threads per container; empty for no limit
     * @param serviceRange addresses of Services; empty for no Services
     * @param volumeDriver Docker's volume driver
     */
    public record ContainerSettings(
            Runtime runtime,
            String host,
            Optional<Path> tlsDirectory,
            Duration deadline,
            Optional<String> pauseImage,
            Optional<Integer> pidsLimit,
            Optional<ServiceRange> serviceRange,
            VolumeDriverSettings volumeDriver) {
        private static final String UNIX = "unix://";
        private static final String TCP = "tcp://";

        /**
         * Settings of Docker's volume driver.
         *
         * @param socket its file name is the name of the driver; empty to disable the driver
         * @param namespace of claims, unless an option names another
         * @param size of claims in bytes, unless an option names another
         * @param deadline of a mount; less than the two minutes that Docker waits
         */
        public record VolumeDriverSettings(Optional<Path> socket, String namespace, long size, Duration deadline) {}

        /** Container runtime. */
        @SuppressWarnings("JavaLangClash") // named like the setting
        public enum Runtime {
            DOCKER,
            /** Volumes are mounted, but no containers run. */
            NONE
        }

        /** Returns the engine's TCP port, if it has one. */
        public Optional<Integer> port() {
            return host.startsWith(TCP)
                    ? Optional.of(
                            ListenAddress.parse(host.substring(TCP.length())).port())
                    : Optional.empty();
        }

        /** Returns the engine's Unix socket, if it has one. */
        public Optional<Path> socket() {
            return host.startsWith(UNIX) ? Optional.of(Path.of(host.substring(UNIX.length()))) : Optional.empty();
        }
    }

    /**
     * Restrictions on how Pods use the machine.
     *
     * @param grants to users who are not admins
     * @param defaults defaults of all Pods, by namespace
     * @param adminPaths protected paths that are allowed nevertheless
     */
    public record PolicySettings(PodGrants grants, NamespaceDefaults defaults, List<Path> adminPaths) {
        public PolicySettings {
            adminPaths = List.copyOf(adminPaths);
        }
    }

    /** Event log settings. Empty retention limits keep everything; without a key file nothing is encrypted. */
    public record LogSettings(
            LogKind kind,
            long segmentBytes,
            long snapshotEveryBytes,
            Duration snapshotEvery,
            Optional<Duration> retentionMaxAge,
            OptionalLong retentionMaxBytes,
            int batchMaxRecords,
            int batchMaxBytes,
            Optional<Path> encryptionKeyFile) {

        /** Storage of the log. */
        public enum LogKind {
            FILE
        }
    }

    /** Ledger limits: the number of pending proposals above which further ones are refused. */
    public record LedgerSettings(int maxPending) {}

    /** Number and size of recent events that are kept in memory for watches; older ones are read from the log. */
    public record WatchSettings(int bufferEvents, long bufferBytes) {}

    /** Whether the web page is served. */
    public record UiSettings(boolean enabled) {}

    /** Whether fault injection is enabled. */
    public record ChaosSettings(boolean enabled) {}

    /** Format, level and colours of log lines. */
    public record LoggingSettings(Format format, LogLevel level, Color color) {

        /** Format of log lines. */
        public enum Format {
            TEXT,
            JSON
        }

        /** Minimum level of log lines. */
        public enum LogLevel {
            ERROR,
            WARN,
            INFO,
            DEBUG,
            TRACE
        }

        /** Colours of text lines: {@code AUTO} means on a terminal, unless {@code NO_COLOR} is set. */
        public enum Color {
            AUTO,
            ALWAYS,
            NEVER
        }
    }
}
