package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.auth.AuditLog;
import dev.mooring.api.policy.NamespaceDefaults;
import dev.mooring.api.policy.PodGrants;
import dev.mooring.model.ServiceRange;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

class SettingsLoaderTest {
    private static Vertx vertx;

    @TempDir
    private Path directory;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void close() {
        vertx.close().await();
    }

    @Test
    void nfs_minik8sVariables_overrideTheFile() {
        Settings.VolumeSettings.Nfs nfs = load(
                        "nfs: {server: nas}", Map.of("NFS_SERVER", "10.0.0.9", "IS_NFS_SERVER", "true"), Map.of())
                .volumes()
                .nfs();

        assertThat(nfs).isEqualTo(new Settings.VolumeSettings.Nfs("10.0.0.9", Path.of("/srv/nfs"), true));
    }

    @Test
    void volumes_basesAndDiscovery_areRead() {
        Settings.VolumeSettings volumes = load(
                        "volumes: {base: /data/v, allowedBases: '/mnt/a,/mnt/b', discovery:"
                                + " '/mnt/disks=local+mounts+wipe,/mnt/x=fast'}",
                        Map.of(),
                        Map.of())
                .volumes();

        assertThat(volumes.base()).isEqualTo(Path.of("/data/v"));
        assertThat(volumes.allowedBases()).containsExactly(Path.of("/mnt/a"), Path.of("/mnt/b"));
        assertThat(volumes.discovery())
                .containsExactly(
                        new DiscoverySettings(
                                Path.of("/mnt/disks"),
                                "local",
                                List.of(DiscoverySettings.Option.MOUNTS, DiscoverySettings.Option.WIPE)),
                        new DiscoverySettings(Path.of("/mnt/x"), "fast", List.of()));
    }

    @Test
    void volumes_relativePaths_areRejected() {
        assertThatThrownBy(() -> load("volumes: {allowedBases: 'mnt/a', discovery: 'disks=local'}", Map.of(), Map.of()))
                .hasMessageContaining("volumes.allowedBases")
                .hasMessageContaining("volumes.discovery");
    }

    @Test
    void settings_emptyFile_haveDefaults() {
        Settings settings = load("", Map.of(), Map.of());

        assertThat(settings)
                .isEqualTo(new Settings(
                        Path.of("var"),
                        "myhost.example",
                        Settings.NodeIdentity.KEEP,
                        new ListenAddress("127.0.0.1", 7443),
                        Path.of("var/kubeconfig"),
                        Set.of(),
                        new Settings.ApiSettings(
                                Optional.empty(),
                                500,
                                1000,
                                new ApiLimits(
                                        10_000,
                                        512,
                                        4096,
                                        25,
                                        Duration.ofSeconds(60),
                                        Duration.ofSeconds(180),
                                        Duration.ofSeconds(30),
                                        Duration.ofSeconds(60))),
                        new Settings.AuditSettings(
                                AuditLog.AuditLevel.METADATA, Path.of("var/audit/audit.log"), 32 << 20, 8),
                        new Settings.EventSettings(Duration.ofHours(24)),
                        new Settings.QuotaSettings(Optional.of(10_000), Optional.of(64L << 20)),
                        new Settings.VolumeSettings(
                                Path.of("var").toAbsolutePath(),
                                Path.of("var/volumes").toAbsolutePath(),
                                List.of(),
                                List.of(),
                                Duration.ofMinutes(2),
                                new Settings.VolumeSettings.Nfs("localhost", Path.of("/srv/nfs"), false)),
                        new Settings.ContainerSettings(
                                Settings.ContainerSettings.Runtime.DOCKER,
                                "unix:///var/run/docker.sock",
                                Optional.empty(),
                                Duration.ofMinutes(2),
                                Optional.empty(),
                                Optional.of(4096),
                                Optional.of(ServiceRange.DEFAULT),
                                volumeDriver()),
                        new Settings.PolicySettings(PodGrants.NOTHING, NamespaceDefaults.NONE, List.of()),
                        new Settings.LogSettings(
                                Settings.LogSettings.LogKind.FILE,
                                64 << 20,
                                64 << 20,
                                Duration.ofHours(1),
                                Optional.empty(),
                                OptionalLong.empty(),
                                4096,
                                512 << 10,
                                Optional.empty()),
                        new Settings.LedgerSettings(10_000),
                        new Settings.WatchSettings(16_384, 32 << 20),
                        new Settings.UiSettings(true),
                        new Settings.ChaosSettings(false),
                        new Settings.LoggingSettings(
                                Settings.LoggingSettings.Format.TEXT,
                                Settings.LoggingSettings.LogLevel.INFO,
                                Settings.LoggingSettings.Color.AUTO),
                        settings.texts()));
        assertThat(settings.texts()).containsEntry("log.kind", "file").hasSameSizeAs(SettingsTable.ALL);
    }

