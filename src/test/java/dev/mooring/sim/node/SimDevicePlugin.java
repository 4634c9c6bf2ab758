package dev.mooring.sim.node;

import dev.mooring.sim.node.SimKernel.Mount;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;

/** What image files and local disks have in common: each is there once for all Pods, and bound for each. */
abstract class SimDevicePlugin extends SimPlugin implements DevicePlugin {
    SimDevicePlugin(SimMachine machine) {
        super(machine);
    }

    abstract Place place(VolumeSpec volume);

    abstract String attached(VolumeSpec volume) throws VolumeException;

    abstract void detached(VolumeSpec volume) throws VolumeException;

    abstract DeviceState ready(VolumeSpec volume, Access access) throws VolumeException;

    abstract void unready(VolumeSpec volume) throws VolumeException;

    abstract Optional<Long> grown(VolumeSpec volume) throws VolumeException;

    /** What a Pod's mount shows; fails if it is not there for all. */
    abstract Mount shown(SetUp what) throws VolumeException;

    @Override
    public final String attach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
        return machine().turns().perform("attach", () -> attached(volume), SimDevicePlugin::left);
    }

    @Override
    public final void detach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
        machine()
                .turns()
                .perform(
                        "detach",
                        () -> {
                            detached(volume);
                            return volume;
                        },
                        SimDevicePlugin::left);
    }

    @Override
    public final DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        return machine().turns().perform("mountDevice", () -> ready(volume, access), SimDevicePlugin::left);
    }

    @Override
    public final void unmountDevice(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException {
        machine()
                .turns()
                .perform(
                        "unmountDevice",
                        () -> {
                            unready(volume);
                            return volume;
                        },
                        SimDevicePlugin::left);
    }

    @Override
    public final Optional<Long> expand(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException {
        return machine().turns().perform("expand", () -> grown(volume), SimDevicePlugin::left);
    }

    /** What was there before may still be there, so only one who did nothing knows. */
    private static VolumeException left(boolean done) {
        return broken(done ? Left.PERHAPS_SOMETHING : Left.NOTHING);
    }

    /** Refuses, and tells: whoever asks for it while Pods have it has not looked. */
    final void mustNotBeMountedForPods(VolumeSpec volume, String doing) throws VolumeException {
        String ending = '/' + NodeLayout.escaped(name()) + '/' + volume.name();
        Optional<Mount> having = kernel().all().stream()
                .filter(each -> !each.podUid().isEmpty() && each.target().endsWith(ending))
                .findFirst();
        if (having.isPresent()) {
            machine()
                    .findings()
                    .report(
                            "I5",
                            volume.name() + " is to be " + doing + " while it is mounted at "
                                    + having.get().target());
            throw VolumeException.clean(
                    "InUse", volume.name() + " is mounted at " + having.get().target());
        }
    }

    @Override
    final SetUpDone appear(SetUp what) throws VolumeException {
        Mount wanted = shown(what);
        Optional<Mount> there = kernel().top(wanted.target());
        boolean right = there.filter(each -> each.place().equals(wanted.place())
                        && each.device().equals(wanted.device())
                        && each.readOnly() == wanted.readOnly())
                .isPresent();
        if (!right || kernel().depth(wanted.target()) > 1) {
            unmount(wanted.target());
            mount(what.volume(), wanted);
        }
        return new SetUpDone(what.target(), wanted.source(), List.of(), List.of());
    }

    @Override
    final void disappear(TearDown what) {
        String target = what.target().toString();
        machine().mayBeTaken(what.podUid(), target, "unmounted");
        unmount(target);
    }
}
