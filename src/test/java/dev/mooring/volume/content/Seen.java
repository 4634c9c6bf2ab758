package dev.mooring.volume.content;

import dev.mooring.volume.path.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What there is in a volume, as text. */
final class Seen {
    private Seen() {}

    /** As a container sees it, through the links: {@code path=text}. A link that leads nowhere is {@code path -> nowhere}. */
    static List<String> files(Path volume) throws IOException {
        List<String> found = new ArrayList<>();
        for (String name : names(volume)) {
            if (!name.startsWith("..")) {
                add(volume.resolve(name), name, found);
            }
        }
        return found;
    }

    private static void add(Path path, String words, List<String> found) throws IOException {
        if (!Files.exists(path)) {
            found.add(words + " -> nowhere");
        } else if (Files.isDirectory(path)) {
            for (String name : names(path)) {
                add(path.resolve(name), words + "/" + name, found);
            }
        } else {
            found.add(words + "=" + Files.readString(path));
        }
    }

    /** The names in a directory, sorted; a version is {@code ..version}. */
    static List<String> raw(Path volume) throws IOException {
        return names(volume).stream()
                .map(each -> VersionName.matches(each) ? "..version" : each)
                .sorted()
                .toList();
    }

    static String version(Path volume) throws IOException {
        return Files.readSymbolicLink(volume.resolve("..data")).toString();
    }

    /** {@code 644:0}, permissions and group. */
    static String access(Path path) throws IOException {
        return Machine.permissions(path) + ":" + Files.getAttribute(path, "unix:gid", LinkOption.NOFOLLOW_LINKS);
    }

    static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }
}
