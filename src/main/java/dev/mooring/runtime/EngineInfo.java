package dev.mooring.runtime;

/**
 * Name and version of an engine.
 *
 * @param name such as {@code docker}
 * @param version such as 20.10.24
 * @param apiVersion such as 1.41
 * @param storage storage driver, such as overlay2
 */
public record EngineInfo(String name, String version, String apiVersion, String storage) {
    /** Returns the version as {@code kubectl get nodes -o wide} shows it. */
    public String runtimeVersion() {
        return name + "://" + version;
    }
}
