package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.ACTUAL;
import static dev.mooring.engine.MooringClient.CLAIMS;
import static dev.mooring.engine.MooringClient.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.MountTable;
import dev.mooring.testing.RealEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests claims as volumes of {@code docker run} and compose: on an engine of its own, with a server process that is
 * killed. The directory of plugins is shared with all engines of the machine, so the driver has a name of its own.
 */
@Timeout(600)
class DockerVolumesTest {
    private static final Path PLUGINS = Path.of("/run/docker/plugins");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Appends numbered lines, each synced to disk; fails if the file has lost a line. */
    private static final String DATABASE = """
        set -e; touch /data/log; n=$(wc -l < /data/log); [ "$(tail -n 1 /data/log)" = "$n" ] || [ $n = 0 ]
        for i in 1 2 3 4 5; do n=$((n+1)); echo $n | dd of=/data/log oflag=append conv=notrunc,fsync 2>/dev/null; done
        cat /data/log | wc -l\
        """;

    /** One name for all tests: an engine waits for every driver that it has used. */
    private static final String DRIVER =
            "mooring-" + ProcessHandle.current().pid() + '-' + Long.toHexString(System.nanoTime());

    private static RealEngine engine;

    @TempDir
    private Path directory;

    private Path data;
    private MooringProcess mooring;

    /** The output of a program that has ended. */
    private record Ended(int code, String output) {
        private Ended requireSuccess() {
            assertThat(code).as(output).isZero();
            return this;
        }

        private String lastLine() {
            return output.substring(output.lastIndexOf('\n') + 1);
        }
    }

    @BeforeEach
    void start() throws IOException {
        synchronized (DockerVolumesTest.class) {
            engine = engine == null ? RealEngine.own() : engine;
        }
        data = directory.toRealPath().resolve("data");
        Files.createDirectories(PLUGINS);
        mooring = new MooringProcess(
                data,
                directory.resolve("stderr"),
                engine.host(),
                Map.of(
                        "MOORING_DOCKER_PLUGINSOCKET",
                        PLUGINS.resolve(DRIVER + ".sock").toString()));
        launch();
    }

    private void launch() throws IOException {
        mooring.launch();
        mooring.awaitReady();
        Eventually.await("volume driver", this::isServed, served -> served);
    }

    private boolean isServed() {
        try {
            return mooring.errorOutput()
                            .lines()
                            .filter(each -> each.contains("Serving Docker's volume driver"))
                            .count()
                    == mooring.launches();
        } catch (IOException e) {
            return false;
        }
    }

    @AfterAll
    static void removeEngine() {
        if (engine != null) {
            engine.close();
        }
    }

    @AfterEach
    void removeEverything() throws Exception {
        if (mooring == null) {
            return;
        }
        try (MooringProcess ending = mooring) {
            removeAll(ending);
        }
    }

    private void removeAll(MooringProcess ending) throws Exception {
        for (String id : docker("ps", "-aq").output().lines().toList()) {
            docker("rm", "-f", id);
        }
        for (String name : docker("volume", "ls", "-q", "--filter", "driver=" + DRIVER)
                .output()
                .lines()
                .toList()) {
            docker("volume", "rm", name);
        }
        Eventually.await(
                "no Pods, claims and mounts: " + mooring.errorOutput(), PATIENCE, this::leftovers, List::isEmpty);
        assertThat(ending.stop()).isZero();
        assertThat(PLUGINS.resolve(DRIVER + ".sock")).doesNotExist();
    }

    private List<String> leftovers() {
        List<String> found = new ArrayList<>();
        for (String each : List.of(PODS, CLAIMS, ACTUAL)) {
            mooring.api()
                    .list(each)
                    .forEach(object -> found.add(object.at("/metadata/name").asText()));
        }
        try {
            MountTable.read().below(data).forEach(mount -> found.add(mount.toString()));
        } catch (IOException e) {
            found.add(e.toString());
        }
        return found;
    }

    private static Process begin(Path output, List<String> command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("DOCKER_HOST", engine.host());
        return builder.start();
    }

    private static Ended end(Process process, Path output) throws IOException, InterruptedException {
        int code = process.waitFor();
        String text = Files.readString(output, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("WARNING: IPv4 forwarding"))
                .reduce((a, b) -> a + '\n' + b)
                .orElse("");
        Files.delete(output);
        return new Ended(code, text);
    }

