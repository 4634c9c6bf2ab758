package dev.mooring.sim.node;

import dev.mooring.sim.node.SimKernel.Mount;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import java.util.List;

/** A plugin whose kernel is simulated. It does what the real one does, in one moment, unless a fault strikes. */
abstract class SimPlugin implements VolumePlugin {
    private final SimMachine machine;

    SimPlugin(SimMachine machine) {
        this.machine = machine;
    }

    final SimMachine machine() {
        return machine;
    }

    final SimKernel kernel() {
        return machine.kernel();
    }

    abstract SetUpDone appear(SetUp what) throws VolumeException, InterruptedException;

    abstract void disappear(TearDown what) throws VolumeException, InterruptedException;

    @Override
    public final SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        String target = what.target().toString();
        return machine.turns()
                .perform(
                        "setUp",
                        name(),
                        () -> appear(what),
                        done -> done || isAnythingAt(target) ? broken(Left.PERHAPS_SOMETHING) : broken(Left.NOTHING));
    }

    private boolean isAnythingAt(String target) {
        return kernel().top(target).isPresent() || kernel().hasDirectory(target);
    }

    @Override
    public final void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
        machine.turns()
                .perform(
                        "tearDown",
                        name(),
                        () -> {
                            disappear(what);
                            return what;
                        },
                        done -> broken(done ? Left.PERHAPS_SOMETHING : Left.NOTHING));
    }

    static VolumeException broken(Left left) {
        return new VolumeException(left, "MadeUp", "meant to fail", "made up");
    }

    /** Something is mounted for a Pod, or for all ({@code ""}). */
    final void mount(VolumeSpec volume, Mount mount) {
        machine.findings()
                .check(
                        kernel().depth(mount.target()) == 0,
                        "I5",
                        mount.place() + " is mounted over what is mounted at " + mount.target());
        kernel().makeDirectory(mount.target());
        kernel().mount(mount);
        if (!mount.podUid().isEmpty()) {
            taken(volume, mount.podUid());
        }
    }

    final void taken(VolumeSpec volume, String podUid) {
        machine.persistentVolume(volume).ifPresent(each -> machine.storage().taken(each, machine.name(), podUid));
    }

    /** All that is mounted there goes, and the directory. */
    final void unmount(String target) {
        List<Mount> gone = kernel().unmount(target);
        gone.forEach(machine::left);
        kernel().removeDirectory(target);
    }
}
