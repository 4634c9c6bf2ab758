package dev.mooring.node.volumemanager;

import java.util.Optional;
import java.util.stream.Stream;

/** The operations on a volume, in the order in which one sync executes them. */
public enum Operation {
    UNMOUNT("volume_unmount", "VolumeUnmounting", "VolumeUnmounted", "VolumeUnmountFailed"),
    ATTACH("volume_attach", "VolumeAttaching", "VolumeAttached", "VolumeAttachFailed"),
    MOUNT_DEVICE("mount_device", "VolumeDeviceMounting", "VolumeDeviceMounted", "VolumeDeviceMountFailed"),
    MOUNT("volume_mount", "VolumeMounting", "VolumeMounted", "VolumeMountFailed"),
    EXPAND("expand_volume", "VolumeExpanding", "VolumeExpanded", "VolumeExpandFailed"),
    UNMOUNT_DEVICE("unmount_device", "VolumeDeviceUnmounting", "VolumeDeviceUnmounted", "VolumeDeviceUnmountFailed"),
    DETACH("volume_detach", "VolumeDetaching", "VolumeDetached", "VolumeDetachFailed");

    private final String text;
    private final String startedEvent;
    private final String doneEvent;
    private final String failedEvent;

    Operation(String text, String opening, String done, String failed) {
        this.text = text;
        this.startedEvent = opening;
        this.doneEvent = done;
        this.failedEvent = failed;
    }

    /** Returns the name in objects and metrics, which is the kubelet's. */
    public String text() {
        return text;
    }

    /** Returns the event type for the start. */
    String startedEvent() {
        return startedEvent;
    }

    /** Returns the event type for a success. */
    String doneEvent() {
        return doneEvent;
    }

    /** Returns the event type for a failure that left nothing behind. */
    String failedEvent() {
        return failedEvent;
    }

    /** Returns the event type for a failure that may have left something behind. */
    String uncertainEvent() {
        return failedEvent.replace("Failed", "Uncertain");
    }

    /** Returns whether it concerns one Pod; other operations concern all Pods of the volume. */
    boolean isPerPod() {
        return this == MOUNT || this == UNMOUNT;
    }

    static Optional<Operation> named(String text) {
        return Stream.of(values()).filter(each -> each.text.equals(text)).findFirst();
    }
}
