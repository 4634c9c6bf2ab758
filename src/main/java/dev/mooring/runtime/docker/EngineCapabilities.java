package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerRuntime;
import java.util.List;
import java.util.Set;

/**
 * Properties of an engine that affect requests.
 *
 * @param architecture in the kernel's naming, such as x86_64 or aarch64
 * @param logDriver default log driver
 * @param seLinux whether it labels containers with SELinux; an engine that does not may refuse labels
 */
record EngineCapabilities(ContainerRuntime.EngineInfo info, String architecture, String logDriver, boolean seLinux) {
    /** Log drivers whose output can be read back and is bounded, or managed externally. */
    private static final Set<String> GOOD_LOG_DRIVERS = Set.of("local", "journald");

    static EngineCapabilities read(JsonNode info, String apiVersion) {
        return new EngineCapabilities(
                new ContainerRuntime.EngineInfo(
                        "docker",
                        info.path("ServerVersion").asText(),
                        apiVersion,
                        info.path("Driver").asText()),
                info.path("Architecture").asText(),
                info.path("LoggingDriver").asText(),
                hasSeLinux(info.path("SecurityOptions")));
    }

    /**
     * Returns whether SELinux is enabled.
     *
     * @param options such as {@code name=seccomp,profile=default} or {@code name=selinux}
     */
    private static boolean hasSeLinux(JsonNode options) {
        for (JsonNode each : options) {
            if (List.of(each.asText().split(",", -1)).contains("name=selinux")) {
                return true;
            }
        }
        return false;
    }

    boolean hasGoodLogDriver() {
        return GOOD_LOG_DRIVERS.contains(logDriver);
    }

    /**
     * Returns whether recursive read-only mounts are supported: API 1.44, Docker 25. Older engines ignore unknown
     * fields silently.
     */
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