    private Ended command(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "out", "");
        return end(begin(output, command), output);
    }

    private Ended docker(String... args) throws IOException, InterruptedException {
        return command(dockerCommand(args));
    }

    private static List<String> dockerCommand(String... args) {
        List<String> command = new ArrayList<>(List.of("docker"));
        command.addAll(List.of(args));
        return command;
    }

    private void createVolume(String name, String... options) throws IOException, InterruptedException {
        List<String> args = new ArrayList<>(List.of("volume", "create", "-d", DRIVER));
        for (String each : options) {
            args.addAll(List.of("-o", each));
        }
        args.add(name);
        docker(args.toArray(String[]::new)).requireSuccess();
    }

    private String[] database(String volume) {
        return new String[] {"run", "--rm", "--network=none", "-v", volume + ":/data", "busybox", "sh", "-c", DATABASE};
    }

    private List<JsonNode> pods() {
        return mooring.api().list(PODS);
    }

    @Test
    void dockerRun_block_keepsDataAcrossContainers() throws Exception {
        createVolume("db", "class=block", "size=64Mi");
        assertThat(docker(database("db")).requireSuccess().lastLine()).isEqualTo("5");
        assertThat(docker(database("db")).requireSuccess().lastLine()).isEqualTo("10");

        docker("run", "-d", "--network=none", "--name", "web", "-v", "db:/data", "busybox", "sleep", "1000")
                .requireSuccess();
        assertThat(docker("exec", "web", "grep", " /data ", "/proc/mounts").output())
                .contains("/dev/loop")
                .contains("ext4");
        assertThat(docker("volume", "inspect", "db").output())
                .contains("\"usedBy\": \"container web (docker)\"")
                .contains("\"phase\": \"Bound\"");
        assertThat(pods().get(0).at("/metadata/name").asText()).startsWith("docker-web-");
        docker("cp", "web:/data/log", directory.resolve("log").toString()).requireSuccess();
        assertThat(directory.resolve("log")).content().hasLineCount(10);
        docker("exec", "web", "test", "-e", "/data/log").requireSuccess();
        assertThat(docker("volume", "rm", "db").code()).isNotZero();

        // Deleting the claim waits for the container.
        mooring.api().delete(CLAIMS + "/db");
        assertThat(docker("exec", "web", "wc", "-l", "/data/log").output()).startsWith("10");
        assertThat(mooring.api()
                        .object(CLAIMS, "db")
                        .at("/metadata/deletionTimestamp")
                        .asText())
                .isNotEmpty();
        docker("rm", "-f", "web").requireSuccess();
        Eventually.await("claim is gone", () -> mooring.api().list(CLAIMS), List::isEmpty);
    }

    @Test
    void dockerRun_twoContainersOfReadWriteOncePod_neverOverlap() throws Exception {
        createVolume("one", "mode=ReadWriteOncePod", "size=64Mi");
        String script = "[ -e /d/lock ] && exit 9; touch /d/lock; sync; sleep 1; rm /d/lock";
        List<Path> outputs = new ArrayList<>();
        List<Process> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            outputs.add(Files.createTempFile(directory, "out", ""));
            running.add(begin(
                    outputs.get(i),
                    dockerCommand("run", "--rm", "--network=none", "-v", "one:/d", "busybox", "sh", "-c", script)));
        }
        List<Integer> codes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Ended ended = end(running.get(i), outputs.get(i));
            codes.add(ended.code());
            if (ended.code() != 0) {
                assertThat(ended.output()).contains("ReadWriteOncePod");
            }
        }
        assertThat(codes).contains(0).doesNotContain(9);
    }

    @Test
    void mooring_killedAtAnyStep_losesNothing() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        createVolume("db", "class=block", "size=64Mi");
        docker("run", "-d", "--network=none", "--name", "web", "-v", "db:/data", "busybox", "sleep", "1000")
                .requireSuccess();
        int lines = 0;
        for (int round = 0; round < 4; round++) {
            Path output = Files.createTempFile(directory, "out", "");
            Process starting = begin(output, dockerCommand(database("db")));
            mooring.killAfter(random.nextInt(900));
            docker("exec", "web", "test", "-e", "/data/lost+found").requireSuccess();
            launch();
            Ended ended = end(starting, output);
            int now = Integer.parseInt(docker("exec", "web", "sh", "-c", "touch /data/log; wc -l < /data/log")
                    .requireSuccess()
                    .lastLine());
            assertThat(now)
                    .as("seed %d, round %d: %s", seed, round, ended)
                    .isEqualTo(lines + (ended.code() == 0 ? 5 : now - lines));
            assertThat(now - lines).isIn(0, 5);
            lines = now;
        }
        assertThat(docker(database("db")).requireSuccess().lastLine()).isEqualTo(Integer.toString(lines + 5));
        mooring.killAfter(0);
        Path output = Files.createTempFile(directory, "out", "");
        Process stopping = begin(output, dockerCommand("rm", "-f", "web"));
        launch();
        end(stopping, output).requireSuccess();
    }

    @Test
    void mooring_notRunning_containerDoesNotStart() throws Exception {
        createVolume("db", "size=64Mi");
        docker(database("db")).requireSuccess();
        mooring.stop();
        Ended ended = docker(database("db"));
        // The client has 127 for every error with the text "no such file or directory".
        assertThat(ended.code()).isIn(125, 127);
        assertThat(ended.output()).contains(DRIVER + ".sock");
        launch();
        assertThat(docker(database("db")).requireSuccess().lastLine()).isEqualTo("10");
    }

    @Test
    void engine_killed_remountsThroughTheDriver() throws Exception {
        createVolume("db", "class=block", "size=64Mi");
        docker(
                        "run",
                        "-d",
                        "--network=none",
                        "--restart=always",
                        "--name",
                        "web",
                        "-v",
                        "db:/data",
                        "busybox",
                        "sh",
                        "-c",
                        "grep -q ' /data ' /proc/mounts && echo start >> /data/starts && sync && exec sleep 1000")
                .requireSuccess();
        engine.kill();
        assertThat(pods()).hasSize(1);
        engine.start();
        Eventually.await(
                "the container runs again",
                PATIENCE,
                () -> {
                    try {
                        return docker("exec", "web", "cat", "/data/starts").output();
                    } catch (IOException | InterruptedException e) {
                        return e.toString();
                    }
                },
                "start\nstart"::equals);
        assertThat(pods()).hasSize(1);
        assertThat(pods().get(0)
                        .at("/metadata/annotations/mooring.dev~1docker-mount-count")
                        .asText())
                .isEqualTo("1");
    }

    @Test
    void compose_recreateDownAndUp_keepTheDataUntilItIsRemoved() throws Exception {
        List<String> compose = composeCommand();
        Path file = directory.resolve("compose.yaml");
        Files.writeString(file, """
            version: '3'
            services:
              db:
                image: busybox:latest
                network_mode: none
                command: sh -c 'echo start >> /data/starts && sync && exec sleep 1000'
                stop_grace_period: 1s
                volumes: ['data:/data']
            volumes:
              data:
                driver: DRIVER
                driver_opts: {class: block, size: 64Mi, claim: shop-db}
            """.replace("DRIVER", DRIVER));
        compose(compose, file, "up", "-d");
        compose(compose, file, "up", "-d", "--force-recreate");
        compose(compose, file, "down");
        compose(compose, file, "up", "-d");
        Eventually.await(
                "third start",
                PATIENCE,
                () -> {
                    try {
                        return compose(compose, file, "exec", "-T", "db", "cat", "/data/starts")
                                .output();
                    } catch (IOException | InterruptedException e) {
                        return e.toString();
                    }
                },
                "start\nstart\nstart"::equals);
        assertThat(mooring.api().list(CLAIMS).get(0).at("/metadata/name").asText())
                .isEqualTo("shop-db");
        compose(compose, file, "down", "-v");
        Eventually.await("no claims", () -> mooring.api().list(CLAIMS), List::isEmpty);
    }

    private List<String> composeCommand() throws IOException, InterruptedException {
        if (docker("compose", "version").code() == 0) {
            return List.of("docker", "compose");
        }
        boolean found = List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(each -> Files.isExecutable(Path.of(each, "docker-compose")));
        Assumptions.assumeTrue(found, "docker-compose is missing (make setup installs it)");
        return List.of("docker-compose");
    }

    private Ended compose(List<String> compose, Path file, String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(compose);
        command.addAll(List.of("-p", "shop", "-f", file.toString()));
        command.addAll(List.of(args));
        return command(command).requireSuccess();
    }
}