    private static Settings.ContainerSettings.VolumeDriverSettings volumeDriver() {
        return new Settings.ContainerSettings.VolumeDriverSettings(
                Optional.of(Path.of("/run/docker/plugins/mooring.sock"))
                        .filter(path -> System.getProperty("user.name").equals("root")),
                "default",
                1L << 30,
                Duration.ofSeconds(30));
    }

    @Test
    void docker_variablesOfTheDockerClient_areUsedUnlessConfigured() {
        Map<String, String> docker = Map.of(
                "DOCKER_HOST", "tcp://10.0.0.9:2376", "DOCKER_TLS_VERIFY", "1", "DOCKER_CERT_PATH", "/root/.docker");
        Settings.ContainerSettings configured = load(
                        "docker: {host: 'unix:///run/x.sock', tlsDirectory: none, pauseImage: 'pause:3', pidsLimit:"
                                + " none}",
                        docker,
                        Map.of("runtime", "none"))
                .containers();
        Settings.ContainerSettings fromVariables = load("", docker, Map.of()).containers();
        Settings.ContainerSettings withoutTlsVerify =
                load("", Map.of("DOCKER_CERT_PATH", "/root/.docker"), Map.of()).containers();

        assertThat(configured)
                .isEqualTo(new Settings.ContainerSettings(
                        Settings.ContainerSettings.Runtime.NONE,
                        "unix:///run/x.sock",
                        Optional.empty(),
                        Duration.ofMinutes(2),
                        Optional.of("pause:3"),
                        Optional.empty(),
                        Optional.of(ServiceRange.DEFAULT),
                        volumeDriver()));
        assertThat(configured.socket()).contains(Path.of("/run/x.sock"));
        assertThat(fromVariables.host()).isEqualTo("tcp://10.0.0.9:2376");
        assertThat(fromVariables.socket()).isEmpty();
        assertThat(fromVariables.tlsDirectory()).contains(Path.of("/root/.docker"));
        assertThat(withoutTlsVerify.tlsDirectory()).isEmpty();
        assertThat(load("", Map.of("DOCKER_HOST", "tcp://a:1", "MOORING_DOCKER_HOST", "tcp://b:2"), Map.of())
                        .containers()
                        .host())
                .isEqualTo("tcp://b:2");
    }

