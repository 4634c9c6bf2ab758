package dev.mooring.server;

import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import java.util.Optional;

/** Injects faults into a device plugin. Device steps work as usual; only the set-up for Pods fails. */
final class ChaosDevicePlugin extends ChaosPlugin implements DevicePlugin {
    private final DevicePlugin real;

    ChaosDevicePlugin(DevicePlugin real, ChaosVolumeFaults mounts) {
        super(real, mounts);
        this.real = real;
    }

    @Override
    public AttachMode attachMode() {
        return real.attachMode();
    }

    @Override
    public String attach(VolumeSpec volume, OperationProgress progress) throws VolumeException, InterruptedException {
        return real.attach(volume, progress);
    }

    @Override
    public void detach(VolumeSpec volume, OperationProgress progress) throws VolumeException, InterruptedException {
        real.detach(volume, progress);
    }

    @Override
    public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        return real.mountDevice(volume, devicePath, access, progress);
    }

    @Override
    public void unmountDevice(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException {
        real.unmountDevice(volume, state, progress);
    }

    @Override
    public Optional<Long> expand(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException {
        return real.expand(volume, state, progress);
    }
}
