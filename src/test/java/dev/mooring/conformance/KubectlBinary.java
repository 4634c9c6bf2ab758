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
 * A kubectl on this machine. Some distributions ship many versions and a dispatcher named kubectl, which runs the one that fits the server;
 * others ship one.
 *
 * @param minor of its version, for example 32
 */
record KubectlBinary(Path path, int minor) {
    /** Clients older than this are promised the core commands only. */
    private static final int OLDEST_WITH_ALL = 29;

    private static final Path MANY = Path.of("/usr/lib/google-cloud-sdk/bin");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Every kubectl at hand, the oldest first; the one in the PATH last, whatever it is. */
    static List<KubectlBinary> all() {
        return Found.ALL;
    }

    private static List<KubectlBinary> find() {
        List<KubectlBinary> found = new ArrayList<>(versioned());
        found.sort(Comparator.comparingInt(KubectlBinary::minor));
        inPath("kubectl").map(KubectlBinary::of).ifPresent(found::add);
        return found;
    }

    /** The oldest that must do everything, and the newest. */
    static List<KubectlBinary> oldestAndNewest() {
        List<KubectlBinary> all = all();
        List<KubectlBinary> able =
                all.stream().filter(each -> each.minor >= OLDEST_WITH_ALL).toList();
        if (able.isEmpty()) {
            return List.of();
        }
        KubectlBinary oldest =
                able.stream().min(Comparator.comparingInt(KubectlBinary::minor)).orElseThrow();
        return Stream.of(oldest, newestOf(able)).distinct().toList();
    }

    static Optional<KubectlBinary> newest() {
        List<KubectlBinary> all = all();
        return all.isEmpty() ? Optional.empty() : Optional.of(newestOf(all));
    }

    private static KubectlBinary newestOf(List<KubectlBinary> some) {
        return some.stream().max(Comparator.comparingInt(KubectlBinary::minor)).orElseThrow();
    }

    /** The file that a shell would run for the name. */
    static Optional<Path> inPath(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static List<KubectlBinary> versioned() {
        List<KubectlBinary> found = new ArrayList<>();
        if (!Files.isDirectory(MANY)) {
            return found;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(MANY, "kubectl.1.*")) {
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

    /** A name for things of its own. */
    String label() {
        return path.startsWith(MANY) ? "v" + minor : "path";
    }

    /** Looked for once, because each has to be run to tell its version. */
    private static final class Found {
        static final List<KubectlBinary> ALL = List.copyOf(find());
    }

    /** How it is called in the names of tests. */
    @Override
    public String toString() {
        return path.getFileName() + (path.startsWith(MANY) ? "" : " of the PATH");
    }
}
