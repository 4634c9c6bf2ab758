package dev.mooring.volume.work;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.VolumeOperation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * The workers of a node. Selects one by provisioner or, to scrub statically created volumes, by the type of the volume
 * source. Immutable and thread-safe, see {@link VolumeWorker}.
 */
public final class VolumeWorkers {
    /** Creates workers that are not built in; found by {@link ServiceLoader}. */
    public interface Factory {
        VolumeWorker make(WorkerSettings settings);
    }

    private final Map<String, VolumeWorker> workers = new LinkedHashMap<>();

    /** Creates the set; a later worker replaces an earlier one for the same provisioner. */
    public VolumeWorkers(List<VolumeWorker> workers) {
        workers.forEach(each -> this.workers.put(each.provisioner(), each));
    }

    /** Returns the built-in workers and those on the class path. */
    public static VolumeWorkers of(WorkerSettings settings) {
        List<VolumeWorker> all = new ArrayList<>(
                builtIn(settings, SystemCalls.real(), MountTable::read, FileSystemSpace::measure, new ChildProcess()));
        ServiceLoader.load(Factory.class).forEach(factory -> all.add(factory.make(settings)));
        return new VolumeWorkers(all);
    }

    static List<VolumeWorker> builtIn(
            WorkerSettings settings,
            SystemCalls calls,
            MountTableSupplier mounts,
            FileSystemSpace.SpaceProbe gauge,
            CommandRunner runner) {
        FileOperations fileOperations = new IsolatedFileOperations(
                new DirectFileOperations(calls, mounts), mounts, runner, settings.deadline());
        return List.of(
                new DirectoryWorker(DirectoryWorker.DirectoryVolumeKind.HOST_PATH, settings, fileOperations),
                new DirectoryWorker(DirectoryWorker.DirectoryVolumeKind.LOCAL, settings, fileOperations),
                new NfsWorker(settings, fileOperations, new TemporaryMount(settings, mounts, runner)),
                new BlockWorker(settings, calls, mounts, gauge, new ImageTools(runner, mounts)));
    }

    /** Runs the job with its worker. */
    public VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        Optional<VolumeWorker> worker = workerFor(work);
        if (worker.isEmpty()) {
            throw new VolumeWorkException(
                    VolumeWorkException.INVALID,
                    "Cannot " + work.work() + " volume " + work.volume() + ": this node has no provisioner \""
                            + work.provisioner() + "\", only " + workers.keySet());
        }
        try {
            return worker.get().perform(work);
        } catch (VolumeWorkException e) {
            boolean neverMade = work.work() == VolumeOperation.OperationType.DELETE
                    && work.source().isEmpty()
                    && e.reason().equals(VolumeWorkException.OUTSIDE_BASE);
            if (neverMade) {
                return VolumeWorkResult.deleted(Optional.of("nothing was created for " + work.volume()
                        + ", because this node does not allow it: " + e.getMessage()));
            }
            throw e;
        }
    }

    private Optional<VolumeWorker> workerFor(VolumeWork work) {
        String provisioner = work.provisioner();
        if (work.work() == VolumeOperation.OperationType.SCRUB && !workers.containsKey(provisioner)) {
            provisioner = work.source()
                    .flatMap(SourceTypes::of)
                    .filter(type -> !type.isDevice())
                    .flatMap(SourceType::provisioner)
                    .orElse(provisioner);
        }
        return Optional.ofNullable(workers.get(provisioner));
    }
}
