package dev.mooring.volume;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Arguments of a mount(8) invocation.
 *
 * @param type such as nfs4 or ext4
 * @param source such as nas:/exports/data or /dev/loop3
 * @param options one option each, without commas
 */
public record MountCommand(String type, String source, Path target, List<String> options, Duration deadline) {
    public MountCommand {
        options = List.copyOf(options);
        for (String each : options) {
            if (each.isEmpty() || each.indexOf(',') >= 0) {
                throw new IllegalArgumentException("mount option must not be empty or have a comma: \"" + each + '"');
            }
        }
        if (source.startsWith("-") || type.startsWith("-")) {
            throw new IllegalArgumentException("source and type must not start with '-', got " + type + ' ' + source);
        }
    }
}
