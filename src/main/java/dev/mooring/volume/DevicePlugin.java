package dev.mooring.volume;

import java.util.Optional;

/**
 * A plugin whose volumes are there once for all Pods of a node before they are there for one: attached as a device, or mounted in one
 * place. Every step can be done again after a crash in its middle.
 */
public interface DevicePlugin extends VolumePlugin {
    /** Whether a VolumeAttachment decides on which node it is. */
    Attaching attaching();

    /** How the device comes. */
    enum Attaching {
        /** It waits for a VolumeAttachment, and is attached by this node: {@link #attach}. */
        BY_THIS_NODE,
        /** It is always there. */
        NEVER
    }

    /** Makes the device appear; the same device if it has. */
    String attach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException;

    /** Makes the device go. One that is gone has gone. Refuses while it is mounted. */
    void detach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException;

    /**
     * Makes the volume ready for all Pods: formats it if it is empty and meant to hold files, checks and mounts it. For {@code
     * volumeMode: Block} nothing is mounted.
     *
     * @param devicePath as {@link #attach} answered, "" if there is no such step
     */
    DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, Progress progress)
            throws VolumeException, InterruptedException;

    /** The reverse. Refuses while Pods have it. */
    void unmountDevice(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException;

    /**
     * Grows it to {@code volume.bytes()} while it is used.
     *
     * @return how large it is now; nothing if it can only grow when nobody uses it, which the next {@link #mountDevice} then does
     */
    Optional<Long> expand(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException;
}
