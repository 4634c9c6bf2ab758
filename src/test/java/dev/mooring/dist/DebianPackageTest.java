package dev.mooring.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of the packages that {@code make dist} builds: their content, and the Debian package from installation to purge
 * in a clean Debian 12 root with its own mount, process and network namespaces.
 */
@Timeout(DebianPackageTest.MAX_SECONDS)
class DebianPackageTest {
    static final int MAX_SECONDS = 1800;
    private static final String OLDER = "0.0.1";

    @TempDir
    private static Path directory;

    private static Path dist;

    private record Ran(int status, String output) {}

    @BeforeAll
    @Timeout(MAX_SECONDS)
    static void build() throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/dpkg-deb")), "dpkg-deb is not installed");
        assumeTrue(Files.isDirectory(Path.of("build/install/mooring/lib")), "the program is not built: make build");
        dist = directory.resolve("dist");
        Ran built = run(Map.of("DIST_OUT", dist.toString(), "DIST_COMPRESSION", "1"), "scripts/dist");
        assertThat(built.status()).as(built.output()).isZero();
    }

    /** Removes the copied root, which has more files than JUnit deletes quickly. */
    @AfterAll
    @Timeout(MAX_SECONDS)
    static void remove() throws Exception {
        run(
                Map.of(),
                "rm",
                "-rf",
                "--one-file-system",
                directory.resolve("root").toString());
    }

    private static Ran run(Map<String, String> environment, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), output);
    }

    private static Path built(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(dist)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void tarball_unpackedAnywhere_runsWithoutJava() throws Exception {
        Path home = Files.createDirectories(directory.resolve("a place"));
        assertThat(run(Map.of(), "tar", "-xzf", built(".tar.gz").toString(), "-C", home.toString())
                        .status())
                .isZero();
        Path program;
        try (Stream<Path> files = Files.list(home)) {
            program = files.findFirst().orElseThrow().resolve("bin/mooring");
        }

        Ran version = run(Map.of("JAVA_HOME", "/nonexistent", "PATH", "/usr/bin:/bin"), program.toString(), "version");
        assertThat(version.output()).startsWith("mooring ").hasLineCount(1);
        assertThat(version.status()).isZero();
    }

    @Test
    void packages_haveFixedOwnersTimesAndOrder() throws Exception {
        String tar = run(Map.of(), "tar", "-tvzf", built(".tar.gz").toString(), "--numeric-owner", "--full-time")
                .output();
        assertThat(tar.lines()).allMatch(line -> line.matches("\\S+ 0/0 .*"));
        assertThat(tar.lines()
                        .map(line -> line.split(" +", -1)[3] + line.split(" +", -1)[4])
                        .distinct())
                .hasSize(1);
        assertThat(tar).doesNotContain(".jsa");
        String deb = run(Map.of(), "dpkg-deb", "-c", built(".deb").toString()).output();
        assertThat(deb.lines()).allMatch(line -> line.matches("\\S+ root/root .*"));
    }

    @Test
    void unit_isValidAndHardened() throws Exception {
        Path analyze = Path.of("/usr/bin/systemd-analyze");
        assumeTrue(Files.exists(analyze), "systemd-analyze is not installed");
        Path root = directory.resolve("unpacked");
        assertThat(run(Map.of(), "dpkg-deb", "-x", built(".deb").toString(), root.toString())
                        .status())
                .isZero();
        Path unit = root.resolve("usr/lib/systemd/system/mooring.service");
        Path checked = Files.writeString(
                directory.resolve("mooring.service"),
                Files.readString(unit).replace("=/usr/bin/mooring", "=" + root.resolve("usr/lib/mooring/bin/mooring")));

        Ran verified = run(Map.of(), analyze.toString(), "verify", "--man=no", checked.toString());
        assertThat(verified.output().lines().filter(line -> line.contains("mooring.service")))
                .isEmpty();
        // 7.1: mounts need CAP_SYS_ADMIN and no own mount namespace, the route of Services needs CAP_NET_ADMIN.
        Ran security =
                run(Map.of(), analyze.toString(), "security", "--offline=yes", "--threshold=72", checked.toString());
        assertThat(security.output()).contains("Overall exposure level for mooring.service");
        assertThat(security.status()).as(security.output()).isZero();
    }

    @Test
    void debianPackage_installedUsedUpgradedRemovedPurged_keepsData() throws Exception {
        assumeTrue(Files.isWritable(Path.of("/proc/sys/kernel/hostname")), "namespaces need root");
        assumeTrue(
                Stream.of("/usr/sbin/debootstrap", "/sbin/debootstrap").anyMatch(each -> Files.exists(Path.of(each)))
                        || Files.exists(Path.of("build/debian/root.complete")),
                "debootstrap is not installed: apt-get install debootstrap");
        Path kubectl = Path.of("/usr/bin/kubectl");
        assumeTrue(Files.exists(kubectl), "kubectl is not installed at " + kubectl);
        Ran base = run(Map.of(), "scripts/debian-root");
        assumeTrue(base.status() == 0, "debootstrap failed, is there a Debian mirror? " + base.output());

        Path root = directory.resolve("root");
        assertThat(run(Map.of(), "cp", "-a", base.output().strip(), root.toString())
                        .status())
                .isZero();
        Path packages = Files.createDirectory(root.resolve("packages"));
        Files.copy(built(".deb"), packages.resolve("new.deb"));
        repack(built(".deb"), packages.resolve("old.deb"));
        Files.copy(kubectl, root.resolve("usr/bin/kubectl"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        try (var script = getClass().getResourceAsStream("package-lifecycle.sh")) {
            Files.copy(script, root.resolve("packages/lifecycle.sh"));
        }

        String inside = "mount -t proc proc \"$1/proc\" && mount --bind /dev \"$1/dev\" && ip link set lo up"
                + " && exec chroot \"$1\" /bin/bash /packages/lifecycle.sh";
        Ran lifecycle = run(
                Map.of("PATH", System.getenv("PATH") + ":/usr/sbin:/sbin"),
                "unshare",
                "--mount",
                "--pid",
                "--net",
                "--uts",
                "--ipc",
                "--fork",
                "--kill-child",
                "sh",
                "-c",
                inside,
                "sh",
                root.toString());

        assertThat(lifecycle.output()).endsWith("step: purge without volumes\ndone\n");
        assertThat(lifecycle.status()).isZero();
    }

    /** Builds the same package with a lower version. */
    private static void repack(Path deb, Path older) throws Exception {
        Path content = directory.resolve("older");
        assertThat(run(Map.of(), "dpkg-deb", "-R", deb.toString(), content.toString())
                        .status())
                .isZero();
        Path control = content.resolve("DEBIAN/control");
        List<String> lines = Files.readAllLines(control).stream()
                .map(line -> line.startsWith("Version: ") ? "Version: " + OLDER : line)
                .toList();
        Files.write(control, lines);
        Ran packed =
                run(Map.of(), "dpkg-deb", "--root-owner-group", "-Znone", "-b", content.toString(), older.toString());
        assertThat(packed.status()).as(packed.output()).isZero();
    }
}
