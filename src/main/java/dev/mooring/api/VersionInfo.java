package dev.mooring.api;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The version reported by {@code /version} and {@code mooring version}. The build writes version, commit and date into
 * {@code dev/mooring/build.properties}; in unprocessed sources they are {@code dev} and {@code unknown}.
 *
 * <p>{@code /version} has the shape of Kubernetes' version.Info, because kubectl uses {@code minor} to decide which
 * features to request; {@code goVersion} therefore names the Java runtime.
 */
public record VersionInfo(String version, String commit, String treeState, String buildDate) {
    /** The Kubernetes release whose behaviour this server follows. */
    public static final String KUBERNETES_MAJOR = "1";

    public static final String KUBERNETES_MINOR = "32";
    public static final String KUBERNETES_VERSION = "v1.32.4";

    private static final String RESOURCE = "/dev/mooring/build.properties";
    private static final String PLACEHOLDER = "@";

    public static VersionInfo ofThisBuild() {
        Properties build = new Properties();
        try (InputStream resource = VersionInfo.class.getResourceAsStream(RESOURCE)) {
            if (resource != null) {
                build.load(resource);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to read resource " + RESOURCE, e);
        }
        return new VersionInfo(
                value(build, "version", "dev"),
                value(build, "commit", "unknown"),
                value(build, "treeState", "unknown"),
                value(build, "date", "1970-01-01T00:00:00Z"));
    }

    private static String value(Properties build, String key, String fallback) {
        String value = build.getProperty(key, "").trim();
        return value.isEmpty() || value.startsWith(PLACEHOLDER) ? fallback : value;
    }

    /** Returns a version such as {@code v1.32.4+mooring-0.1.0}; kubectl reads the part before the plus. */
    public String gitVersion() {
        return KUBERNETES_VERSION + "+mooring-" + version;
    }

    public JsonObject toJson() {
        return new JsonObject()
                .put("major", KUBERNETES_MAJOR)
                .put("minor", KUBERNETES_MINOR)
                .put("gitVersion", gitVersion())
                .put("gitCommit", commit)
                .put("gitTreeState", treeState)
                .put("buildDate", buildDate)
                .put("goVersion", "java" + Runtime.version().feature())
                .put("compiler", "javac")
                .put("platform", "linux/" + architecture(System.getProperty("os.arch")));
    }

    /** Returns Go's name of the architecture. */
    private static String architecture(String java) {
        return switch (java) {
            case "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            default -> java;
        };
    }
}
