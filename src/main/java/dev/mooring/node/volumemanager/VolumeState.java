package dev.mooring.node.volumemanager;

import static dev.mooring.model.view.ActualVolume.ATTACHED;
import static dev.mooring.model.view.ActualVolume.ATTACHING;
import static dev.mooring.model.view.ActualVolume.FAILED;
import static dev.mooring.model.view.ActualVolume.MOUNTED;
import static dev.mooring.model.view.ActualVolume.MOUNTING;
import static dev.mooring.model.view.ActualVolume.UNCERTAIN;
import static dev.mooring.model.view.ActualVolume.UNMOUNTING;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Computes the summary state of a volume. Pure. */
final class VolumeState {
    /** In order of importance. */
    private static final List<String> OF_MOUNTS = List.of(UNCERTAIN, FAILED, UNMOUNTING, MOUNTING, MOUNTED);

    private VolumeState() {}

    static String of(JsonNode status) {
        String operation = status.path("operation").asText("");
        if (operation.equals(Operation.ATTACH.text())) {
            return ATTACHING;
        }
        if (operation.equals(Operation.MOUNT_DEVICE.text())) {
            return MOUNTING;
        }
        if (operation.equals(Operation.UNMOUNT_DEVICE.text())) {
            return UNMOUNTING;
        }
        Set<String> mounts = new HashSet<>();
        status.path("mounts").forEach(each -> mounts.add(each.path("state").asText("")));
        for (String each : OF_MOUNTS) {
            if (mounts.contains(each)) {
                return each;
            }
        }
        return ofDevice(status);
    }

    private static String ofDevice(JsonNode status) {
        String device = status.path("deviceMount").asText("");
        if (device.equals(UNCERTAIN)) {
            return UNCERTAIN;
        }
        // A device with an uncertain attach state is not mounted, so it may be detached.
        if (status.path("lastError").isObject()) {
            return FAILED;
        }
        return device.equals(MOUNTED) ? MOUNTED : ATTACHED;
    }
}
