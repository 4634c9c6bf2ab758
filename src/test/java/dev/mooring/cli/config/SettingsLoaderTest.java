package dev.mooring.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.policy.PodGrants;
import dev.mooring.cli.ExitCode;
import dev.mooring.cli.MooringException;
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
    void takesTheVariablesOfMinik8s() {
        VolumeSettings.Nfs nfs = load(
                        "nfs: {server: nas}", Map.of("NFS_SERVER", "10.0.0.9", "IS_NFS_SERVER", "true"), Map.of())
                .settings()
                .volumes()
                .nfs();

        assertThat(nfs).isEqualTo(new VolumeSettings.Nfs("10.0.0.9", Path.of("/srv/nfs"), true));
    }

    @Test
    void readsWhereVolumesMayBe() {
        VolumeSettings volumes = load(
                        "volumes: {base: /data/v, allowedBases: '/mnt/a,/mnt/b', discovery:"
                                + " '/mnt/disks=local+mounts+wipe,/mnt/x=fast'}",
                        Map.of(),
                        Map.of())
                .settings()
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
    void refusesPlacesThatDependOnWhereTheServerIsStarted() {
        assertThatThrownBy(() -> load("volumes: {allowedBases: 'mnt/a', discovery: 'disks=local'}", Map.of(), Map.of()))
                .hasMessageContaining("volumes.allowedBases")
                .hasMessageContaining("volumes.discovery");
    }

    @Test
    void shouldHaveDefaultsForEverything() {
        Settings settings = load("", Map.of(), Map.of()).settings();

        assertThat(settings)
                .isEqualTo(new Settings(
                        Path.of("var"),
                        "myhost.example",
                        new ListenAddress("127.0.0.1", 7443),
                        Path.of("var/kubeconfig"),
                        Set.of(),
                        new ApiSettings(
                                Optional.empty(),
                                500,
                                1000,
                                new ApiLimits(
                                        10_000,
                                        Duration.ofSeconds(60),
                                        Duration.ofSeconds(180),
                                        Duration.ofSeconds(60))),
                        new EventSettings(Duration.ofHours(24)),
                        new VolumeSettings(
                                Path.of("var").toAbsolutePath(),
                                Path.of("var/volumes").toAbsolutePath(),
                                List.of(),
                                List.of(),
                                Duration.ofMinutes(2),
                                new VolumeSettings.Nfs("localhost", Path.of("/srv/nfs"), false)),
                        new ContainerSettings(
                                ContainerSettings.Runtime.DOCKER,
                                "unix:///var/run/docker.sock",
                                Optional.empty(),
                                Duration.ofMinutes(2),
                                Optional.empty()),
                        new PolicySettings(PodGrants.NOTHING, List.of()),
                        new LogSettings(
                                LogSettings.Kind.FILE,
                                64 << 20,
                                64 << 20,
                                Duration.ofHours(1),
                                Optional.empty(),
                                OptionalLong.empty(),
                                4096,
                                512 << 10),
                        new LedgerSettings(10_000),
                        new WatchSettings(16_384, 32 << 20),
                        new ChaosSettings(false),
                        new LoggingSettings(
                                LoggingSettings.Format.TEXT, LoggingSettings.Level.INFO, LoggingSettings.Color.AUTO)));
    }

    @Test
    void reachesDockerAsDockerItselfDoesUnlessTold() {
        Map<String, String> docker = Map.of(
                "DOCKER_HOST", "tcp://10.0.0.9:2376", "DOCKER_TLS_VERIFY", "1", "DOCKER_CERT_PATH", "/root/.docker");
        ContainerSettings told = load(
                        "docker: {host: 'unix:///run/x.sock', tlsDirectory: none, pauseImage: 'pause:3'}",
                        docker,
                        Map.of("runtime", "none"))
                .settings()
                .containers();
        ContainerSettings untold = load("", docker, Map.of()).settings().containers();
        ContainerSettings unverified = load("", Map.of("DOCKER_CERT_PATH", "/root/.docker"), Map.of())
                .settings()
                .containers();

        assertThat(told)
                .isEqualTo(new ContainerSettings(
                        ContainerSettings.Runtime.NONE,
                        "unix:///run/x.sock",
                        Optional.empty(),
                        Duration.ofMinutes(2),
                        Optional.of("pause:3")));
        assertThat(told.socket()).contains(Path.of("/run/x.sock"));
        assertThat(untold.host()).isEqualTo("tcp://10.0.0.9:2376");
        assertThat(untold.socket()).isEmpty();
        assertThat(untold.tlsDirectory()).contains(Path.of("/root/.docker"));
        assertThat(unverified.tlsDirectory()).isEmpty();
        assertThat(load("", Map.of("DOCKER_HOST", "tcp://a:1", "MOORING_DOCKER_HOST", "tcp://b:2"), Map.of())
                        .settings()
                        .containers()
                        .host())
                .isEqualTo("tcp://b:2");
    }

    @Test
    void namesTheVariableOfDockerThatIsWrong() {
        assertThat(refuse("", Map.of("DOCKER_HOST", "ssh://nas"), Map.of()))
                .hasMessageContaining("Expected docker.host to be unix:///PATH or tcp://HOST:PORT, but the environment"
                        + " (DOCKER_HOST) says \"ssh://nas\"");
    }

    @Test
    void readsWhatPodsMayHaveOfTheMachine() {
        PolicySettings policy = load(
                        "policy: {privileged: 'a, kube-system', hostPath: 'a=/srv/a,*=/srv/all,a=/srv/b', adminPaths:"
                                + " '/var/run/docker.sock'}",
                        Map.of(),
                        Map.of())
                .settings()
                .policy();

        assertThat(policy)
                .isEqualTo(new PolicySettings(
                        new PodGrants(
                                Set.of("a", "kube-system"),
                                List.of(
                                        new PodGrants.Prefix("a", Path.of("/srv/a")),
                                        new PodGrants.Prefix("*", Path.of("/srv/all")),
                                        new PodGrants.Prefix("a", Path.of("/srv/b")))),
                        List.of(Path.of("/var/run/docker.sock"))));
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource({
        "runtime, podman",
        "docker.host, /var/run/docker.sock",
        "docker.host, unix://docker.sock",
        "docker.host, tcp://nas",
        "docker.host, tcp://nas:0",
        "docker.pauseImage, a b",
        "policy.privileged, A",
        "policy.privileged, 'a,,b'",
        "policy.hostPath, /srv",
        "policy.hostPath, =/srv",
        "policy.hostPath, a=srv",
        "policy.hostPath, a=/srv/../etc",
        "policy.hostPath, a_b=/srv",
        "policy.adminPaths, run",
    })
    void refusesWhatNamesNoEngineNamespaceOrPlace(String key, String value) {
        String variable = "MOORING_" + key.replace('.', '_').toUpperCase(Locale.ROOT);

        assertThat(refuse("", Map.of(variable, value), Map.of())).hasMessageContaining("Expected " + key + " to be ");
    }

    @Test
    void shouldLetEnvironmentBeatFileAndFlagsBeatBoth() {
        String file = "listen: 127.0.0.1:1\nnode: from-file\nlog: {snapshot: {everyBytes: 1Mi}}\n";
        Map<String, String> environment = Map.of(
                "MOORING_LISTEN", "127.0.0.1:2", "MOORING_NODE", "from-env", "mooring_log_snapshot_everyBytes", "2Mi");

        Settings settings =
                load(file, environment, Map.of("listen", "127.0.0.1:3")).settings();

        assertThat(settings.listen().port()).isEqualTo(3);
        assertThat(settings.node()).isEqualTo("from-env");
        assertThat(settings.log().snapshotEveryBytes()).isEqualTo(2 << 20);
        assertThat(load(file, Map.of(), Map.of()).settings().node()).isEqualTo("from-file");
    }

    @Test
    void shouldPutTheKubeconfigIntoTheDataDirectoryUnlessTold() {
        assertThat(load("", Map.of(), Map.of("data", "/d")).settings().kubeconfig())
                .isEqualTo(Path.of("/d/kubeconfig"));
        assertThat(load("", Map.of(), Map.of("data", "/d", "kubeconfig", "/k"))
                        .settings()
                        .kubeconfig())
                .isEqualTo(Path.of("/k"));
    }

    @Test
    void shouldReadRetentionAndTreatNoneAsKeepAll() {
        LogSettings limited = load("log: {retention: {maxAge: 7d, maxBytes: 1Gi}}", Map.of(), Map.of())
                .settings()
                .log();
        LogSettings lifted = load(
                        "log: {retention: {maxAge: 7d}}", Map.of("MOORING_LOG_RETENTION_MAXAGE", "none"), Map.of())
                .settings()
                .log();

        assertThat(limited.retentionMaxAge()).contains(Duration.ofDays(7));
        assertThat(limited.retentionMaxBytes()).hasValue(1L << 30);
        assertThat(lifted.retentionMaxAge()).isEmpty();
    }

    @Test
    void shouldNameUnknownKeyFileAndNearestKey() {
        MooringException thrown = refuse("log: {segmentByte: 64Mi}", Map.of(), Map.of());

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
    void shouldNameSettingValueAllowedAndSource(String key, String value, String allowed) {
        String variable = "MOORING_" + key.replace('.', '_').toUpperCase(Locale.ROOT);

        MooringException thrown = refuse("", Map.of(variable, value), Map.of());

        assertThat(thrown)
                .hasMessageContaining("Expected " + key + " to be " + allowed)
                .hasMessageContaining("the environment (" + variable + ") says \"" + value + "\"");
    }

    @Test
    void shouldReportAllProblemsAtOnce() {
        MooringException thrown =
                refuse("nodes: x\nlisten: nowhere\n", Map.of("MOORING_LEDGER_MAXPENDING", "-1"), Map.of("node", "A"));

        assertThat(thrown.getMessage().lines()).hasSize(4);
        assertThat(thrown).hasMessageContaining("--node says \"A\"").hasMessageContaining("did you mean node?");
    }

    @Test
    void shouldSayThatEtcdIsNotAvailable() {
        MooringException thrown = refuse("", Map.of(), Map.of("log.kind", "etcd://127.0.0.1:2379"));

        assertThat(thrown).hasMessageContaining("--log says").hasMessageContaining("not available in this version");
    }

    @Test
    void shouldRefuseBatchesLargerThanSegments() {
        MooringException thrown = refuse("log: {segmentBytes: 64Ki, batch: {maxBytes: 128Ki}}", Map.of(), Map.of());

        assertThat(thrown).hasMessageContaining("at most log.segmentBytes (64Ki), but it is 128Ki");
    }

    @Test
    void shouldSayWhereYamlIsBroken() {
        assertThat(refuse("listen: [", Map.of(), Map.of()))
                .hasMessageContaining("Expected settings in YAML in")
                .hasMessageContaining("line 1");
        assertThat(refuse("just text", Map.of(), Map.of())).hasMessageContaining("Expected settings in YAML in");
    }

    @Test
    void shouldRefuseMissingFile() {
        SettingsSources sources =
                new SettingsSources(Optional.of(directory.resolve("absent.yaml")), Map.of(), Map.of(), "h");

        MooringException thrown = catchThrowableOfType(
                MooringException.class,
                () -> new SettingsLoader(vertx, sources).load().await());

        assertThat(thrown).hasMessageContaining("absent.yaml");
    }

    @Test
    void shouldWarnOfUnknownVariablesAndIgnoreForeignOnes() {
        SettingsLoader.Loaded loaded = load(
                "",
                Map.of("MOORING_LISTN", "x", "PATH", "/bin", "MOORING_OPTS", "-Xmx1g", "MOORING_NODE", ""),
                Map.of());

        assertThat(loaded.warnings()).singleElement().asString().contains("MOORING_LISTN", "did you mean listen?");
        assertThat(loaded.settings().node()).isEqualTo("myhost.example");
    }

    @Test
    void shippedFileShouldShowEverySettingWithItsDefault() throws IOException {
        Path shipped = Path.of("conf/mooring.yaml");
        Map<String, String> shown = new LinkedHashMap<>();
        flatten(shown, "", new Yaml().load(Files.readString(shipped)));
        Map<String, String> known = new LinkedHashMap<>();
        SettingsTable.ALL.forEach(setting -> known.put(setting.key(), setting.defaultText()));

        assertThat(shown).isEqualTo(known);
        assertThat(load(Files.readString(shipped), Map.of(), Map.of()).settings())
                .isEqualTo(load("", Map.of(), Map.of()).settings());
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

    private MooringException refuse(String file, Map<String, String> environment, Map<String, String> flags) {
        return catchThrowableOfType(MooringException.class, () -> load(file, environment, flags));
    }

    private SettingsLoader.Loaded load(String file, Map<String, String> environment, Map<String, String> flags) {
        Path path = directory.resolve("mooring.yaml");
        try {
            Files.writeString(path, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        SettingsSources sources = new SettingsSources(Optional.of(path), environment, flags, "MyHost.Example");
        return new SettingsLoader(vertx, sources).load().await();
    }
}
