package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.CommandRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node with real directories, and works for it. */
final class Bench {
    static final String UID = "0123abcd-1947-4000-8000-00000000000a";
    static final String OTHER_UID = "9876fedc-1947-4000-8000-00000000000b";
    static final long MEBI = 1024 * 1024;

    final Path root;
    final Path allowed;
    final Path outside;
    final WorkerSettings settings;
    final VolumeWorkers workers;

    Bench(Path temp) throws IOException {
        root = temp.toRealPath();
        allowed = Files.createDirectories(root.resolve("allowed"));
        outside = Files.createDirectories(root.resolve("outside"));
        Files.createDirectories(root.resolve("data"));
        Path exported = Files.createDirectories(root.resolve("export"));
        settings = WorkerSettings.below(
                root.resolve("data"),
                List.of(allowed),
                new NfsSettings("nfs.example", exported, NfsSettings.Role.SERVER));
        workers = workers(SystemCalls.real());
    }

    VolumeWorkers workers(SystemCalls calls) {
        return workers(calls, FileSystemSpace::measure, new ChildProcess());
    }

    VolumeWorkers workers(SystemCalls calls, FileSystemSpace.Gauge gauge, CommandRunner runner) {
        return new VolumeWorkers(VolumeWorkers.builtIn(settings, calls, MountTable::read, gauge, runner));
    }

    Path base(String kind) {
        return settings.defaultBase().resolve(kind);
    }

    static VolumeWork provision(String provisioner, String path, Map<String, String> parameters) {
        return new VolumeWork(
                Work.PROVISION,
                provisioner,
                "pv-a",
                UID,
                path,
                Optional.empty(),
                VolumeMode.FILESYSTEM,
                MEBI,
                parameters);
    }

    static VolumeWork hostPath(String path) {
        return provision(StorageNames.HOST_PATH_PROVISIONER, path, Map.of());
    }

    /** The same volume, other work. */
    static VolumeWork then(Work work, VolumeWork before, Optional<ObjectNode> source) {
        return new VolumeWork(
                work,
                before.provisioner(),
                before.volume(),
                before.uid(),
                before.path(),
                source,
                before.mode(),
                before.bytes(),
                before.parameters());
    }

    /** The same work, another volume. */
    static VolumeWork as(String volume, String uid, VolumeWork before) {
        return new VolumeWork(
                before.work(),
                before.provisioner(),
                volume,
                uid,
                before.path(),
                before.source(),
                before.mode(),
                before.bytes(),
                before.parameters());
    }

    static VolumeWork sized(long bytes, VolumeWork before) {
        return new VolumeWork(
                before.work(),
                before.provisioner(),
                before.volume(),
                before.uid(),
                before.path(),
                before.source(),
                before.mode(),
                bytes,
                before.parameters());
    }

    WorkDone delete(VolumeWork before, WorkDone made) throws VolumeWorkException, InterruptedException {
        return workers.perform(then(Work.DELETE, before, made.source()));
    }
}
