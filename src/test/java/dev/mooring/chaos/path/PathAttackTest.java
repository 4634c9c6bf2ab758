package dev.mooring.chaos.path;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.path.Siege.End;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.work.NfsSettings;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkDone;
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

/** Volumes are made, deleted, emptied and grown while somebody who can write into their base bends every name on the way. */
@Timeout(600)
@Tag("chaos")
class PathAttackTest {
    private static final String UID = "0123abcd-1947-4000-8000-00000000000a";
    private static final long MEBI = 1024 * 1024;

    @TempDir
    Path temp;

    private Path node;
    private Path allowed;
    private Treasure treasure;
    private VolumeWorkers workers;

    @BeforeEach
    void aNode() throws IOException {
        Machine.assumeRoot();
        Path root = temp.toRealPath();
        node = Files.createDirectory(root.resolve("node"));
        allowed = Files.createDirectory(node.resolve("allowed"));
        treasure = Treasure.in(root);
        workers = VolumeWorkers.of(WorkerSettings.below(
                Files.createDirectory(node.resolve("data")), List.of(allowed), NfsSettings.none()));
    }

    private VolumeWork work(Work work, String provisioner, Optional<ObjectNode> source, long bytes) {
        return new VolumeWork(
                work,
                provisioner,
                "pv-a",
                UID,
                "team/claim",
                source,
                VolumeMode.FILESYSTEM,
                bytes,
                Map.of("basePath", allowed.toString()));
    }

    /** Now and then somebody tidies up: where a decoy lies for good, nothing else happens. */
    private End provisionAndDelete(int round, String provisioner) throws VolumeWorkException, InterruptedException {
        if (round % 8 == 0) {
            Hands.empty(allowed);
        }
        WorkDone made = workers.perform(work(Work.PROVISION, provisioner, Optional.empty(), MEBI));
        workers.perform(work(Work.DELETE, provisioner, made.source(), MEBI));
        return End.AS_IF_ALONE;
    }

    @ParameterizedTest
    @CsvSource({
        StorageNames.HOST_PATH_PROVISIONER + ", team/claim",
        StorageNames.LOCAL_PROVISIONER + ", team/claim",
        StorageNames.BLOCK_PROVISIONER + ", team/claim.img"
    })
    void makesAndDeletesVolumes(String provisioner, String place) throws Exception {
        try (Siege siege = new Siege(provisioner, node, treasure)) {
            siege.attack(allowed.resolve("team"), Decoy.withoutHardLinks())
                    .attack(allowed.resolve(place), Decoy.all())
                    .run(round -> provisionAndDelete(round, provisioner));
        }
    }

    @Test
    void keepsItsMarkersWhereTheyBelong() throws Exception {
        try (Siege siege = new Siege("markers", node, treasure)) {
            siege.attack(allowed.resolve(".mooring"), Decoy.withoutHardLinks())
                    .attack(allowed.resolve(".mooring/" + UID), Decoy.ofContainers())
                    .run(round -> provisionAndDelete(round, StorageNames.HOST_PATH_PROVISIONER));
        }
    }

    @Test
    void emptiesVolumes() throws Exception {
        Path volume = Files.createDirectories(allowed.resolve("disk"));
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("local").put("path", volume.toString());
        VolumeWork scrub = work(Work.SCRUB, StorageNames.LOCAL_PROVISIONER, Optional.of(source), MEBI);
        try (Siege siege = new Siege("scrub", node, treasure)) {
            siege.attack(volume, Set.of(Decoy.LINK, Decoy.LINK_UP, Decoy.LOOP, Decoy.FIFO, Decoy.NOTHING))
                    .attack(volume.resolve("sub"), Decoy.all())
                    .attack(volume.resolve("sub/inner"), Decoy.all())
                    .run(round -> {
                        fill(volume);
                        workers.perform(scrub);
                        return End.AS_IF_ALONE;
                    });
        }
    }

    /** By a container, whose hands stay in its volume. */
    private static void fill(Path volume) {
        Hands.makeBelow(volume, List.of("sub", "inner", "deep"));
        Hands.makeBelow(volume, List.of("b"));
    }

    /** Programs look at the image, repair it and grow what is in it. */
    @Test
    void growsImagesAndWhatIsInThem() throws Exception {
        WorkDone made =
                workers.perform(work(Work.PROVISION, StorageNames.BLOCK_PROVISIONER, Optional.empty(), 4 * MEBI));
        Path image = allowed.resolve("team/claim.img");
        Machine.run("mkfs.ext4", "-q", image.toString());
        Path coveted = treasure.root().resolve("claim.img");
        Files.copy(image, coveted, StandardCopyOption.REPLACE_EXISTING);
        treasure.close();
        Set<Decoy> decoys = EnumSet.of(Decoy.LINK_SAME_NAME, Decoy.HARD_LINK, Decoy.FIFO, Decoy.NOTHING);
        try (Siege siege = new Siege("grow", node, treasure)) {
            siege.attack(image, decoys)
                    .attack(allowed.resolve("team"), EnumSet.of(Decoy.LINK, Decoy.LINK_UP, Decoy.NOTHING))
                    .run(round -> {
                        workers.perform(work(
                                Work.GROW,
                                StorageNames.BLOCK_PROVISIONER,
                                made.source(),
                                4 * MEBI + round % 16 * 65_536L));
                        return End.AS_IF_ALONE;
                    });
        }
    }
}
