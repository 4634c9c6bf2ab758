package dev.mooring.server;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.policy.NamespaceDefaults;
import dev.mooring.api.policy.PodGrants;
import io.vertx.config.ConfigRetriever;
import io.vertx.config.ConfigRetrieverOptions;
import io.vertx.config.ConfigStoreOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Loads settings with Vert.x Config. Each source is retrieved separately instead of being merged by Vert.x, because an
 * error must name its source. Reports all errors at once.
 */
public final class SettingsLoader {
    private final Vertx vertx;
    private final SettingsSources sources;

    public SettingsLoader(Vertx vertx, SettingsSources sources) {
        this.vertx = vertx;
        this.sources = sources;
    }

    /** Loads the settings. Fails with a {@link MooringException} that lists all errors. */
    public Future<Settings> load() {
        Future<JsonObject> file = sources.file().map(this::readFile).orElse(Future.succeededFuture(new JsonObject()));
        Future<JsonObject> environment = retrieve(environmentStore());
        return Future.all(file, environment).map(both -> {
            SettingsReader reader = new SettingsReader();
            reader.addVariablesOfDocker(sources.environment());
            sources.file().ifPresent(path -> reader.addFile(path, file.result()));
            reader.addEnvironment(environment.result());
            reader.addFlags(sources.flags());
            Settings settings = build(reader);
            if (!reader.problems().isEmpty()) {
                throw new MooringException(ExitCode.USAGE, String.join(System.lineSeparator(), reader.problems()));
            }
            return settings;
        });
    }

    private Future<JsonObject> readFile(Path path) {
        try {
            CommandFailure.requireAccess(path, AccessMode.READ);
        } catch (AccessDeniedException e) {
            return Future.failedFuture(e);
        }
        if (!Files.isReadable(path) || Files.isDirectory(path)) {
            return Future.failedFuture(new MooringException(
                    ExitCode.USAGE,
                    "No readable configuration file at " + path + "; next: correct --config (or MOORING_CONFIG)"));
        }
        JsonObject location = new JsonObject().put("path", path.toAbsolutePath().toString());
        return retrieve(new ConfigStoreOptions()
                        .setType("file")
                        .setFormat("yaml")
                        .setConfig(location))
                .recover(cause -> Future.failedFuture(new MooringException(
                        ExitCode.USAGE,
                        "Cannot read " + path + " as settings in YAML: " + cause.getMessage()
                                + "; next: correct the file",
                        cause)));
    }

    /** Returns a store with the given variables; a store of type "env" would only see those of this process. */
    private ConfigStoreOptions environmentStore() {
        JsonObject variables = new JsonObject();
        sources.environment().forEach((name, value) -> {
            if (SettingsTable.Setting.isEnvironmentName(name) || SettingsTable.MINIK8S_NAMES.containsKey(name)) {
                variables.put(name, value);
            }
        });
        return new ConfigStoreOptions().setType("json").setConfig(variables);
    }

    private Future<JsonObject> retrieve(ConfigStoreOptions store) {
        ConfigRetriever retriever = ConfigRetriever.create(
                vertx,
                new ConfigRetrieverOptions()
                        .setIncludeDefaultStores(false)
                        // Settings are read once; polling for changes would wake an idle server.
                        .setScanPeriod(-1)
                        .addStore(store));
        return retriever.getConfig().eventually(retriever::close);
    }

    private Settings build(SettingsReader reader) {
        Path data = reader.value(SettingsTable.DATA);
        Settings settings = new Settings(
                data,
                reader.value(SettingsTable.NODE, sources.hostName().toLowerCase(Locale.ROOT)),
                reader.value(SettingsTable.NODE_IDENTITY),
                reader.value(SettingsTable.LISTEN),
                reader.value(SettingsTable.KUBECONFIG, data + "/kubeconfig"),
                reader.value(SettingsTable.WITHOUT).orElse(Set.of()),
                new Settings.ApiSettings(
                        reader.value(SettingsTable.API_PLAIN_LISTEN),
                        reader.value(SettingsTable.API_REQUESTS_PER_SECOND),
                        reader.value(SettingsTable.API_REQUEST_BURST),
                        new ApiLimits(
                                reader.value(SettingsTable.API_MAX_WATCHES),
                                reader.value(SettingsTable.API_MAX_CONTAINER_STREAMS),
                                reader.value(SettingsTable.API_MAX_CONNECTIONS),
                                reader.value(SettingsTable.API_USER_SHARE),
                                reader.value(SettingsTable.API_BODY_TIMEOUT),
                                reader.value(SettingsTable.API_IDLE_TIMEOUT),
                                reader.value(SettingsTable.API_AUTHENTICATION_TIMEOUT),
                                reader.value(SettingsTable.API_WATCH_TICK))),
                new Settings.AuditSettings(
                        reader.value(SettingsTable.AUDIT_LEVEL),
                        reader.value(SettingsTable.AUDIT_FILE, data + "/audit/audit.log"),
                        reader.value(SettingsTable.AUDIT_MAX_BYTES),
                        reader.value(SettingsTable.AUDIT_FILES)),
                new Settings.EventSettings(reader.value(SettingsTable.EVENTS_TTL)),
                new Settings.QuotaSettings(
                        reader.value(SettingsTable.QUOTA_NAMESPACE_OBJECTS),
                        reader.value(SettingsTable.QUOTA_NAMESPACE_BYTES)),
                volumes(reader, data),
                containers(reader),
                policy(reader),
                new Settings.LogSettings(
                        reader.value(SettingsTable.LOG_KIND),
                        reader.value(SettingsTable.LOG_SEGMENT_BYTES),
                        reader.value(SettingsTable.LOG_SNAPSHOT_EVERY_BYTES),
                        reader.value(SettingsTable.LOG_SNAPSHOT_EVERY),
                        reader.value(SettingsTable.LOG_RETENTION_MAX_AGE),
                        optionalLong(reader.value(SettingsTable.LOG_RETENTION_MAX_BYTES)),
                        reader.value(SettingsTable.LOG_BATCH_MAX_RECORDS),
                        Math.toIntExact(reader.value(SettingsTable.LOG_BATCH_MAX_BYTES)),
                        reader.value(SettingsTable.LOG_ENCRYPTION_KEY_FILE)),
                new Settings.LedgerSettings(reader.value(SettingsTable.LEDGER_MAX_PENDING)),
                new Settings.WatchSettings(
                        reader.value(SettingsTable.WATCH_BUFFER_EVENTS),
                        reader.value(SettingsTable.WATCH_BUFFER_BYTES)),
                new Settings.UiSettings(reader.value(SettingsTable.UI_ENABLED)),
                new Settings.ChaosSettings(reader.value(SettingsTable.CHAOS_ENABLED)),
                new Settings.LoggingSettings(
                        reader.value(SettingsTable.LOGGING_FORMAT),
                        reader.value(SettingsTable.LOGGING_LEVEL),
                        reader.value(SettingsTable.LOGGING_COLOR)),
                reader.texts());
        Settings.LogSettings log = settings.log();
        if (log.batchMaxBytes() > log.segmentBytes()) {
            reader.problem("log.batch.maxBytes must be at most log.segmentBytes ("
                    + ByteSize.format(log.segmentBytes()) + "), got " + ByteSize.format(log.batchMaxBytes())
                    + "; next: make batches smaller or segments larger");
        }
        return settings;
    }

