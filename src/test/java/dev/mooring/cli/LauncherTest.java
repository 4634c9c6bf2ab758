package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the launcher script with every installed JDK and a class archive that matches none of them. */
class LauncherTest {
    @TempDir
    private static Path home;

    private record ProcessResult(int status, String out, String err) {}

    @BeforeAll
    static void install() throws IOException {
        Path lib = Files.createDirectories(home.resolve("lib"));
        Files.createDirectories(home.resolve("bin"));
        Files.copy(Path.of("src/main/sh/mooring"), home.resolve("bin/mooring"));
        assertThat(home.resolve("bin/mooring").toFile().setExecutable(true)).isTrue();
        int directories = 0;
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path entry = Path.of(each).toAbsolutePath();
            if (Files.isDirectory(entry)) {
                pack(entry, lib.resolve("classes-" + directories++ + ".jar"));
            } else if (each.endsWith(".jar")) {
                Files.createSymbolicLink(lib.resolve(entry.getFileName()), entry);
            }
        }
        Files.writeString(lib.resolve("mooring.jsa"), "no class archive of any JDK");
    }

    private static void pack(Path directory, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(directory)) {
            out.setLevel(0);
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(directory.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
    }

    /** Homes of all installed JDKs of version 17 or later. */
    static List<String> jdks() throws IOException {
        List<String> found = new ArrayList<>(List.of(System.getProperty("java.home")));
        Path all = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(all)) {
            try (Stream<Path> each = Files.list(all)) {
                each.filter(LauncherTest::isRecent).map(Path::toString).forEach(found::add);
            }
        }
        return found;
    }

    private static boolean isRecent(Path jdk) {
        Path release = jdk.resolve("release");
        try {
            return Files.isExecutable(jdk.resolve("bin/java"))
                    && Files.isReadable(release)
                    && Files.readString(release)
                            .lines()
                            .filter(line -> line.startsWith("JAVA_VERSION="))
                            .map(line -> line.replaceAll("\\D+(\\d+).*", "$1"))
                            .anyMatch(version -> Integer.parseInt(version) >= 17);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void launcher_invalidClassArchive_writesOnlyDataToStdout(String jdk) throws Exception {
        ProcessResult result = run(Map.of("JAVA_HOME", jdk), "version");

        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).startsWith("mooring ").hasLineCount(1);
    }

    @Test
    void launcher_jvmMessages_goToStderr() throws Exception {
        ProcessResult result = run(
                Map.of("JAVA_HOME", System.getProperty("java.home"), "JAVA_OPTS", "-Xlog:gc*=info:stderr"), "version");

        assertThat(result.out()).startsWith("mooring ").hasLineCount(1);
        assertThat(result.err()).contains("[gc");
    }

    @Test
    void launcher_collectorInJavaOpts_overridesTheDefault() throws Exception {
        Map<String, String> serial = Map.of(
                "JAVA_HOME", System.getProperty("java.home"), "JAVA_OPTS", "-Xmx128m -XX:+UseSerialGC -Xlog:gc:stderr");
        ProcessResult result = run(serial, "version");

        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.err()).contains("Using Serial");
    }

    @Test
    void launcher_noCollectorInJavaOpts_usesG1() throws Exception {
        ProcessResult result =
                run(Map.of("JAVA_HOME", System.getProperty("java.home"), "MOORING_OPTS", "-Xlog:gc:stderr"), "version");

        assertThat(result.err()).contains("Using G1");
    }

    private static ProcessResult run(Map<String, String> environment, String... args) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin/mooring").toString()));
        command.addAll(List.of(args));
        Path err = home.resolve("stderr");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(environment);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new ProcessResult(process.waitFor(), out, Files.readString(err));
    }
}
