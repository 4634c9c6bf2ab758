package dev.mooring.server;

import dev.mooring.api.auth.AuditLog;
import dev.mooring.api.policy.PodGrants;
import dev.mooring.api.policy.PodSecurity;
import dev.mooring.model.NearestMatch;
import dev.mooring.model.ServiceRange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All settings. {@code conf/mooring.yaml} documents the same keys and defaults; a test compares the two. To add a
 * setting: a row here, a component in its record, a line in {@link SettingsLoader}, a comment in the file.
 */
final class SettingsTable {
    static final Setting<Path> DATA = new Setting<>("data", ValueType.path(), "var");
    static final Setting<String> NODE = new Setting<>("node", ValueType.nodeName(), "");
    static final Setting<Settings.NodeIdentity> NODE_IDENTITY =
            new Setting<>("nodeIdentity", ValueType.oneOf(Settings.NodeIdentity.class), "keep");
    static final Setting<ListenAddress> LISTEN = new Setting<>("listen", ValueType.address(), "127.0.0.1:7443");
    static final Setting<Path> KUBECONFIG = new Setting<>("server.kubeconfig", ValueType.path(), "");

    static final Setting<Optional<Set<Settings.ServerPart>>> WITHOUT =
            new Setting<>("without", ValueType.orNone(ValueType.someOf(Settings.ServerPart.class)), "none");

    static final Setting<Optional<ListenAddress>> API_PLAIN_LISTEN =
            new Setting<>("api.plainListen", ValueType.orNone(ValueType.loopbackAddress()), "none");
    static final Setting<Integer> API_REQUESTS_PER_SECOND =
            new Setting<>("api.requestsPerSecond", ValueType.count(1, 1_000_000), "500");
    static final Setting<Integer> API_REQUEST_BURST =
            new Setting<>("api.requestBurst", ValueType.count(1, 1_000_000), "1000");
    static final Setting<Integer> API_MAX_WATCHES =
            new Setting<>("api.maxWatches", ValueType.count(1, 1_000_000), "10000");
    static final Setting<Integer> API_MAX_CONTAINER_STREAMS =
            new Setting<>("api.maxContainerStreams", ValueType.count(1, 100_000), "512");
    static final Setting<Integer> API_MAX_CONNECTIONS =
            new Setting<>("api.maxConnections", ValueType.count(16, 1_000_000), "4096");
    static final Setting<Integer> API_USER_SHARE = new Setting<>("api.userShare", ValueType.count(1, 100), "25");
    static final Setting<Duration> API_BODY_TIMEOUT =
            new Setting<>("api.bodyTimeout", ValueType.duration("1s", "1h"), "60s");
    static final Setting<Duration> API_IDLE_TIMEOUT =
            new Setting<>("api.idleTimeout", ValueType.duration("1s", "1d"), "180s");
    static final Setting<Duration> API_AUTHENTICATION_TIMEOUT =
            new Setting<>("api.authenticationTimeout", ValueType.duration("1s", "1h"), "30s");
    static final Setting<Duration> API_WATCH_TICK =
            new Setting<>("api.watchTick", ValueType.duration("1s", "1h"), "60s");

    static final Setting<AuditLog.AuditLevel> AUDIT_LEVEL =
            new Setting<>("audit.level", ValueType.oneOf(AuditLog.AuditLevel.class), "metadata");
    static final Setting<Path> AUDIT_FILE = new Setting<>("audit.file", ValueType.path(), "");
    static final Setting<Long> AUDIT_MAX_BYTES = new Setting<>("audit.maxBytes", ValueType.size("1Mi", "1Ti"), "32Mi");
    static final Setting<Integer> AUDIT_FILES = new Setting<>("audit.files", ValueType.count(1, 1000), "8");

    static final Setting<Duration> EVENTS_TTL = new Setting<>("events.ttl", ValueType.duration("1s", "36500d"), "24h");

    static final Setting<Optional<Integer>> QUOTA_NAMESPACE_OBJECTS =
            new Setting<>("quota.namespaceObjects", ValueType.orNone(ValueType.count(1, Integer.MAX_VALUE)), "10000");
    static final Setting<Optional<Long>> QUOTA_NAMESPACE_BYTES =
            new Setting<>("quota.namespaceBytes", ValueType.orNone(ValueType.size("64Ki", "1Ti")), "64Mi");

