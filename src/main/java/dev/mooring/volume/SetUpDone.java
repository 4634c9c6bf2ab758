package dev.mooring.volume;

import java.nio.file.Path;
import java.util.List;

/**
 * A volume that is there for a Pod.
 *
 * @param path the directory, file or device that containers are to get: the target, or for a hostPath the path itself
 * @param source what is mounted, as the kernel calls it, such as nas:/exports/data; "" if nothing is
 * @param options in force, as the kernel reports them
 * @param remarks what a person should know although it went well, such as that a group could not be set; each becomes a Warning
 */
public record SetUpDone(Path path, String source, List<String> options, List<Remark> remarks) {
    /** Becomes an event of the Pod. */
    public record Remark(String reason, String message) {}

    public SetUpDone {
        options = List.copyOf(options);
        remarks = List.copyOf(remarks);
    }

    /** With nothing mounted and nothing to remark. */
    public static SetUpDone at(Path path) {
        return new SetUpDone(path, "", List.of(), List.of());
    }
}
