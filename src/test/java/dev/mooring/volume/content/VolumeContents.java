package dev.mooring.volume.content;

import dev.mooring.host.HostMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Content of a volume as text. */
final class VolumeContents {
    private VolumeContents() {}

    /** Returns the files that a container sees, as {@code path=text}; a dangling link is {@code path -> nowhere}. */
    static List<String> files(Path volume) throws IOException {
        List<String> found = new ArrayList<>();
        for (String name : names(volume)) {
            if (!name.startsWith("..")) {
                add(volume.resolve(name), name, found);
            }
        }
        return found;
    }

    private static void add(Path path, String label, List<String> found) throws IOException {
        if (!Files.exists(path)) {
            found.add(label + " -> nowhere");
        } else if (Files.isDirectory(path)) {
            for (String name : names(path)) {
                add(path.resolve(name), label + "/" + name, found);
            }
        } else {
            found.add(label + "=" + Files.readString(path));
        }
    }

    /** Returns the names in a directory, sorted; a version is {@code ..version}. */
    static List<String> raw(Path volume) throws IOException {
        return names(volume).stream()
                .map(each -> VersionName.matches(each) ? "..version" : each)
                .sorted()
                .toList();
    }

    static String version(Path volume) throws IOException {
        return Files.readSymbolicLink(volume.resolve("..data")).toString();
    }

    /** Returns permissions and group, such as {@code 644:0}. */
    static String access(Path path) throws IOException {
        return HostMachine.permissions(path) + ":" + Files.getAttribute(path, "unix:gid", LinkOption.NOFOLLOW_LINKS);
    }

    static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }
}