    static final Setting<Path> VOLUMES_ROOT = new Setting<>("volumes.root", ValueType.path(), "");
    static final Setting<Path> VOLUMES_BASE = new Setting<>("volumes.base", ValueType.path(), "");
    static final Setting<Optional<List<Path>>> VOLUMES_ALLOWED_BASES =
            new Setting<>("volumes.allowedBases", ValueType.orNone(ValueType.absolutePaths()), "none");
    static final Setting<Optional<List<DiscoverySettings>>> VOLUMES_DISCOVERY =
            new Setting<>("volumes.discovery", ValueType.orNone(ValueType.discovery()), "none");
    static final Setting<Duration> VOLUMES_DEADLINE =
            new Setting<>("volumes.deadline", ValueType.duration("1s", "1d"), "2m");
    static final Setting<String> NFS_SERVER = new Setting<>("nfs.server", ValueType.host(), "localhost");
    static final Setting<Path> NFS_SHARE = new Setting<>("nfs.share", ValueType.anAbsolutePath(), "/srv/nfs");
    static final Setting<Boolean> NFS_IS_SERVER = new Setting<>("nfs.isServer", ValueType.yesOrNo(), "false");

    static final Setting<Settings.ContainerSettings.Runtime> RUNTIME =
            new Setting<>("runtime", ValueType.oneOf(Settings.ContainerSettings.Runtime.class), "docker");
    static final Setting<String> DOCKER_HOST = new Setting<>("docker.host", ValueType.engine(), "");
    static final Setting<Optional<Path>> DOCKER_TLS_DIRECTORY =
            new Setting<>("docker.tlsDirectory", ValueType.orNone(ValueType.path()), "");
    static final Setting<Duration> DOCKER_DEADLINE =
            new Setting<>("docker.deadline", ValueType.duration("1s", "1h"), "2m");
    static final Setting<Optional<String>> DOCKER_PAUSE_IMAGE =
            new Setting<>("docker.pauseImage", ValueType.orNone(ValueType.image()), "");

    static final Setting<Optional<Integer>> DOCKER_PIDS_LIMIT =
            new Setting<>("docker.pidsLimit", ValueType.orNone(ValueType.count(16, 4_194_304)), "4096");

    static final Setting<Optional<ServiceRange>> SERVICES_RANGE =
            new Setting<>("services.range", ValueType.orNone(ValueType.network()), "10.96.0.0/16");
    static final Setting<Optional<Path>> DOCKER_PLUGIN_SOCKET =
            new Setting<>("docker.pluginSocket", ValueType.orNone(ValueType.anAbsolutePath()), "");
    static final Setting<String> DOCKER_PLUGIN_NAMESPACE =
            new Setting<>("docker.pluginNamespace", ValueType.nodeName(), "default");
    static final Setting<Long> DOCKER_PLUGIN_SIZE =
            new Setting<>("docker.pluginSize", ValueType.size("1Mi", "1024Ti"), "1Gi");
    static final Setting<Duration> DOCKER_PLUGIN_DEADLINE =
            new Setting<>("docker.pluginDeadline", ValueType.duration("1s", "110s"), "30s");

    static final Setting<Optional<Set<String>>> POLICY_PRIVILEGED =
            new Setting<>("policy.privileged", ValueType.orNone(ValueType.namespaces()), "none");
    static final Setting<Optional<List<PodGrants.HostPathPrefix>>> POLICY_HOST_PATH =
            new Setting<>("policy.hostPath", ValueType.orNone(ValueType.hostPaths()), "none");
    static final Setting<Optional<List<Path>>> POLICY_ADMIN_PATHS =
            new Setting<>("policy.adminPaths", ValueType.orNone(ValueType.absolutePaths()), "none");

    static final Setting<Optional<List<PodGrants.GrantedShare>>> POLICY_NFS =
            new Setting<>("policy.nfs", ValueType.orNone(ValueType.shares()), "none");
    static final Setting<Optional<Set<Integer>>> POLICY_RESERVED_PORTS =
            new Setting<>("policy.reservedPorts", ValueType.orNone(ValueType.ports()), "111,2049,20048");
    static final Setting<PodSecurity.PodSecurityLevel> POLICY_POD_SECURITY =
            new Setting<>("policy.podSecurity", ValueType.oneOf(PodSecurity.PodSecurityLevel.class), "privileged");
    static final Setting<Optional<Set<String>>> POLICY_NO_NEW_PRIVILEGES =
            new Setting<>("policy.noNewPrivileges", ValueType.orNone(ValueType.namespaces()), "none");
    static final Setting<Optional<Map<String, String>>> POLICY_DEFAULT_MEMORY =
            new Setting<>("policy.defaultMemory", ValueType.orNone(ValueType.quantities()), "none");
    static final Setting<Boolean> POLICY_ALWAYS_PULL_IMAGES =
            new Setting<>("policy.alwaysPullImages", ValueType.yesOrNo(), "false");

