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
 * Files outside the directories under attack, with all names an operation could look for, so that an operation led here
 * finds something to read, change or delete. They must never change, and their content must appear nowhere else. Hard
 * links to them that an attacker created count as protected files.
 */
final class ProtectedFiles {
    static final String SECRET = "PROTECTED-5d41402a";

    /** Large enough to be noticed in a sum of sizes. */
    static final int FILE_BYTES = 8 * 1024 * 1024;

    private static final int OWNER = 4321;
    private static final List<String> NAMES =
            List.of("a", "b", "team", "claim", "sub", "inner", "cache", "v", "volumes", "plugins", "containers", "web");
    private static final List<String> FILES = List.of("secret", "0", "1", "key", "ready", "claim.img");

    private final Path root;
    private final Set<Object> inodes = new HashSet<>();
    private Map<String, String> before = Map.of();

    private ProtectedFiles(Path root) {
        this.root = root;
    }

    static ProtectedFiles in(Path parent) throws IOException {
        ProtectedFiles created = new ProtectedFiles(Files.createDirectories(parent.resolve("outside/protected")));
        created.fill(created.root);
        for (String name : NAMES) {
            Path below = Files.createDirectory(created.root.resolve(name));
            created.fill(below);
            for (String inner : NAMES) {
                Files.writeString(Files.createDirectory(below.resolve(inner)).resolve("secret"), SECRET);
            }
        }
        Files.write(created.root.resolve("sub/large"), new byte[FILE_BYTES]);
        created.seal();
        return created;
    }

    private void fill(Path directory) throws IOException {
        for (String name : FILES) {
            Files.writeString(directory.resolve(name), SECRET + " in " + name);
        }
        Files.createDirectory(directory.resolve("empty"));
        Files.createFile(directory.resolve("nothing"));
    }

    /** Sets unusual owners, permissions and times and records the state that must not change from now on. */
    void seal() throws IOException {
        visit(root, (path, attributes) -> {
            Files.setAttribute(path, "unix:mode", attributes.isDirectory() ? 0750 : 0640);
            Files.setAttribute(path, "unix:uid", OWNER);
            Files.setAttribute(path, "unix:gid", OWNER);
            Files.setLastModifiedTime(path, FileTime.from(Instant.ofEpochSecond(1_000_000_007, 13)));
            inodes.add(attributes.fileKey());
        });
        before = snapshot();
    }

    Path root() {
        return root;
    }

    boolean has(Path path) throws IOException {
        return inodes.contains(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey());
    }

    private Map<String, String> snapshot() throws IOException {
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

    /** Asserts that nothing has changed; the failure message contains only the differences. */
    void assertUnchanged(String after) throws IOException {
        Map<String, String> found = snapshot();
        Map<String, String> lost = new TreeMap<>(before);
        lost.entrySet().removeAll(found.entrySet());
        found.entrySet().removeAll(before.entrySet());
        assertThat(found)
                .as("new or changed protected files (before: %s) after %s", lost, after)
                .isEmpty();
        assertThat(lost).as("removed protected files after %s", after).isEmpty();
    }

    /** Asserts that no file below the place has protected content, except hard links to the protected files. */
    void assertNotLeakedBelow(Path place, String after) throws IOException {
        visit(place, (path, attributes) -> {
            if (attributes.isRegularFile() && !inodes.contains(attributes.fileKey()) && attributes.size() < 1 << 16) {
                assertThat(new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1))
                        .as("%s after %s", path, after)
                        .doesNotContain(SECRET);
            }
        });
    }

    private interface PathVisitor {
        void at(Path path, BasicFileAttributes attributes) throws IOException;
    }

    private static void visit(Path top, PathVisitor visitor) throws IOException {
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                visitor.at(file, attributes);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException problem) throws IOException {
                visitor.at(directory, Files.readAttributes(directory, BasicFileAttributes.class));
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
