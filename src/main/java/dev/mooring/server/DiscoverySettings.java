package dev.mooring.server;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A directory of this machine whose subdirectories are published as local volumes.
 *
 * @param storageClass StorageClass of the volumes
 * @param options discovery options
 */
public record DiscoverySettings(Path directory, String storageClass, List<Option> options) {
    /** Discovery option. */
    public enum Option {
        /** Only mount points are published, so that a missing disk does not become a directory on the root disk. */
        MOUNTS,
        /** Released volumes are wiped and published again. */
        WIPE
    }

    private static final Pattern CLASS = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?");

    public DiscoverySettings {
        options = List.copyOf(options);
    }

    /** Parses {@code /mnt/disks=local+mounts+wipe}. */
    static DiscoverySettings parse(String text) {
        int equals = text.lastIndexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException();
        }
        Path directory = ValueType.anAbsolutePath().read(text.substring(0, equals));
        String[] words = text.substring(equals + 1).trim().split("\\+", -1);
        if (!CLASS.matcher(words[0]).matches()) {
            throw new IllegalArgumentException();
        }
        ValueType<Option> option = ValueType.oneOf(Option.class);
        return new DiscoverySettings(
                directory,
                words[0],
                Arrays.stream(words).skip(1).map(option::read).toList());
    }

    public boolean has(Option option) {
        return options.contains(option);
    }
}
