package dev.mooring.volume.work;

import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.CommandRunner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * All workers of a node, and who of them does what: by the provisioner, or, for scrubbing what nobody provisioned, by the kind of the
 * source. Immutable; any thread, see {@link VolumeWorker}.
 */
public final class VolumeWorkers {
    /** Makes workers of kinds that are not built in; found by {@link ServiceLoader}. */
    public interface Factory {
        VolumeWorker make(WorkerSettings settings);
    }

    private final Map<String, VolumeWorker> workers = new LinkedHashMap<>();

    /** A later worker takes the place of an earlier one for the same provisioner. */
    public VolumeWorkers(List<VolumeWorker> workers) {
        workers.forEach(each -> this.workers.put(each.provisioner(), each));
    }

    /** The built-in ones and those found on the class path, on this machine. */
    public static VolumeWorkers of(WorkerSettings settings) {
        List<VolumeWorker> all = new ArrayList<>(
                builtIn(settings, SystemCalls.real(), MountTable::read, FileSystemSpace::measure, new ChildProcess()));
        ServiceLoader.load(Factory.class).forEach(factory -> all.add(factory.make(settings)));
        return new VolumeWorkers(all);
    }

    static List<VolumeWorker> builtIn(
            WorkerSettings settings,
            SystemCalls calls,
            Mounts mounts,
            FileSystemSpace.Gauge gauge,
            CommandRunner runner) {
        Hands hands = new CarefulHands(new OwnHands(calls, mounts), mounts, runner, settings.deadline());
        return List.of(
                new DirectoryWorker(DirectoryWorker.Kind.HOST_PATH, settings, hands),
                new DirectoryWorker(DirectoryWorker.Kind.LOCAL, settings, hands),
                new NfsWorker(settings, hands, new ShortMount(settings, mounts, runner)),
                new BlockWorker(settings, calls, mounts, gauge, new ImageTools(runner, mounts)));
    }

    /** Does the work with the worker it is for. */
    public WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        Optional<VolumeWorker> worker = workerFor(work);
        if (worker.isEmpty()) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Expected work for one of " + workers.keySet() + ", but found " + work.work() + " of volume "
                            + work.volume() + " for \"" + work.provisioner() + "\": this node does not know it");
        }
        try {
            return worker.get().perform(work);
        } catch (VolumeWorkException e) {
            boolean neverMade = work.work() == VolumeOperation.Work.DELETE
                    && work.source().isEmpty()
                    && e.reason().equals(VolumeWorkException.OUTSIDE_BASE);
            if (neverMade) {
                return WorkDone.gone(Optional.of("nothing was made for " + work.volume()
                        + ", because this node allows nothing to be made there: " + e.getMessage()));
            }
            throw e;
        }
    }

    private Optional<VolumeWorker> workerFor(VolumeWork work) {
        String provisioner = work.provisioner();
        if (work.work() == VolumeOperation.Work.SCRUB && !workers.containsKey(provisioner)) {
            provisioner = scrubberOf(work);
        }
        return Optional.ofNullable(workers.get(provisioner));
    }

    private static String scrubberOf(VolumeWork work) {
        if (work.fromSource("hostPath", "path").isPresent()) {
            return StorageNames.HOST_PATH_PROVISIONER;
        }
        if (work.fromSource("local", "path").isPresent()) {
            return StorageNames.LOCAL_PROVISIONER;
        }
        return work.fromSource("nfs", "path").isPresent() ? StorageNames.NFS_PROVISIONER : work.provisioner();
    }
}
