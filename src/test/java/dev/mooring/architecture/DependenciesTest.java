package dev.mooring.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the libraries on the class path, which include those of the program, with {@code
 * config/vulnerabilities.csv}. Libraries inside other jars are identified by their Maven files.
 */
class DependenciesTest {
    private static final Path KNOWN = Path.of("config", "vulnerabilities.csv");

    /** Path of a jar in Gradle's cache: group, artifact, version, hash, file. */
    private static final Pattern CACHED = Pattern.compile(".*/([^/]+)/([^/]+)/([^/]+)/[0-9a-f]{30,40}/[^/]+\\.jar");

    private static final Pattern RANGE = Pattern.compile("([\\[(])([^,]*),([^\\])]*)\\)");

    private record Library(String artifact, String version) {}

    @Test
    void classPath_hasNoLibraryWithKnownVulnerability() throws IOException {
        assertThat(problems(libraries(), Files.readAllLines(KNOWN)))
                .as("libraries on the class path with known vulnerabilities; choose newer versions in build.gradle")
                .isEmpty();
    }

    @Test
    void libraryInUse_withKnownVulnerability_isReported() throws IOException {
        List<Library> libraries = libraries();
        List<String> known = new ArrayList<>(Files.readAllLines(KNOWN));
        known.add("io.netty:netty-codec-http2;[4.2.0.Final,99.0.0.Final);injected;test");
        known.add("org.apache.httpcomponents.client5:httpclient5;(,99);injected in a shaded jar;test");

        assertThat(problems(libraries, known))
                .hasSize(2)
                .anyMatch(problem -> problem.contains("netty-codec-http2"))
                .anyMatch(problem -> problem.contains("httpclient5"));
    }

    @Test
    void everyJar_isIdentified() throws IOException {
        for (Path jar : jars()) {
            assertThat(identify(jar)).as(jar.toString()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "4.2.10.Final|(,4.2.12.Final)|true",
                "4.2.12.Final|(,4.2.12.Final)|false",
                "4.2.9.Final|(,4.2.12.Final)|true",
                "4.2.12.CR1|(,4.2.12.Final)|true",
                "4.10.0|(,4.9)|false",
                "1.82|[1.74,1.84)|true",
                "1.73|[1.74,1.84)|false",
                "1.84|[1.74,1.84)|false",
                "1.80.2|(,1.81)|true",
                "33.6.0-jre|(,32.0.0)|false",
                "31.1-jre|(,32.0.0)|true"
            })
    void version_comparedWithRange_isAffectedOnlyInside(String version, String range, boolean affected) {
        assertThat(isAffected(version, range)).isEqualTo(affected);
    }

    private static List<Path> jars() {
        return Pattern.compile(File.pathSeparator)
                .splitAsStream(System.getProperty("java.class.path"))
                .filter(entry -> entry.endsWith(".jar"))
                .map(Path::of)
                .toList();
    }

    private static List<Library> libraries() throws IOException {
        List<Library> all = new ArrayList<>();
        for (Path jar : jars()) {
            all.addAll(identify(jar));
        }
        return all;
    }

    private static List<Library> identify(Path jar) throws IOException {
        List<Library> found = new ArrayList<>();
        Matcher cached = CACHED.matcher(jar.toString());
        if (cached.matches()) {
            found.add(new Library(cached.group(1) + ":" + cached.group(2), cached.group(3)));
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            for (JarEntry entry : file.stream()
                    .filter(each -> each.getName().matches("META-INF/maven/.*/pom\\.properties"))
                    .toList()) {
                Properties maven = new Properties();
                try (InputStream content = file.getInputStream(entry)) {
                    maven.load(content);
                }
                Library library = new Library(
                        maven.getProperty("groupId") + ":" + maven.getProperty("artifactId"),
                        maven.getProperty("version"));
                if (!found.contains(library)) {
                    found.add(library);
                }
            }
        }
        return found;
    }

    private static List<String> problems(List<Library> libraries, List<String> known) {
        List<String> problems = new ArrayList<>();
        for (String line : known) {
            if (line.startsWith("#") || line.startsWith("artifact;")) {
                continue;
            }
            String[] parts = line.split(";", 4);
            assertThat(parts).as(line).hasSize(4);
            for (Library library : libraries) {
                if (library.artifact().equals(parts[0]) && isAffected(library.version(), parts[1])) {
                    problems.add(library + ": " + parts[2] + ", affected " + parts[1] + ", " + parts[3]);
                }
            }
        }
        return problems;
    }

    private static boolean isAffected(String version, String range) {
        Matcher parts = RANGE.matcher(range);
        assertThat(parts.matches()).as(range).isTrue();
        return (parts.group(2).isEmpty() || compare(version, parts.group(2)) >= 0)
                && compare(version, parts.group(3)) < 0;
    }

    /** Compares two versions by their numbers; a pre-release (alpha, beta, RC …) precedes its release. */
    private static int compare(String a, String b) {
        String[] left = a.split("[.-]");
        String[] right = b.split("[.-]");
        for (int i = 0; i < Math.max(left.length, right.length); i++) {
            int order = Long.compare(rank(left, i), rank(right, i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static long rank(String[] parts, int i) {
        if (i >= parts.length) {
            return 0;
        }
        if (parts[i].matches("\\d+")) {
            return Long.parseLong(parts[i]);
        }
        return parts[i].toLowerCase(Locale.ROOT).matches("(alpha|beta|cr|rc|m|snapshot).*") ? -1 : 0;
    }
}
