package dev.mooring.cli.config;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.policy.PodGrants;
import dev.mooring.cli.ExitCode;
import dev.mooring.cli.MooringException;
import io.vertx.config.ConfigRetriever;
import io.vertx.config.ConfigRetrieverOptions;
import io.vertx.config.ConfigStoreOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reads settings through Vert.x Config. Every source is retrieved by itself rather than merged by Vert.x, because an error
 * must name the source it came from. All problems are reported at once, not one per start.
 */
public final class SettingsLoader {
    /** Settings, and what the user should be told once logging is set up. */
    public record Loaded(Settings settings, List<String> warnings) {}

    private final Vertx vertx;
    private final SettingsSources sources;

    public SettingsLoader(Vertx vertx, SettingsSources sources) {
        this.vertx = vertx;
        this.sources = sources;
    }

    /** Fails with a {@link MooringException} that lists everything that is wrong. */
    public Future<Loaded> load() {
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
            return new Loaded(settings, List.copyOf(reader.warnings()));
        });
    }

    private Future<JsonObject> readFile(Path path) {
        if (!Files.isReadable(path) || Files.isDirectory(path)) {
            return Future.failedFuture(new MooringException(
                    ExitCode.USAGE,
                    "Expected a readable configuration file at " + path
                            + ", but there is none; next: correct --config (or MOORING_CONFIG)"));
        }
        JsonObject location = new JsonObject().put("path", path.toAbsolutePath().toString());
        return retrieve(new ConfigStoreOptions()
                        .setType("file")
                        .setFormat("yaml")
                        .setConfig(location))
                .recover(cause -> Future.failedFuture(new MooringException(
                        ExitCode.USAGE,
                        "Expected settings in YAML in " + path + ", but it cannot be read as such: "
                                + cause.getMessage() + "; next: correct the file",
                        cause)));
    }

    /** Handed in rather than read by a store of type "env", which would see the variables of this process only. */
    private ConfigStoreOptions environmentStore() {
        JsonObject variables = new JsonObject();
        sources.environment().forEach((name, value) -> {
            if (Setting.isEnvironmentName(name) || SettingsTable.MINIK8S_NAMES.containsKey(name)) {
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
                        // Settings are read once; looking for changes would keep an idle server awake.
                        .setScanPeriod(-1)
                        .addStore(store));
        return retriever.getConfig().eventually(retriever::close);
    }

    private Settings build(SettingsReader reader) {
        Path data = reader.value(SettingsTable.DATA);
        Settings settings = new Settings(
                data,
                reader.value(SettingsTable.NODE, sources.hostName().toLowerCase(Locale.ROOT)),
                reader.value(SettingsTable.LISTEN),
                reader.value(SettingsTable.KUBECONFIG, data + "/kubeconfig"),
                reader.value(SettingsTable.WITHOUT).orElse(Set.of()),
                new ApiSettings(
                        reader.value(SettingsTable.API_PLAIN_LISTEN),
                        reader.value(SettingsTable.API_REQUESTS_PER_SECOND),
                        reader.value(SettingsTable.API_REQUEST_BURST),
                        new ApiLimits(
                                reader.value(SettingsTable.API_MAX_WATCHES),
                                reader.value(SettingsTable.API_BODY_TIMEOUT),
                                reader.value(SettingsTable.API_IDLE_TIMEOUT),
                                reader.value(SettingsTable.API_WATCH_TICK))),
                new EventSettings(reader.value(SettingsTable.EVENTS_TTL)),
                volumes(reader, data),
                containers(reader),
                policy(reader),
                new LogSettings(
                        reader.value(SettingsTable.LOG_KIND),
                        reader.value(SettingsTable.LOG_SEGMENT_BYTES),
                        reader.value(SettingsTable.LOG_SNAPSHOT_EVERY_BYTES),
                        reader.value(SettingsTable.LOG_SNAPSHOT_EVERY),
                        reader.value(SettingsTable.LOG_RETENTION_MAX_AGE),
                        optionalLong(reader.value(SettingsTable.LOG_RETENTION_MAX_BYTES)),
                        reader.value(SettingsTable.LOG_BATCH_MAX_RECORDS),
                        Math.toIntExact(reader.value(SettingsTable.LOG_BATCH_MAX_BYTES))),
                new LedgerSettings(reader.value(SettingsTable.LEDGER_MAX_PENDING)),
                new WatchSettings(
                        reader.value(SettingsTable.WATCH_BUFFER_EVENTS),
                        reader.value(SettingsTable.WATCH_BUFFER_BYTES)),
                new ChaosSettings(reader.value(SettingsTable.CHAOS_ENABLED)),
                new LoggingSettings(
                        reader.value(SettingsTable.LOGGING_FORMAT),
                        reader.value(SettingsTable.LOGGING_LEVEL),
                        reader.value(SettingsTable.LOGGING_COLOR)));
        LogSettings log = settings.log();
        if (log.batchMaxBytes() > log.segmentBytes()) {
            reader.problem("Expected log.batch.maxBytes to be at most log.segmentBytes ("
                    + ByteSize.format(log.segmentBytes()) + "), but it is " + ByteSize.format(log.batchMaxBytes())
                    + "; next: make batches smaller or segments larger");
        }
        return settings;
    }

    private static VolumeSettings volumes(SettingsReader reader, Path data) {
        return new VolumeSettings(
                reader.value(SettingsTable.VOLUMES_ROOT, data.toString())
                        .toAbsolutePath()
                        .normalize(),
                reader.value(SettingsTable.VOLUMES_BASE, data + "/volumes")
                        .toAbsolutePath()
                        .normalize(),
                reader.value(SettingsTable.VOLUMES_ALLOWED_BASES).orElse(List.of()),
                reader.value(SettingsTable.VOLUMES_DISCOVERY).orElse(List.of()),
                reader.value(SettingsTable.VOLUMES_DEADLINE),
                new VolumeSettings.Nfs(
                        reader.value(SettingsTable.NFS_SERVER),
                        reader.value(SettingsTable.NFS_SHARE),
                        reader.value(SettingsTable.NFS_IS_SERVER)));
    }

    private static ContainerSettings containers(SettingsReader reader) {
        return new ContainerSettings(
                reader.value(SettingsTable.RUNTIME),
                reader.value(SettingsTable.DOCKER_HOST, "unix:///var/run/docker.sock"),
                reader.value(SettingsTable.DOCKER_TLS_DIRECTORY, "none"),
                reader.value(SettingsTable.DOCKER_DEADLINE),
                reader.value(SettingsTable.DOCKER_PAUSE_IMAGE, "none"));
    }

    private static PolicySettings policy(SettingsReader reader) {
        return new PolicySettings(
                new PodGrants(
                        reader.value(SettingsTable.POLICY_PRIVILEGED).orElse(Set.of()),
                        reader.value(SettingsTable.POLICY_HOST_PATH).orElse(List.of())),
                reader.value(SettingsTable.POLICY_ADMIN_PATHS).orElse(List.of()));
    }

    private static OptionalLong optionalLong(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
