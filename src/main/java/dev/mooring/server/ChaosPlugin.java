package dev.mooring.server;

import dev.mooring.model.view.SourceTypes;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import java.util.Optional;

/**
 * Wraps a plugin: fails or waits before anything is touched if a fault is armed, and delegates otherwise. As
 * thread-safe as the wrapped plugin.
 */
class ChaosPlugin extends PluginWrapper {
    private final VolumePlugin real;
    private final ChaosVolumeFaults mounts;

    ChaosPlugin(VolumePlugin real, ChaosVolumeFaults mounts) {
        super(real);
        this.real = real;
        this.mounts = mounts;
    }

    /** Wraps all plugins. */
    static VolumePlugins around(VolumePlugins plugins, ChaosVolumeFaults mounts) {
        return new VolumePlugins(plugins.all().stream()
                .map(each -> each instanceof DevicePlugin device
                        ? new ChaosDevicePlugin(device, mounts)
                        : new ChaosPlugin(each, mounts))
                .toList());
    }

    ChaosVolumeFaults mounts() {
        return mounts;
    }

    @Override
    public SetUpResult setUp(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        mounts.failIfArmed();
        mounts.awaitServer(SourceTypes.server(request.volume().source()));
        return real.setUp(request, progress);
    }

    @Override
    public void tearDown(TearDownRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        mounts.awaitServer(request.server());
        real.tearDown(request, progress);
    }

    /** Injects faults into a device plugin. Device steps work as usual; only the set-up for Pods fails. */
    private static final class ChaosDevicePlugin extends ChaosPlugin implements DevicePlugin {
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
        public String attach(VolumeSpec volume, OperationProgress progress)
                throws VolumeException, InterruptedException {
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
}
