package dev.mooring.sim.node;

import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import java.util.List;

/** Base of the simulated plugins. An operation is atomic unless a fault is injected. */
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

    abstract SetUpResult doSetUp(SetUpRequest request) throws VolumeException, InterruptedException;

    abstract void doTearDown(TearDownRequest request) throws VolumeException, InterruptedException;

    @Override
    public final SetUpResult setUp(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        String target = request.target().toString();
        return machine.callFaults()
                .perform(
                        "setUp",
                        name(),
                        () -> doSetUp(request),
                        done -> done || isOccupied(target)
                                ? injectedFailure(FailureState.UNCERTAIN)
                                : injectedFailure(FailureState.CLEAN));
    }

    private boolean isOccupied(String target) {
        return kernel().top(target).isPresent() || kernel().hasDirectory(target);
    }

    @Override
    public final void tearDown(TearDownRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        machine.callFaults()
                .perform(
                        "tearDown",
                        name(),
                        () -> {
                            doTearDown(request);
                            return request;
                        },
                        done -> injectedFailure(done ? FailureState.UNCERTAIN : FailureState.CLEAN));
    }

    static VolumeException injectedFailure(FailureState left) {
        return new VolumeException(left, "MadeUp", "injected error", "injected");
    }

    /** Mounts a volume for a Pod, or for all Pods ({@code ""}). */
    final void mount(VolumeSpec volume, SimMount mount) {
        machine.violations()
                .check(
                        kernel().depth(mount.target()) == 0,
                        "I5",
                        mount.dataLocation() + " is mounted over another mount at " + mount.target());
        kernel().makeDirectory(mount.target());
        kernel().mount(mount);
        if (!mount.podUid().isEmpty()) {
            recordUse(volume, mount.podUid());
        }
    }

    final void recordUse(VolumeSpec volume, String podUid) {
        machine.persistentVolume(volume).ifPresent(each -> machine.storage().acquired(each, machine.name(), podUid));
    }

    /** Removes all mounts at the target, and the directory. */
    final void unmount(String target) {
        List<SimMount> removed = kernel().unmount(target);
        removed.forEach(machine::recordUnmount);
        kernel().removeDirectory(target);
    }
}
