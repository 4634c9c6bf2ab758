package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.EngineInfo;
import java.util.Set;

/**
 * What has to be known of an engine to ask it rightly.
 *
 * @param architecture as the kernel names it, such as x86_64 or aarch64
 * @param logDriver what it keeps containers' output with unless told otherwise
 */
record EngineTraits(EngineInfo info, String architecture, String logDriver) {
    /** Of these the output can be read again, and they have bounds or are looked after by others. */
    private static final Set<String> GOOD_LOG_DRIVERS = Set.of("local", "journald");

    static EngineTraits read(JsonNode info, String apiVersion) {
        return new EngineTraits(
                new EngineInfo(
                        "docker",
                        info.path("ServerVersion").asText(),
                        apiVersion,
                        info.path("Driver").asText()),
                info.path("Architecture").asText(),
                info.path("LoggingDriver").asText());
    }

    boolean hasGoodLogDriver() {
        return GOOD_LOG_DRIVERS.contains(logDriver);
    }

    /** API 1.44: Docker 25. Older engines take what they do not know without a word. */
    boolean hasRecursiveReadOnly() {
        return apiIsAtLeast(1, 44);
    }

    private boolean apiIsAtLeast(int major, int minor) {
        String[] parts = info.apiVersion().split("\\.", -1);
        try {
            int ownMajor = Integer.parseInt(parts[0]);
            int ownMinor = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
            return ownMajor > major || (ownMajor == major && ownMinor >= minor);
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
