package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation.OperationType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node with real directories, and operations for it. */
final class VolumeWorkFixture {
    static final String UID = "0123abcd-1947-4000-8000-00000000000a";
    static final String OTHER_UID = "9876fedc-1947-4000-8000-00000000000b";
    static final ClaimIdentity CLAIM = new ClaimIdentity("team-a", "uid-of-team-a", "data");
    static final long MEBI = 1024 * 1024;

    final Path root;
    final Path allowed;
    final Path outside;
    final WorkerSettings settings;
    final VolumeWorkers workers;

    VolumeWorkFixture(Path temp) throws IOException {
        root = temp.toRealPath();
        allowed = Files.createDirectories(root.resolve("allowed"));
        outside = Files.createDirectories(root.resolve("outside"));
        Files.createDirectories(root.resolve("data"));
        Path exported = Files.createDirectories(root.resolve("export"));
        settings = WorkerSettings.below(
                root.resolve("data"),
                List.of(allowed),
                new NfsSettings("nfs.example", exported, NfsSettings.NfsRole.SERVER));
        workers = workers(SystemCalls.real());
    }

    VolumeWorkers workers(SystemCalls calls) {
        return workers(calls, FileSystemSpace::measure, new ChildProcess());
    }

    VolumeWorkers workers(SystemCalls calls, FileSystemSpace.SpaceProbe gauge, CommandRunner runner) {
        return new VolumeWorkers(VolumeWorkers.builtIn(settings, calls, MountTable::read, gauge, runner));
    }

    Path base(String kind) {
        return settings.defaultBase().resolve(kind);
    }

    static VolumeWork provision(String provisioner, String path, Map<String, String> parameters) {
        return new VolumeWork(
                OperationType.PROVISION,
                provisioner,
                "pv-a",
                UID,
                path,
                Optional.empty(),
                VolumeMode.FILESYSTEM,
                MEBI,
                parameters,
                Optional.of(CLAIM));
    }

    static VolumeWork hostPath(String path) {
        return provision(HostPathSource.PROVISIONER, path, Map.of());
    }

    /** Returns another operation on the same volume. */
    static VolumeWork then(OperationType work, VolumeWork before, Optional<ObjectNode> source) {
        return new VolumeWork(
                work,
                before.provisioner(),
                before.volume(),
                before.uid(),
                before.path(),
                source,
                before.mode(),
                before.bytes(),
                before.parameters(),
                before.claim());
    }

    /** Returns the same operation on another volume. */
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
                before.parameters(),
                before.claim());
    }

    /** Returns the same operation for another claim. */
    static VolumeWork of(Optional<ClaimIdentity> claim, VolumeWork before) {
        return new VolumeWork(
                before.work(),
                before.provisioner(),
                before.volume(),
                before.uid(),
                before.path(),
                before.source(),
                before.mode(),
                before.bytes(),
                before.parameters(),
                claim);
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
                before.parameters(),
                before.claim());
    }

    VolumeWorkResult delete(VolumeWork before, VolumeWorkResult made) throws VolumeWorkException, InterruptedException {
        return workers.perform(then(OperationType.DELETE, before, made.source()));
    }
}