    private static Settings.VolumeSettings volumes(SettingsReader reader, Path data) {
        return new Settings.VolumeSettings(
                reader.value(SettingsTable.VOLUMES_ROOT, data.toString())
                        .toAbsolutePath()
                        .normalize(),
                reader.value(SettingsTable.VOLUMES_BASE, data + "/volumes")
                        .toAbsolutePath()
                        .normalize(),
                reader.value(SettingsTable.VOLUMES_ALLOWED_BASES).orElse(List.of()),
                reader.value(SettingsTable.VOLUMES_DISCOVERY).orElse(List.of()),
                reader.value(SettingsTable.VOLUMES_DEADLINE),
                new Settings.VolumeSettings.Nfs(
                        reader.value(SettingsTable.NFS_SERVER),
                        reader.value(SettingsTable.NFS_SHARE),
                        reader.value(SettingsTable.NFS_IS_SERVER)));
    }

    private static Settings.ContainerSettings containers(SettingsReader reader) {
        return new Settings.ContainerSettings(
                reader.value(SettingsTable.RUNTIME),
                reader.value(SettingsTable.DOCKER_HOST, "unix:///var/run/docker.sock"),
                reader.value(SettingsTable.DOCKER_TLS_DIRECTORY, "none"),
                reader.value(SettingsTable.DOCKER_DEADLINE),
                reader.value(SettingsTable.DOCKER_PAUSE_IMAGE, "none"),
                reader.value(SettingsTable.DOCKER_PIDS_LIMIT),
                reader.value(SettingsTable.SERVICES_RANGE),
                new Settings.ContainerSettings.VolumeDriverSettings(
                        reader.value(SettingsTable.DOCKER_PLUGIN_SOCKET, defaultPluginSocket()),
                        reader.value(SettingsTable.DOCKER_PLUGIN_NAMESPACE),
                        reader.value(SettingsTable.DOCKER_PLUGIN_SIZE),
                        reader.value(SettingsTable.DOCKER_PLUGIN_DEADLINE)));
    }

    /** Returns the place where Docker looks for the driver "mooring"; only root can mount volumes. */
    private static String defaultPluginSocket() {
        return "root".equals(System.getProperty("user.name")) ? "/run/docker/plugins/mooring.sock" : "none";
    }

    private static Settings.PolicySettings policy(SettingsReader reader) {
        return new Settings.PolicySettings(
                new PodGrants(
                        reader.value(SettingsTable.POLICY_PRIVILEGED).orElse(Set.of()),
                        reader.value(SettingsTable.POLICY_HOST_PATH).orElse(List.of()),
                        reader.value(SettingsTable.POLICY_NFS).orElse(List.of()),
                        reader.value(SettingsTable.POLICY_RESERVED_PORTS).orElse(Set.of())),
                new NamespaceDefaults(
                        reader.value(SettingsTable.POLICY_POD_SECURITY),
                        reader.value(SettingsTable.POLICY_NO_NEW_PRIVILEGES).orElse(Set.of()),
                        reader.value(SettingsTable.POLICY_DEFAULT_MEMORY).orElse(Map.of()),
                        reader.value(SettingsTable.POLICY_ALWAYS_PULL_IMAGES)),
                reader.value(SettingsTable.POLICY_ADMIN_PATHS).orElse(List.of()));
    }

    private static OptionalLong optionalLong(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    /**
     * Sources of settings, lowest precedence first: the configuration file, the environment, flags.
     *
     * @param file must exist if given
     * @param environment all variables; only those with the prefix MOORING_, and few others, are used
     * @param flags values by setting key; an absent flag has no entry
     * @param hostName of this machine, for the default of {@code node}
     */
    public record SettingsSources(
            Optional<Path> file, Map<String, String> environment, Map<String, String> flags, String hostName) {}
}
