package dev.mooring.volume;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Node-wide state of a volume that all Pods of the node share.
 *
 * @param devicePath the device, such as /dev/loop3; "" if there is none
 * @param deviceMountPath the global mount path, if the volume is mounted
 */
public record DeviceState(String devicePath, Optional<Path> deviceMountPath) {}
