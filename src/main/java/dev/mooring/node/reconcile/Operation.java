package dev.mooring.node.reconcile;

import java.util.Optional;
import java.util.stream.Stream;

/** What can be done to a volume, in the order in which one look at it has it done. */
public enum Operation {
    UNMOUNT("volume_unmount", "VolumeUnmounting", "VolumeUnmounted", "VolumeUnmountFailed"),
    ATTACH("volume_attach", "VolumeAttaching", "VolumeAttached", "VolumeAttachFailed"),
    MOUNT_DEVICE("mount_device", "VolumeDeviceMounting", "VolumeDeviceMounted", "VolumeDeviceMountFailed"),
    MOUNT("volume_mount", "VolumeMounting", "VolumeMounted", "VolumeMountFailed"),
    EXPAND("expand_volume", "VolumeExpanding", "VolumeExpanded", "VolumeExpandFailed"),
    UNMOUNT_DEVICE("unmount_device", "VolumeDeviceUnmounting", "VolumeDeviceUnmounted", "VolumeDeviceUnmountFailed"),
    DETACH("volume_detach", "VolumeDetaching", "VolumeDetached", "VolumeDetachFailed");

    private final String text;
    private final String opening;
    private final String done;
    private final String failed;

    Operation(String text, String opening, String done, String failed) {
        this.text = text;
        this.opening = opening;
        this.done = done;
        this.failed = failed;
    }

    /** As it stands in objects and metrics; the kubelet's names. */
    public String text() {
        return text;
    }

    /** The type of the event before anything is done. */
    String opening() {
        return opening;
    }

    /** The type of the event when it has been done. */
    String done() {
        return done;
    }

    /** The type of the event when it failed and left nothing behind. */
    String failed() {
        return failed;
    }

    /** The type of the event when it failed and may have left something behind. */
    String uncertain() {
        return failed.replace("Failed", "Uncertain");
    }

    /** Whether it concerns one Pod; the others concern all that have the volume. */
    boolean isForOnePod() {
        return this == MOUNT || this == UNMOUNT;
    }

    static Optional<Operation> named(String text) {
        return Stream.of(values()).filter(each -> each.text.equals(text)).findFirst();
    }
}