    static final Setting<Settings.LogSettings.LogKind> LOG_KIND =
            new Setting<>("log.kind", ValueType.oneOf(Settings.LogSettings.LogKind.class), "file");
    static final Setting<Long> LOG_SEGMENT_BYTES =
            new Setting<>("log.segmentBytes", ValueType.size("64Ki", "1Gi"), "64Mi");
    static final Setting<Long> LOG_SNAPSHOT_EVERY_BYTES =
            new Setting<>("log.snapshot.everyBytes", ValueType.size("64Ki", "1Ti"), "64Mi");
    static final Setting<Duration> LOG_SNAPSHOT_EVERY =
            new Setting<>("log.snapshot.every", ValueType.duration("1s", "365d"), "1h");
    static final Setting<Optional<Duration>> LOG_RETENTION_MAX_AGE =
            new Setting<>("log.retention.maxAge", ValueType.orNone(ValueType.duration("1m", "36500d")), "none");
    static final Setting<Optional<Long>> LOG_RETENTION_MAX_BYTES =
            new Setting<>("log.retention.maxBytes", ValueType.orNone(ValueType.size("1Mi", "1024Ti")), "none");
    static final Setting<Integer> LOG_BATCH_MAX_RECORDS =
            new Setting<>("log.batch.maxRecords", ValueType.count(1, 1_000_000), "4096");
    static final Setting<Long> LOG_BATCH_MAX_BYTES =
            new Setting<>("log.batch.maxBytes", ValueType.size("4Ki", "64Mi"), "512Ki");
    static final Setting<Optional<Path>> LOG_ENCRYPTION_KEY_FILE =
            new Setting<>("log.encryption.keyFile", ValueType.orNone(ValueType.path()), "none");

    static final Setting<Integer> LEDGER_MAX_PENDING =
            new Setting<>("ledger.maxPending", ValueType.count(1, 1_000_000), "10000");

    static final Setting<Integer> WATCH_BUFFER_EVENTS =
            new Setting<>("watch.bufferEvents", ValueType.count(16, 16_777_216), "16384");
    static final Setting<Long> WATCH_BUFFER_BYTES =
            new Setting<>("watch.bufferBytes", ValueType.size("64Ki", "8Gi"), "32Mi");

    static final Setting<Boolean> UI_ENABLED = new Setting<>("ui.enabled", ValueType.yesOrNo(), "true");

    static final Setting<Boolean> CHAOS_ENABLED = new Setting<>("chaos.enabled", ValueType.yesOrNo(), "false");

    static final Setting<Settings.LoggingSettings.Format> LOGGING_FORMAT =
            new Setting<>("logging.format", ValueType.oneOf(Settings.LoggingSettings.Format.class), "text");
    static final Setting<Settings.LoggingSettings.LogLevel> LOGGING_LEVEL =
            new Setting<>("logging.level", ValueType.oneOf(Settings.LoggingSettings.LogLevel.class), "info");
    static final Setting<Settings.LoggingSettings.Color> LOGGING_COLOR =
            new Setting<>("logging.color", ValueType.oneOf(Settings.LoggingSettings.Color.class), "auto");

