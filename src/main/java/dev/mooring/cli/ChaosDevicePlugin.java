package dev.mooring.cli;

import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import java.util.Optional;

/** The same for volumes that all Pods of a node share. What they share is made ready as ever; what fails is what is set up for a Pod. */
final class ChaosDevicePlugin extends ChaosPlugin implements DevicePlugin {
    private final DevicePlugin real;

    ChaosDevicePlugin(DevicePlugin real, ChaosMounts mounts) {
        super(real, mounts);
        this.real = real;
    }

    @Override
    public Attaching attaching() {
        return real.attaching();
    }

    @Override
    public String attach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
        return real.attach(volume, progress);
    }

    @Override
    public void detach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
        real.detach(volume, progress);
    }

    @Override
    public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        return real.mountDevice(volume, devicePath, access, progress);
    }

    @Override
    public void unmountDevice(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException {
        real.unmountDevice(volume, state, progress);
    }

    @Override
    public Optional<Long> expand(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException {
        return real.expand(volume, state, progress);
    }
}
