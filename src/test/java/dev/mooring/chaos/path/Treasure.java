package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What lies outside, with all names an operation could look for, so that whoever is led here finds something to read, change or delete.
 * Nothing here may ever change, and its words may appear nowhere else. Links to its files, made by an attacker, count as its own files.
 */
final class Treasure {
    static final String SECRET = "TREASURE-5d41402a";

    /** So that it would be noticed in a sum of sizes. */
    static final int HOARD_BYTES = 8 * 1024 * 1024;

    private static final int OWNER = 4321;
    private static final List<String> NAMES =
            List.of("a", "b", "team", "claim", "sub", "inner", "cache", "v", "volumes", "plugins", "containers", "web");
    private static final List<String> FILES = List.of("secret", "0", "1", "key", "ready", "claim.img");

    private final Path root;
    private final Set<Object> inodes = new HashSet<>();
    private Map<String, String> before = Map.of();

    private Treasure(Path root) {
        this.root = root;
    }

    static Treasure in(Path parent) throws IOException {
        Treasure treasure = new Treasure(Files.createDirectories(parent.resolve("outside/treasure")));
        treasure.fill(treasure.root);
        for (String name : NAMES) {
            Path below = Files.createDirectory(treasure.root.resolve(name));
            treasure.fill(below);
            for (String again : NAMES) {
                Files.writeString(Files.createDirectory(below.resolve(again)).resolve("secret"), SECRET);
            }
        }
        Files.write(treasure.root.resolve("sub/hoard"), new byte[HOARD_BYTES]);
        treasure.close();
        return treasure;
    }

    private void fill(Path directory) throws IOException {
        for (String name : FILES) {
            Files.writeString(directory.resolve(name), SECRET + " in " + name);
        }
        Files.createDirectory(directory.resolve("empty"));
        Files.createFile(directory.resolve("nothing"));
    }

    /** Owners, permissions and times that nobody would give by chance. From now on it is as it must stay. */
    void close() throws IOException {
        visit(root, (path, attributes) -> {
            Files.setAttribute(path, "unix:mode", attributes.isDirectory() ? 0750 : 0640);
            Files.setAttribute(path, "unix:uid", OWNER);
            Files.setAttribute(path, "unix:gid", OWNER);
            Files.setLastModifiedTime(path, FileTime.from(Instant.ofEpochSecond(1_000_000_007, 13)));
            inodes.add(attributes.fileKey());
        });
        before = now();
    }

    Path root() {
        return root;
    }

    boolean has(Path path) throws IOException {
        return inodes.contains(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey());
    }

    private Map<String, String> now() throws IOException {
        Map<String, String> all = new TreeMap<>();
        visit(root, (path, attributes) -> {
            Map<String, Object> unix = Files.readAttributes(path, "unix:mode,uid,gid", LinkOption.NOFOLLOW_LINKS);
            int content = attributes.isRegularFile() ? Arrays.hashCode(Files.readAllBytes(path)) : 0;
            all.put(
                    root.relativize(path).toString(),
                    new TreeMap<>(unix) + " " + attributes.lastModifiedTime() + " " + attributes.size() + " " + content
                            + " " + attributes.fileKey());
        });
        return all;
    }

    /** Only what differs is told. */
    void mustBeUntouched(String after) throws IOException {
        Map<String, String> found = now();
        Map<String, String> lost = new TreeMap<>(before);
        lost.entrySet().removeAll(found.entrySet());
        found.entrySet().removeAll(before.entrySet());
        assertThat(found)
                .as("what is new or different outside, which was %s, after %s", lost, after)
                .isEmpty();
        assertThat(lost).as("what is gone outside after %s", after).isEmpty();
    }

    /** No file there, but for what is a link to a file of the treasure itself, holds its words. */
    void mustNotShowBelow(Path place, String after) throws IOException {
        visit(place, (path, attributes) -> {
            if (attributes.isRegularFile() && !inodes.contains(attributes.fileKey()) && attributes.size() < 1 << 16) {
                assertThat(new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1))
                        .as("%s after %s", path, after)
                        .doesNotContain(SECRET);
            }
        });
    }

    private interface Look {
        void at(Path path, BasicFileAttributes attributes) throws IOException;
    }

    private static void visit(Path top, Look look) throws IOException {
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                look.at(file, attributes);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException problem) throws IOException {
                look.at(directory, Files.readAttributes(directory, BasicFileAttributes.class));
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
