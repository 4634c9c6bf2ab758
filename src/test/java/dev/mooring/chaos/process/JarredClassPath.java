package dev.mooring.chaos.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;

/**
 * Class path of this process with jars only, as in a release. A class in a directory is opened when it is first used,
 * which fails in a process that cannot open more files; a jar is already open.
 */
final class JarredClassPath {
    private JarredClassPath() {}

    /** @param scratch directory for the jars that are created from directories */
    static String in(Path scratch) throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            entries.add(Files.isDirectory(path) ? jar(path, scratch.resolve("part" + entries.size() + ".jar")) : entry);
        }
        return String.join(File.pathSeparator, entries);
    }

    private static String jar(Path directory, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(directory)) {
            out.setLevel(Deflater.NO_COMPRESSION);
            files.filter(Files::isRegularFile).forEach(file -> {
                try {
                    out.putNextEntry(new JarEntry(directory.relativize(file).toString()));
                    Files.copy(file, out);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return jar.toString();
    }
}
