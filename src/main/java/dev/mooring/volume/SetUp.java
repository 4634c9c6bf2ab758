package dev.mooring.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A volume that is to appear for a Pod.
 *
 * @param target where the node's layout wants it; below Mooring's own root
 * @param device what the steps before have brought about, if the plugin has such
 * @param ownership nothing if the Pod asks for none
 * @param podObject all of the Pod, for what is told of it in files. Nobody changes it
 */
public record SetUp(
        VolumeSpec volume,
        PodIdentity pod,
        Path target,
        Access access,
        Optional<DeviceState> device,
        Optional<Ownership> ownership,
        ObjectNode podObject) {}
