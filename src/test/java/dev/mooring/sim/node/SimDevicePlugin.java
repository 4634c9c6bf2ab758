package dev.mooring.sim.node;

import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;

/** Base of the simulated plugins that mount a volume once for all Pods and bind it for each Pod. */
abstract class SimDevicePlugin extends SimPlugin implements DevicePlugin {
    SimDevicePlugin(SimMachine machine) {
        super(machine);
    }

    abstract DataLocation dataLocation(VolumeSpec volume);

    abstract String doAttach(VolumeSpec volume) throws VolumeException;

    abstract void doDetach(VolumeSpec volume) throws VolumeException;

    abstract DeviceState doMountDevice(VolumeSpec volume, Access access) throws VolumeException;

    abstract void doUnmountDevice(VolumeSpec volume) throws VolumeException;

    abstract Optional<Long> doExpand(VolumeSpec volume) throws VolumeException;

    /** Returns the mount for a Pod; fails if the volume is not mounted for all Pods. */
    abstract SimMount sharedMount(SetUpRequest request) throws VolumeException;

    @Override
    public final String attach(VolumeSpec volume, OperationProgress progress)
            throws VolumeException, InterruptedException {
        return machine().callFaults().perform("attach", () -> doAttach(volume), SimDevicePlugin::failureState);
    }

    @Override
    public final void detach(VolumeSpec volume, OperationProgress progress)
            throws VolumeException, InterruptedException {
        machine()
                .callFaults()
                .perform(
                        "detach",
                        () -> {
                            doDetach(volume);
                            return volume;
                        },
                        SimDevicePlugin::failureState);
    }

    @Override
    public final DeviceState mountDevice(
            VolumeSpec volume, String devicePath, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        return machine()
                .callFaults()
                .perform("mountDevice", () -> doMountDevice(volume, access), SimDevicePlugin::failureState);
    }

    @Override
    public final void unmountDevice(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException {
        machine()
                .callFaults()
                .perform(
                        "unmountDevice",
                        () -> {
                            doUnmountDevice(volume);
                            return volume;
                        },
                        SimDevicePlugin::failureState);
    }

    @Override
    public final Optional<Long> expand(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException {
        return machine().callFaults().perform("expand", () -> doExpand(volume), SimDevicePlugin::failureState);
    }

    /** Returns the exception of a failed call; the state is uncertain if the call took effect. */
    private static VolumeException failureState(boolean done) {
        return injectedFailure(done ? FailureState.UNCERTAIN : FailureState.CLEAN);
    }

    /** Fails and reports a violation if the volume is still mounted for a Pod. */
    final void requireNotMountedForPods(VolumeSpec volume, String operation) throws VolumeException {
        String ending = '/' + NodeLayout.escaped(name()) + '/' + volume.name();
        Optional<SimMount> podMount = kernel().all().stream()
                .filter(each -> !each.podUid().isEmpty() && each.target().endsWith(ending))
                .findFirst();
        if (podMount.isPresent()) {
            machine()
                    .violations()
                    .report(
                            "I5",
                            volume.name() + " is to be " + operation + " while it is mounted at "
                                    + podMount.get().target());
            throw VolumeException.clean(
                    "InUse", volume.name() + " is mounted at " + podMount.get().target());
        }
    }

    @Override
    final SetUpResult doSetUp(SetUpRequest request) throws VolumeException {
        SimMount wanted = sharedMount(request);
        Optional<SimMount> existing = kernel().top(wanted.target());
        boolean upToDate = existing.filter(each -> each.dataLocation().equals(wanted.dataLocation())
                        && each.device().equals(wanted.device())
                        && each.readOnly() == wanted.readOnly())
                .isPresent();
        if (!upToDate || kernel().depth(wanted.target()) > 1) {
            unmount(wanted.target());
            mount(request.volume(), wanted);
        }
        return new SetUpResult(request.target(), wanted.source(), List.of(), List.of());
    }

    @Override
    final void doTearDown(TearDownRequest request) {
        String target = request.target().toString();
        machine().checkNotInUse(request.podUid(), target, "unmounted");
        unmount(target);
    }
}
