package dev.mooring.chaos.path;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.path.AttackRun.RoundResult;
import dev.mooring.host.HostMachine;
import dev.mooring.model.view.BlockSource;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation.OperationType;
import dev.mooring.volume.work.NfsSettings;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkResult;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Provisions, deletes, scrubs and grows volumes while an attacker who can write to the base replaces their paths. */
@Timeout(600)
@Tag("chaos")
class PathAttackTest {
    private static final String UID = "0123abcd-1947-4000-8000-00000000000a";
    private static final long MEBI = 1024 * 1024;

    @TempDir
    Path temp;

    private Path node;
    private Path allowed;
    private ProtectedFiles protectedFiles;
    private VolumeWorkers workers;

    @BeforeEach
    void createNode() throws IOException {
        HostMachine.assumeRoot();
        Path root = temp.toRealPath();
        node = Files.createDirectory(root.resolve("node"));
        allowed = Files.createDirectory(node.resolve("allowed"));
        protectedFiles = ProtectedFiles.in(root);
        workers = VolumeWorkers.of(WorkerSettings.below(
                Files.createDirectory(node.resolve("data")), List.of(allowed), NfsSettings.none()));
    }

    private VolumeWork work(OperationType work, String provisioner, Optional<ObjectNode> source, long bytes) {
        return new VolumeWork(
                work,
                provisioner,
                "pv-a",
                UID,
                "team/claim",
                source,
                VolumeMode.FILESYSTEM,
                bytes,
                Map.of("basePath", allowed.toString()),
                Optional.empty());
    }

    /** Provisions and deletes a volume. Every eighth round empties the base: a decoy left there blocks all others. */
    private RoundResult provisionAndDelete(int round, String provisioner)
            throws VolumeWorkException, InterruptedException {
        if (round % 8 == 0) {
            TestFileOperations.empty(allowed);
        }
        VolumeWorkResult result = workers.perform(work(OperationType.PROVISION, provisioner, Optional.empty(), MEBI));
        workers.perform(work(OperationType.DELETE, provisioner, result.source(), MEBI));
        return RoundResult.UNDISTURBED;
    }

    @ParameterizedTest
    @CsvSource({
        HostPathSource.PROVISIONER + ", team/claim",
        LocalSource.PROVISIONER + ", team/claim",
        BlockSource.PROVISIONER + ", team/claim.img"
    })
    void provisioner_pathsReplaced_changesNothingOutside(String provisioner, String place) throws Exception {
        try (AttackRun attackRun = new AttackRun(provisioner, node, protectedFiles)) {
            attackRun
                    .attack(allowed.resolve("team"), Decoy.withoutHardLinks())
                    .attack(allowed.resolve(place), Decoy.all())
                    .run(round -> provisionAndDelete(round, provisioner));
        }
    }

    @Test
    void provisioner_markerPathsReplaced_changesNothingOutside() throws Exception {
        try (AttackRun attackRun = new AttackRun("markers", node, protectedFiles)) {
            attackRun
                    .attack(allowed.resolve(".mooring"), Decoy.withoutHardLinks())
                    .attack(allowed.resolve(".mooring/" + UID), Decoy.ofContainers())
                    .run(round -> provisionAndDelete(round, HostPathSource.PROVISIONER));
        }
    }

    @Test
    void scrub_pathsReplaced_changesNothingOutside() throws Exception {
        Path volume = Files.createDirectories(allowed.resolve("disk"));
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("local").put("path", volume.toString());
        VolumeWork scrub = work(OperationType.SCRUB, LocalSource.PROVISIONER, Optional.of(source), MEBI);
        try (AttackRun attackRun = new AttackRun("scrub", node, protectedFiles)) {
            attackRun
                    .attack(volume, Set.of(Decoy.LINK, Decoy.LINK_UP, Decoy.LOOP, Decoy.FIFO, Decoy.NOTHING))
                    .attack(volume.resolve("sub"), Decoy.all())
                    .attack(volume.resolve("sub/inner"), Decoy.all())
                    .run(round -> {
                        fill(volume);
                        workers.perform(scrub);
                        return RoundResult.UNDISTURBED;
                    });
        }
    }

    /** Creates directories as a container would, without leaving the volume. */
    private static void fill(Path volume) {
        TestFileOperations.makeBelow(volume, List.of("sub", "inner", "deep"));
        TestFileOperations.makeBelow(volume, List.of("b"));
    }

    /** Growing runs programs that check and repair the image and grow its filesystem. */
    @Test
    void grow_imagePathsReplaced_changesNothingOutside() throws Exception {
        VolumeWorkResult provisioned =
                workers.perform(work(OperationType.PROVISION, BlockSource.PROVISIONER, Optional.empty(), 4 * MEBI));
        Path image = allowed.resolve("team/claim.img");
        HostMachine.run("mkfs.ext4", "-q", image.toString());
        Path protectedImage = protectedFiles.root().resolve("claim.img");
        Files.copy(image, protectedImage, StandardCopyOption.REPLACE_EXISTING);
        protectedFiles.seal();
        Set<Decoy> decoys = EnumSet.of(Decoy.LINK_SAME_NAME, Decoy.HARD_LINK, Decoy.FIFO, Decoy.NOTHING);
        try (AttackRun attackRun = new AttackRun("grow", node, protectedFiles)) {
            attackRun
                    .attack(image, decoys)
                    .attack(allowed.resolve("team"), EnumSet.of(Decoy.LINK, Decoy.LINK_UP, Decoy.NOTHING))
                    .run(round -> {
                        workers.perform(work(
                                OperationType.GROW,
                                BlockSource.PROVISIONER,
                                provisioned.source(),
                                4 * MEBI + round % 16 * 65_536L));
                        return RoundResult.UNDISTURBED;
                    });
        }
    }
}
