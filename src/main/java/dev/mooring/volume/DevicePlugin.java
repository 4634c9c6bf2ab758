package dev.mooring.volume;

import java.util.Optional;

/**
 * A volume plugin with a node-wide stage: the volume is attached as a device, or mounted in one place, before it is set
 * up for single Pods. Every step can be repeated after a crash at any point.
 */
public interface DevicePlugin extends VolumePlugin {
    /** Returns whether a VolumeAttachment decides on which node the volume is attached. */
    AttachMode attachMode();

    /** How the device becomes available. */
    enum AttachMode {
        /** This node attaches the device with {@link #attach} once a VolumeAttachment exists. */
        BY_THIS_NODE,
        /** The device is always available. */
        NEVER
    }

    /** Attaches the device and returns its path. If it is attached already, returns the existing device. */
    String attach(VolumeSpec volume, OperationProgress progress) throws VolumeException, InterruptedException;

    /** Detaches the device. A missing device is success. Refuses while the device is mounted. */
    void detach(VolumeSpec volume, OperationProgress progress) throws VolumeException, InterruptedException;

    /**
     * Makes the volume ready for all Pods: formats it if it is empty and should have a file system, checks it and
     * mounts it. Mounts nothing for {@code volumeMode: Block}.
     *
     * @param devicePath the result of {@link #attach}; "" if the plugin has no attach step
     */
    DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException;

    /** Undoes {@link #mountDevice}. Refuses while Pods use the volume. */
    void unmountDevice(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException;

    /**
     * Grows the volume to {@code volume.bytes()} while it is in use.
     *
     * @return the new size; empty if the volume can only grow while unused, in which case the next {@link #mountDevice}
     *     grows it
     */
    Optional<Long> expand(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException;
}
