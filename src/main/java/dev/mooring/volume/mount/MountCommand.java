package dev.mooring.volume.mount;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What is to be mounted by mount(8).
 *
 * @param type such as nfs4 or ext4
 * @param source such as nas:/exports/data or /dev/loop3
 * @param options each one option; none holds a comma
 */
public record MountCommand(String type, String source, Path target, List<String> options, Duration deadline) {
    public MountCommand {
        options = List.copyOf(options);
        for (String each : options) {
            if (each.isEmpty() || each.indexOf(',') >= 0) {
                throw new IllegalArgumentException("Expected one mount option, but found \"" + each + '"');
            }
        }
        if (source.startsWith("-") || type.startsWith("-")) {
            throw new IllegalArgumentException("Expected what to mount, but found an option: " + type + ' ' + source);
        }
    }
}