    static final List<Setting<?>> ALL = List.of(
            DATA,
            NODE,
            NODE_IDENTITY,
            LISTEN,
            KUBECONFIG,
            WITHOUT,
            API_PLAIN_LISTEN,
            API_REQUESTS_PER_SECOND,
            API_REQUEST_BURST,
            API_MAX_WATCHES,
            API_MAX_CONTAINER_STREAMS,
            API_MAX_CONNECTIONS,
            API_USER_SHARE,
            API_BODY_TIMEOUT,
            API_IDLE_TIMEOUT,
            API_AUTHENTICATION_TIMEOUT,
            API_WATCH_TICK,
            AUDIT_LEVEL,
            AUDIT_FILE,
            AUDIT_MAX_BYTES,
            AUDIT_FILES,
            EVENTS_TTL,
            QUOTA_NAMESPACE_OBJECTS,
            QUOTA_NAMESPACE_BYTES,
            VOLUMES_ROOT,
            VOLUMES_BASE,
            VOLUMES_ALLOWED_BASES,
            VOLUMES_DISCOVERY,
            VOLUMES_DEADLINE,
            NFS_SERVER,
            NFS_SHARE,
            NFS_IS_SERVER,
            RUNTIME,
            DOCKER_HOST,
            DOCKER_TLS_DIRECTORY,
            DOCKER_DEADLINE,
            DOCKER_PAUSE_IMAGE,
            DOCKER_PIDS_LIMIT,
            SERVICES_RANGE,
            DOCKER_PLUGIN_SOCKET,
            DOCKER_PLUGIN_NAMESPACE,
            DOCKER_PLUGIN_SIZE,
            DOCKER_PLUGIN_DEADLINE,
            POLICY_PRIVILEGED,
            POLICY_HOST_PATH,
            POLICY_ADMIN_PATHS,
            POLICY_NFS,
            POLICY_RESERVED_PORTS,
            POLICY_POD_SECURITY,
            POLICY_NO_NEW_PRIVILEGES,
            POLICY_DEFAULT_MEMORY,
            POLICY_ALWAYS_PULL_IMAGES,
            LOG_KIND,
            LOG_SEGMENT_BYTES,
            LOG_SNAPSHOT_EVERY_BYTES,
            LOG_SNAPSHOT_EVERY,
            LOG_RETENTION_MAX_AGE,
            LOG_RETENTION_MAX_BYTES,
            LOG_BATCH_MAX_RECORDS,
            LOG_BATCH_MAX_BYTES,
            LOG_ENCRYPTION_KEY_FILE,
            LEDGER_MAX_PENDING,
            WATCH_BUFFER_EVENTS,
            WATCH_BUFFER_BYTES,
            UI_ENABLED,
            CHAOS_ENABLED,
            LOGGING_FORMAT,
            LOGGING_LEVEL,
            LOGGING_COLOR);

    /** Environment variables of Minik8s, supported for existing scripts. */
    static final Map<String, Setting<?>> MINIK8S_NAMES =
            Map.of("NFS_SERVER", NFS_SERVER, "IS_NFS_SERVER", NFS_IS_SERVER);

    private SettingsTable() {}

    static Optional<Setting<?>> byKey(String key) {
        return ALL.stream().filter(setting -> setting.key().equals(key)).findFirst();
    }

    /** Returns the setting whose key is most similar to a misspelt one. */
    static Optional<Setting<?>> nearest(String key) {
        return NearestMatch.ignoringCase(key, ALL.stream().map(Setting::key).toList())
                .flatMap(SettingsTable::byKey);
    }

    static Optional<Setting<?>> byEnvironmentName(String name) {
        return ALL.stream()
                .filter(setting ->
                        setting.environmentName().equalsIgnoreCase(name) || setting.equals(MINIK8S_NAMES.get(name)))
                .findFirst();
    }

    /**
     * One row of the settings table.
     *
     * @param key dotted name in the configuration file
     * @param type parser and validator of the value
     * @param defaultText the default as written in the file; empty if it is computed from the machine or other settings
     */
    record Setting<T>(String key, ValueType<T> type, String defaultText) {
        private static final String ENVIRONMENT_PREFIX = "MOORING_";

        /**
         * Returns the environment variable: {@code MOORING_LOG_SNAPSHOT_EVERYBYTES} for
         * {@code log.snapshot.everyBytes}.
         */
        String environmentName() {
            return ENVIRONMENT_PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT);
        }

        /** Returns whether a variable has Mooring's prefix, known or not. */
        static boolean isEnvironmentName(String name) {
            return name.toUpperCase(Locale.ROOT).startsWith(ENVIRONMENT_PREFIX);
        }

        /** Returns the key for an unknown variable, for suggestions. */
        static String keyLike(String environmentName) {
            return environmentName
                    .substring(ENVIRONMENT_PREFIX.length())
                    .toLowerCase(Locale.ROOT)
                    .replace('_', '.');
        }
    }
}
