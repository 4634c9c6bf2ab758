package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A kubectl executable on this machine. Some distributions ship many versions and a dispatcher named kubectl, which
 * runs the version that fits the server; others ship one.
 *
 * @param minor minor version, for example 32
 */
record KubectlBinary(Path path, int minor) {
    /** Oldest client that must support all commands; older ones only support the core commands. */
    private static final int OLDEST_WITH_ALL_COMMANDS = 29;

    private static final Path VERSIONS_DIRECTORY = Path.of("/usr/lib/google-cloud-sdk/bin");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** All installed versions, oldest first; the one in the PATH last, whatever its version. */
    static List<KubectlBinary> all() {
        return InstalledKubectls.ALL;
    }

    private static List<KubectlBinary> find() {
        List<KubectlBinary> found = new ArrayList<>(versioned());
        found.sort(Comparator.comparingInt(KubectlBinary::minor));
        inPath("kubectl").map(KubectlBinary::of).ifPresent(found::add);
        return found;
    }

    /** The oldest version that must support all commands, and the newest. */
    static List<KubectlBinary> oldestAndNewest() {
        List<KubectlBinary> all = all();
        List<KubectlBinary> supported = all.stream()
                .filter(each -> each.minor >= OLDEST_WITH_ALL_COMMANDS)
                .toList();
        if (supported.isEmpty()) {
            return List.of();
        }
        KubectlBinary oldest = supported.stream()
                .min(Comparator.comparingInt(KubectlBinary::minor))
                .orElseThrow();
        return Stream.of(oldest, newestOf(supported)).distinct().toList();
    }

    static Optional<KubectlBinary> newest() {
        List<KubectlBinary> all = all();
        return all.isEmpty() ? Optional.empty() : Optional.of(newestOf(all));
    }

    private static KubectlBinary newestOf(List<KubectlBinary> candidates) {
        return candidates.stream()
                .max(Comparator.comparingInt(KubectlBinary::minor))
                .orElseThrow();
    }

    /** Executable that a shell would run for the name. */
    static Optional<Path> inPath(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static List<KubectlBinary> versioned() {
        List<KubectlBinary> found = new ArrayList<>();
        if (!Files.isDirectory(VERSIONS_DIRECTORY)) {
            return found;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(VERSIONS_DIRECTORY, "kubectl.1.*")) {
            files.forEach(file -> found.add(of(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private static KubectlBinary of(Path path) {
        try {
            Process process = new ProcessBuilder(path.toString(), "version", "--client", "-o", "json")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            JsonNode version = MAPPER.readTree(process.getInputStream());
            String minor = version.at("/clientVersion/minor").asText();
            return new KubectlBinary(path, Integer.parseInt(minor.replaceAll("\\D", "")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Name of the directory and namespace for tests with this executable. */
    String label() {
        return path.startsWith(VERSIONS_DIRECTORY) ? "v" + minor : "path";
    }

    /** Holder that searches once, because each executable must be run to get its version. */
    private static final class InstalledKubectls {
        static final List<KubectlBinary> ALL = List.copyOf(find());
    }

    /** Display name in parameterized tests. */
    @Override
    public String toString() {
        return path.getFileName() + (path.startsWith(VERSIONS_DIRECTORY) ? "" : " in PATH");
    }
}
