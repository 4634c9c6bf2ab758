package dev.mooring.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of README.md as printed, in a fresh clone, and compares their output with the output that README.md
 * shows. The clone contains the changes of the working tree and the installed program, so that {@code make run} does
 * not compile again.
 *
 * <p>Everything runs in its own network namespace, as on a machine without a Docker engine: a server that already uses
 * the port, and the engine of the machine, are not affected. Every process of the namespace was started by the test.
 */
@Timeout(600)
class ReadmeTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Pattern WORK = Pattern.compile("/tmp/mooring-run\\.\\w+");
    private static final Path INSTALLED = Path.of("build", "install", "mooring");

    /** A command and the output that README.md shows for it; nothing if it shows none. */
    private record Shown(String command, List<String> output) {}

    @TempDir
    private Path directory;

    private Path clone;
    private Process namespace;
    private Optional<Process> server = Optional.empty();

    @BeforeEach
    void cloneRepository() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "Needs root to run an engine");
        for (String each : List.of(
                "git make kubectl docker dockerd containerd runc busybox ip unshare nsenter script".split(" "))) {
            assumeTrue(
                    run(Path.of(""), "sh", "-c", "PATH=$PATH:/usr/sbin:/sbin command -v " + each)
                                    .status()
                            == 0,
                    each + " is missing (make setup installs it)");
        }
        assumeTrue(Files.exists(INSTALLED), INSTALLED + " is missing (make build creates it)");
        assumeTrue(run(Path.of(""), "git", "rev-parse", "HEAD").status() == 0, "this is not a Git repository");
        String kubectl = run(Path.of(""), "kubectl", "version", "--client").text();
        Matcher version = Pattern.compile("v1\\.(\\d+)").matcher(kubectl);
        assumeTrue(
                version.find() && Integer.parseInt(version.group(1)) >= 30, "kubectl is older than 1.30: " + kubectl);

        clone = directory.resolve("mooring");
        ok(Path.of(""), "git", "clone", "--quiet", "--no-hardlinks", ".", clone.toString());
        for (String each : ok(Path.of(""), "git", "ls-files", "-m", "-o", "--exclude-standard")
                .lines()
                .toList()) {
            if (Files.isRegularFile(Path.of(each))) {
                Files.createDirectories(clone.resolve(each).getParent());
                Files.copy(
                        Path.of(each),
                        clone.resolve(each),
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.COPY_ATTRIBUTES);
            } else {
                Files.deleteIfExists(clone.resolve(each));
            }
        }
        Files.createDirectories(clone.resolve("build"));
        ok(Path.of(""), "cp", "-a", "build/install", clone.resolve("build").toString());
        Files.createFile(clone.resolve("build/.installed"));

        // Ends when its stdin is closed, at the latest with this process.
        namespace = new ProcessBuilder(
                        "unshare",
                        "--net",
                        "sh",
                        "-c",
                        "PATH=$PATH:/usr/sbin:/sbin ip link set lo up && echo up && exec cat")
                .start();
        assumeTrue("up".equals(namespace.inputReader().readLine()), "network namespaces cannot be created here");
    }

    @AfterEach
    void endNamespace() throws Exception {
        if (namespace != null) {
            // After a failure: make run removes its engine, mounts and directory only if it shuts down cleanly.
            if (server.isPresent() && server.get().isAlive()) {
                interrupt(server.get());
            }
            processes().forEach(each -> each.destroyForcibly());
            namespace.destroy();
            namespace.waitFor();
        }
    }

    @Test
    void quickStart_runAndInterrupted_printsOutputOfReadmeAndLeavesNothing() throws Exception {
        List<Shown> commands = commands("## A start in a minute");
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        // A terminal has a process group for each command, which gets SIGINT on Ctrl-C.
        Process make = inside(clone, "env", "--default-signal=INT", "setsid", "make", "run")
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        server = Optional.of(make);
        List<String> shown = commands.get(0).output();
        String printed = Eventually.await(
                "the server to be ready",
                TIMEOUT,
                () -> (read(out) + read(err)).replaceAll("#code=\\S+", "#code=…"),
                text -> shown.stream().allMatch(line -> text.contains(line + "\n")) || !make.isAlive());
        Path work = processes()
                .flatMap(each ->
                        WORK.matcher(each.info().commandLine().orElse("")).results())
                .map(found -> Path.of(found.group()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("make run started no engine: " + read(err)));

        assertThat(commands.get(0).command()).isEqualTo("make run");
        assertThat(shown).isNotEmpty().allSatisfy(line -> assertThat(printed).contains(line + "\n"));
        runAll(commands.subList(1, commands.size()));

        assertThat(interrupt(make)).as("ended by Ctrl-C").isTrue();
        Eventually.await("no leftovers", () -> leftovers(work), List::isEmpty);
        assertThat(read(err)).doesNotContain("Exception", "ERROR");
        String[] status = {"git", "status", "--porcelain", "--untracked-files=all"};
        assertThat(ok(clone, status)).isEqualTo(ok(Path.of(""), status));
    }

    @Test
    void demo_run_printsOutputOfReadme() throws Exception {
        ProcessBuilder demo = inside(clone, "make", "demo");
        demo.environment().put("DEMO_ENGINE", "own");
        Result result = run(demo);

        assertThat(result.status()).as(result.text()).isZero();
        Iterator<String> printed = result.text().lines().iterator();
        for (String line : blocks("# Mooring").get(1)) {
            List<String> words = words(line);
            boolean found = false;
            while (!found && printed.hasNext()) {
                found = containsInOrder(words, words(printed.next()));
            }
            assertThat(found)
                    .as("README.md shows this line, but the demo prints it earlier or not at all: " + line)
                    .isTrue();
        }
        Eventually.await("no process to be left", () -> processes().toList(), List::isEmpty);
    }

    /** Does what a terminal does on Ctrl-C. Returns whether the command ended. */
    private boolean interrupt(Process command) throws Exception {
        ok(clone, "kill", "-INT", "--", "-" + command.pid());
        return command.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    /** Runs the commands one after the other in one shell, as a user types them. */
    private void runAll(List<Shown> commands) throws Exception {
        StringBuilder script = new StringBuilder("shopt -s expand_aliases\n");
        for (int i = 0; i < commands.size(); i++) {
            script.append(scriptLines(commands.get(i).command(), "../out." + i))
                    .append("echo $? >../status.")
                    .append(i)
                    .append('\n');
        }
        Files.writeString(directory.resolve("commands"), script);
        run(inside(clone, "bash", "../commands"));

        for (int i = 0; i < commands.size(); i++) {
            Shown each = commands.get(i);
            String printed = read(directory.resolve("out." + i));
            assertThat(read(directory.resolve("status." + i)).strip())
                    .as("status of " + each.command() + ": " + printed)
                    .isEqualTo("0");
            if (!each.output().isEmpty()) {
                assertThat(normalised(printed))
                        .as(each.command())
                        .isEqualTo(normalised(String.join("\n", each.output())));
            }
        }
    }

    /** Script lines that run a command, end it if it does not end by itself, and leave its status in {@code $?}. */
    private static String scriptLines(String command, String out) {
        if (command.contains(" -w")) {
            return command + " >" + out + " 2>&1 </dev/null &\nuntil grep -q Bound " + out
                    + " || ! kill -0 $!; do sleep 0.1; done; kill $!\n";
        }
        if (command.contains(" -it ")) {
            return "echo exit | script -qec " + "'" + command + "' /dev/null >" + out + " 2>&1\n";
        }
        return "{ " + command + "\n} >" + out + " 2>&1 </dev/null\n";
    }

    private List<String> leftovers(Path work) {
        List<String> left = new ArrayList<>();
        processes()
                .forEach(each -> left.add("process " + each.info().commandLine().orElse(each.toString())));
        for (Path each : List.of(clone, work)) {
            PodLeftovers podLeftovers =
                    new PodLeftovers(each, new RealEngineApi(work.resolve("engine/docker.sock")), Set.of());
            podLeftovers.host().mounts().forEach(mount -> left.add("mount " + mount));
            podLeftovers.host().loopDevices().forEach(device -> left.add("loop device " + device));
        }
        if (Files.exists(work)) {
            left.add("directory " + work);
        }
        try {
            run(inside(clone, "ip", "-o", "link"))
                    .text()
                    .lines()
                    .filter(each -> !each.contains(": lo:"))
                    .forEach(left::add);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return left;
    }

    /** All processes of the namespace except the one that keeps it open. */
    private Stream<ProcessHandle> processes() {
        Optional<Path> own = network(namespace.toHandle());
        return ProcessHandle.allProcesses()
                .filter(each -> each.pid() != namespace.pid()
                        && own.isPresent()
                        && network(each).equals(own));
    }

    private static Optional<Path> network(ProcessHandle process) {
        try {
            return Optional.of(Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "ns", "net")));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    // ---- README.md -------------------------------------------------------------------------------------------------

    /** The blocks between a heading and the next one of the second level. */
    private static List<List<String>> blocks(String heading) throws IOException {
        List<List<String>> blocks = new ArrayList<>();
        boolean within = false;
        boolean inBlock = false;
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            if (line.startsWith("```")) {
                inBlock = !inBlock;
                if (inBlock && within) {
                    blocks.add(new ArrayList<>());
                }
            } else if (inBlock && within) {
                blocks.get(blocks.size() - 1).add(line);
            } else if (!inBlock && line.startsWith("#")) {
                within = line.equals(heading);
            }
        }
        assertThat(blocks).as("blocks below " + heading).isNotEmpty();
        return blocks;
    }

    /** In a block with prompts the lines without one are output; in a block without prompts all lines are commands. */
    private static List<Shown> commands(String heading) throws IOException {
        List<Shown> commands = new ArrayList<>();
        for (List<String> block : blocks(heading)) {
            boolean prompts = block.stream().anyMatch(line -> line.startsWith("$ "));
            for (String line : block) {
                if (!prompts && !line.isBlank()) {
                    commands.add(new Shown(line.replaceFirst("\\s+# .*", ""), List.of()));
                } else if (line.startsWith("$ ")) {
                    commands.add(new Shown(line.substring(2), new ArrayList<>()));
                } else if (prompts) {
                    commands.get(commands.size() - 1).output().add(line);
                }
            }
        }
        return commands;
    }

    /** Masks what differs between runs: ids, times, ages, the name of the machine, and the width of columns. */
    private static String normalised(String text) {
        return text.strip()
                .replaceAll("pvc-[0-9a-f]+(-[0-9a-f]+)*", "pvc-ID")
                .replaceAll("\\w{3} \\w{3} +\\d+ \\d\\d:\\d\\d:\\d\\d UTC \\d{4}", "DATE")
                .replaceAll("(?m)\\b\\d+[smh]([0-9]+[sm])?(?=\\s|$)", "AGE")
                .replaceAll("node/\\S+", "node/NAME")
                .replaceAll("(?m)[ \\t]+$", "")
                .replaceAll("[ \\t]+", " ");
    }

    /** Words of a line of the demo, without punctuation, with all numbers the same. */
    private static List<String> words(String line) {
        return Arrays.stream(normalised(line)
                        .replaceAll("\\(\\d+\\.\\d s\\)|…", "")
                        .replaceAll("\\b[0-9a-f]{8}\\b", "ID")
                        .replaceAll("\\d+(\\.\\d+)?", "N")
                        .split("[ ;,]+"))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** Whether all words occur in this order. */
    private static boolean containsInOrder(List<String> words, List<String> of) {
        Iterator<String> left = words.iterator();
        Optional<String> next = left.hasNext() ? Optional.of(left.next()) : Optional.empty();
        for (String each : of) {
            if (next.isPresent() && next.get().equals(each)) {
                next = left.hasNext() ? Optional.of(left.next()) : Optional.empty();
            }
        }
        return next.isEmpty();
    }

    // ---- processes
    // ---------------------------------------------------------------------------------------------------

    private record Result(int status, String text) {}

    private ProcessBuilder inside(Path where, String... command) {
        List<String> all = new ArrayList<>(List.of("nsenter", "--net=/proc/" + namespace.pid() + "/ns/net"));
        all.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(all).directory(where.toFile());
        builder.environment().keySet().removeIf(name -> name.equals("KUBECONFIG") || name.startsWith("MOORING_"));
        builder.environment().put("HOME", directory.toString());
        // As on a machine without a Docker engine.
        builder.environment().put("DOCKER_HOST", "unix://" + directory.resolve("docker.sock"));
        builder.environment().merge("PATH", "/usr/sbin:/sbin", (path, more) -> path + ":" + more);
        return builder;
    }

    private String ok(Path where, String... command) throws Exception {
        Result result = run(where, command);
        assertThat(result.status())
                .as(String.join(" ", command) + ": " + result.text())
                .isZero();
        return result.text();
    }

    private Result run(Path where, String... command) throws Exception {
        return run(new ProcessBuilder(command).directory(where.toAbsolutePath().toFile()));
    }

    /** Writes the output to a file, because a process that the command leaves behind would keep a pipe open. */
    private Result run(ProcessBuilder builder) throws Exception {
        Path file = Files.createTempFile(directory, "run", ".out");
        int status = builder.redirectErrorStream(true)
                .redirectOutput(file.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .start()
                .waitFor();
        return new Result(status, read(file));
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
