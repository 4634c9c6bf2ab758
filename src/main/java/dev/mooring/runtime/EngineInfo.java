package dev.mooring.runtime;

/**
 * Who an engine is.
 *
 * @param name such as {@code docker}
 * @param version such as 20.10.24
 * @param apiVersion such as 1.41
 * @param storage what it keeps containers' files with, such as overlay2
 */
public record EngineInfo(String name, String version, String apiVersion, String storage) {
    /** As {@code kubectl get nodes -o wide} shows it. */
    public String text() {
        return name + "://" + version;
    }
}
