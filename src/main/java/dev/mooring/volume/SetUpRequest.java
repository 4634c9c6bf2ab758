package dev.mooring.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A request to set up a volume for a Pod.
 *
 * @param target path in the node's layout, below Mooring's root
 * @param device result of the device steps, if the plugin has any
 * @param fsGroup empty if the Pod sets none
 * @param podObject the whole Pod, for downward API files; must not be modified
 */
public record SetUpRequest(
        VolumeSpec volume,
        PodIdentity pod,
        Path target,
        Access access,
        Optional<DeviceState> device,
        Optional<FsGroup> fsGroup,
        ObjectNode podObject) {}
