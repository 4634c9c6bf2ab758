package dev.mooring.api;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * What {@code /version} and {@code mooring version} say. The build writes version, commit and date into
 * {@code dev/mooring/build.properties}; run from unprocessed sources, they read {@code dev} and {@code unknown}.
 *
 * <p>{@code /version} has the shape of Kubernetes' version.Info, because kubectl decides by {@code minor} what it may ask
 * for; {@code goVersion} therefore names the Java runtime.
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
            throw new UncheckedIOException(
                    "Expected to read " + RESOURCE + " from the program itself, but could not", e);
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

    /** {@code v1.32.4+mooring-0.1.0}: kubectl reads what is before the plus. */
    public String gitVersion() {
        return KUBERNETES_VERSION + "+mooring-" + version;
    }

    JsonObject toJson() {
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

    /** As Go names it. */
    private static String architecture(String java) {
        return switch (java) {
            case "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            default -> java;
        };
    }
}
