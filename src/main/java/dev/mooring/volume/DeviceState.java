package dev.mooring.volume;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What a node has of a volume that all its Pods share.
 *
 * @param path the device, such as /dev/loop3; "" if there is none
 * @param mounted where it is mounted once for all Pods, if it is
 */
public record DeviceState(String path, Optional<Path> mounted) {}
