package dev.mooring.volume;

import java.nio.file.Path;
import java.util.List;

/**
 * A volume that is set up for a Pod.
 *
 * @param path the directory, file or device for the containers: the target or, for a hostPath, the path itself
 * @param source the mount source as the kernel reports it, such as nas:/exports/data; "" if nothing is mounted
 * @param options options in force, as the kernel reports them
 * @param events Warning Events about the successful set-up, for example that the group could not be set
 */
public record SetUpResult(Path path, String source, List<String> options, List<SetUpEvent> events) {
    /** An Event of the Pod. */
    public record SetUpEvent(String reason, String message) {}

    public SetUpResult {
        options = List.copyOf(options);
        events = List.copyOf(events);
    }

    /** Returns a result with no mount and no Events. */
    public static SetUpResult at(Path path) {
        return new SetUpResult(path, "", List.of(), List.of());
    }
}