    @Test
    void dockerHost_invalidVariable_isNamed() {
        assertThat(failure("", Map.of("DOCKER_HOST", "ssh://nas"), Map.of()))
                .hasMessageContaining("docker.host must be unix:///PATH or tcp://HOST:PORT, got \"ssh://nas\" from the"
                        + " environment (DOCKER_HOST)");
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource({
        "runtime, podman",
        "docker.host, /var/run/docker.sock",
        "docker.host, unix://docker.sock",
        "docker.host, tcp://nas",
        "docker.host, tcp://nas:0",
        "docker.pauseImage, a b",
    })
    void docker_invalidValue_isRejectedWithItsKey(String key, String value) {
        String variable = "MOORING_" + key.replace('.', '_').toUpperCase(Locale.ROOT);

        assertThat(failure("", Map.of(variable, value), Map.of())).hasMessageContaining(key + " must be ");
    }

    @Test
    void settings_flagsOverrideEnvironmentOverridesFile() {
        String file = "listen: 127.0.0.1:1\nnode: from-file\nlog: {snapshot: {everyBytes: 1Mi}}\n";
        Map<String, String> environment = Map.of(
                "MOORING_LISTEN", "127.0.0.1:2", "MOORING_NODE", "from-env", "mooring_log_snapshot_everyBytes", "2Mi");

        Settings settings = load(file, environment, Map.of("listen", "127.0.0.1:3"));

        assertThat(settings.listen().port()).isEqualTo(3);
        assertThat(settings.node()).isEqualTo("from-env");
        assertThat(settings.log().snapshotEveryBytes()).isEqualTo(2 << 20);
        assertThat(load(file, Map.of(), Map.of()).node()).isEqualTo("from-file");
    }

    @Test
    void kubeconfig_notConfigured_isInTheDataDirectory() {
        assertThat(load("", Map.of(), Map.of("data", "/d")).kubeconfig()).isEqualTo(Path.of("/d/kubeconfig"));
        assertThat(load("", Map.of(), Map.of("data", "/d", "server.kubeconfig", "/k"))
                        .kubeconfig())
                .isEqualTo(Path.of("/k"));
    }

    @Test
    void logRetention_none_keepsEverything() {
        Settings.LogSettings limited = load("log: {retention: {maxAge: 7d, maxBytes: 1Gi}}", Map.of(), Map.of())
                .log();
        Settings.LogSettings unlimited = load(
                        "log: {retention: {maxAge: 7d}}", Map.of("MOORING_LOG_RETENTION_MAXAGE", "none"), Map.of())
                .log();

        assertThat(limited.retentionMaxAge()).contains(Duration.ofDays(7));
        assertThat(limited.retentionMaxBytes()).hasValue(1L << 30);
        assertThat(unlimited.retentionMaxAge()).isEmpty();
    }

    @Test
    void settings_unknownKey_namesKeyFileAndNearestKey() {
        MooringException thrown = failure("log: {segmentByte: 64Mi}", Map.of(), Map.of());

        assertThat(thrown.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(thrown)
                .hasMessageContaining("\"log.segmentByte\"")
                .hasMessageContaining("mooring.yaml")
                .hasMessageContaining("did you mean log.segmentBytes?");
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource({
        "log.segmentBytes, 64XB, a size from 64Ki to 1Gi",
        "log.segmentBytes, 2Gi, a size from 64Ki to 1Gi",
        "log.snapshot.every, 60, a duration from 1s",
        "log.batch.maxRecords, 0, a whole number from 1",
        "log.batch.maxRecords, many, a whole number from 1",
        "listen, localhost, HOST:PORT",
        "listen, 127.0.0.1:70000, HOST:PORT",
        "node, Not_A_Name, a name of lower case letters",
        "logging.format, xml, 'one of text, json'",
        "log.kind, tape, file",
    })
    void settings_invalidValue_namesKeyValueAllowedValuesAndSource(String key, String value, String allowed) {
        String variable = "MOORING_" + key.replace('.', '_').toUpperCase(Locale.ROOT);

        MooringException thrown = failure("", Map.of(variable, value), Map.of());

        assertThat(thrown)
                .hasMessageContaining(key + " must be " + allowed)
                .hasMessageContaining("got \"" + value + "\" from the environment (" + variable + ")");
    }

    @Test
    void settings_severalProblems_areAllReported() {
        MooringException thrown =
                failure("nodes: x\nlisten: nowhere\n", Map.of("MOORING_LEDGER_MAXPENDING", "-1"), Map.of("node", "A"));

        assertThat(thrown.getMessage().lines()).hasSize(4);
        assertThat(thrown).hasMessageContaining("got \"A\" from --node;").hasMessageContaining("did you mean node?");
    }

    @Test
    void logKind_etcd_isNotAvailable() {
        MooringException thrown = failure("", Map.of(), Map.of("log.kind", "etcd://127.0.0.1:2379"));

        assertThat(thrown).hasMessageContaining("from --log;").hasMessageContaining("not available in this version");
    }

    @Test
    void logBatch_largerThanSegment_isRejected() {
        MooringException thrown = failure("log: {segmentBytes: 64Ki, batch: {maxBytes: 128Ki}}", Map.of(), Map.of());

        assertThat(thrown).hasMessageContaining("at most log.segmentBytes (64Ki), got 128Ki");
    }

    @Test
    void file_invalidYaml_namesTheLine() {
        assertThat(failure("listen: [", Map.of(), Map.of()))
                .hasMessageContaining("as settings in YAML: ")
                .hasMessageContaining("line 1");
        assertThat(failure("just text", Map.of(), Map.of())).hasMessageContaining("as settings in YAML: ");
    }

    @Test
    void file_missing_isRejected() {
        SettingsLoader.SettingsSources sources = new SettingsLoader.SettingsSources(
                Optional.of(directory.resolve("absent.yaml")), Map.of(), Map.of(), "h");

        MooringException thrown = catchThrowableOfType(
                MooringException.class,
                () -> new SettingsLoader(vertx, sources).load().await());

        assertThat(thrown).hasMessageContaining("absent.yaml");
    }

    @Test
    void environment_unknownMooringVariable_isRejected() {
        assertThat(failure("", Map.of("MOORING_LISTN", "x"), Map.of()))
                .hasMessageContaining("MOORING_LISTN in the environment; next: did you mean MOORING_LISTEN?");
        assertThat(failure("", Map.of("MOORING_SOMETHING_ELSE", "x"), Map.of()))
                .hasMessageContaining("Unknown setting MOORING_SOMETHING_ELSE in the environment; next: unset it");
    }

    @Test
    void environment_variablesOfOtherPrograms_areIgnored() {
        Settings loaded = load(
                "",
                Map.of(
                        "PATH", "/bin",
                        "MOORING_OPTS", "-Xmx1g",
                        "MOORING_NODE", "",
                        "MOORING_KUBECONFIG", "/home/me/other-server",
                        "KUBECONFIG", "/home/me/.kube/config"),
                Map.of());

        assertThat(loaded.node()).isEqualTo("myhost.example");
        assertThat(loaded.kubeconfig()).isEqualTo(Path.of("var/kubeconfig"));
    }

    @Test
    void shippedFile_containsEverySettingWithItsDefault() throws IOException {
        Path shipped = Path.of("conf/mooring.yaml");
        Map<String, String> inFile = new LinkedHashMap<>();
        flatten(inFile, "", new Yaml().load(Files.readString(shipped)));
        Map<String, String> known = new LinkedHashMap<>();
        SettingsTable.ALL.forEach(setting -> known.put(setting.key(), setting.defaultText()));

        assertThat(inFile).isEqualTo(known);
        assertThat(load(Files.readString(shipped), Map.of(), Map.of())).isEqualTo(load("", Map.of(), Map.of()));
    }

    private static void flatten(Map<String, String> flat, String prefix, Map<String, Object> content) {
        content.forEach((name, value) -> {
            if (value instanceof Map<?, ?> nested) {
                Map<String, Object> named = new LinkedHashMap<>();
                nested.forEach((key, item) -> named.put((String) key, item));
                flatten(flat, prefix + name + ".", named);
            } else {
                flat.put(prefix + name, value == null ? "" : value.toString());
            }
        });
    }

    private MooringException failure(String file, Map<String, String> environment, Map<String, String> flags) {
        return catchThrowableOfType(MooringException.class, () -> load(file, environment, flags));
    }

    private Settings load(String file, Map<String, String> environment, Map<String, String> flags) {
        return load(vertx, directory, file, environment, flags);
    }

    static Settings load(
            Vertx vertx, Path directory, String file, Map<String, String> environment, Map<String, String> flags) {
        Path path = directory.resolve("mooring.yaml");
        try {
            Files.writeString(path, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        SettingsLoader.SettingsSources sources =
                new SettingsLoader.SettingsSources(Optional.of(path), environment, flags, "MyHost.Example");
        return new SettingsLoader(vertx, sources).load().await();
    }
}
