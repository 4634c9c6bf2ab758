package dev.mooring.api.http;

import dev.mooring.api.discovery.Document;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The files of the web page: everything below {@code dev/mooring/ui/} on the class path, and the libraries from
 * WebJars. Only files of this list are served, so no path of a request reaches a file system. Loaded and compressed on
 * first use. Thread-safe.
 */
final class UiFiles {
    private static final String ROOT = "dev/mooring/ui/";

    /** Files of libraries, by WebJar; at {@code /ui/lib/WEBJAR/FILE}, without the version. */
    private static final Map<String, List<String>> LIBRARIES = Map.of("preact", List.of("dist/preact.module.js"));

    private static final Map<String, String> CONTENT_TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "json", "application/json",
            "svg", "image/svg+xml",
            "png", "image/png");

    private final ClassLoader loader = UiFiles.class.getClassLoader();
    private volatile Map<String, Document> loaded;

    /** Returns the files by their path below {@code /ui/} if they are loaded. */
    Optional<Map<String, Document>> ifLoaded() {
        return Optional.ofNullable(loaded);
    }

    /** Returns the files, after loading them if necessary. Blocks. */
    synchronized Map<String, Document> load() {
        if (loaded == null) {
            Map<String, Document> files = new HashMap<>();
            for (String name : names()) {
                files.put(name, Document.of(read(ROOT + name), contentType(name)));
            }
            LIBRARIES.forEach((webJar, sources) -> sources.forEach(file ->
                    files.put("lib/" + webJar + '/' + file, Document.of(library(webJar, file), contentType(file)))));
            loaded = Map.copyOf(files);
        }
        return loaded;
    }

    /** Returns the names of all files below the root, which is a directory or part of a JAR file. */
    private List<String> names() {
        URL index = loader.getResource(ROOT + "index.html");
        if (index == null) {
            throw new IllegalStateException("Missing resource " + ROOT + "index.html");
        }
        try {
            URLConnection connection = index.openConnection();
            if (connection instanceof JarURLConnection inJar) {
                inJar.setUseCaches(false);
                try (JarFile jar = inJar.getJarFile()) {
                    return jar.stream()
                            .filter(entry -> !entry.isDirectory())
                            .map(ZipEntry::getName)
                            .filter(name -> name.startsWith(ROOT))
                            .map(name -> name.substring(ROOT.length()))
                            .toList();
                }
            }
            Path root = Path.of(index.toURI()).getParent();
            try (Stream<Path> below = Files.walk(root)) {
                return below.filter(Files::isRegularFile)
                        .map(file -> root.relativize(file).toString())
                        .toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to list the files of the web page", e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("Failed to list the files of the web page at " + index, e);
        }
    }

    private byte[] library(String webJar, String file) {
        Properties project = new Properties();
        String descriptor = "META-INF/maven/org.webjars.npm/" + webJar + "/pom.properties";
        try (InputStream in = loader.getResourceAsStream(descriptor)) {
            if (in == null) {
                throw new IllegalStateException("Missing WebJar " + webJar);
            }
            project.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to read " + descriptor, e);
        }
        return read("META-INF/resources/webjars/" + webJar + '/' + project.getProperty("version") + '/' + file);
    }

    private byte[] read(String resource) {
        try (InputStream in = loader.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("Missing resource " + resource);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to read resource " + resource, e);
        }
    }

    private static String contentType(String name) {
        String type = CONTENT_TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null) {
            throw new IllegalStateException("File " + name + " of the web page has no known content type");
        }
        return type;
    }
}
