package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.host.MountTable;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the warning about volume directories that local users of the machine can enter. */
final class VolumeDirectoryPermissionCheckTest implements WorldPort {
    @TempDir
    Path temp;

    private World world = WorldFixture.of("""
        {kind: Namespace, metadata: {name: default}}
        """);

    private Path base;
    private Path holder;

    @BeforeEach
    void createBaseOpenToUsers() throws IOException {
        Path top = temp.toRealPath();
        permit(top, "rwx--x--x");
        for (Path at = top; at != null; at = at.getParent()) {
            assumeTrue(
                    Files.getPosixFilePermissions(at).contains(PosixFilePermission.OTHERS_EXECUTE),
                    "users can enter the directory for temporary files");
        }
        base = Files.createDirectory(top.resolve("base"));
        permit(base, "rwxr-xr-x");
        holder = Files.createDirectory(base.resolve("hostpath"));
        permit(holder, "rwx--x--x");
        Files.createDirectory(holder.resolve(".mooring"));
    }

    private static void permit(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    @Override
    public World world() {
        return world;
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        world = WorldFixture.after(world, proposal);
        return new CompletableFuture<>();
    }

    private List<String> warnings(String mounts) {
        NodeWarnings warnings = new NodeWarnings("n1", this, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
        ObservedMachine machine = new ObservedMachine(
                MountTable.parse("1 0 8:1 / / rw - ext4 /dev/root rw\n" + mounts), List.of(), List.of(), Map.of());
        VolumeDirectoryPermissionCheck check = new VolumeDirectoryPermissionCheck(List.of(base), warnings);
        check.report(machine);
        check.report(machine);
        List<String> events = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            JsonNode event = each.toTree();
            events.add(
                    event.path("reason").asText() + ": " + event.path("message").asText());
        }
        return events;
    }

    @Test
    void check_directoryOpenToUsers_warnsOnceWithRemedy() {
        assertThat(warnings(""))
                .containsExactly("VolumesReachable: local users of this machine can enter " + holder
                        + " (rwx--x--x), which holds volumes: a set-user-ID program that a container leaves in its"
                        + " volume makes every user who starts it root. chmod 0700 " + holder
                        + ", or mount its file system with nosuid");
    }

    @Test
    void check_directoryOpenToRootOnly_doesNotWarn() throws IOException {
        permit(holder, "rwx------");
        assertThat(warnings("")).isEmpty();
    }

    @Test
    void check_parentOpenToRootOnly_doesNotWarn() throws IOException {
        permit(base, "rwxr-x---");
        assertThat(warnings("")).isEmpty();
    }

    @Test
    void check_nosuidFileSystem_doesNotWarn() {
        assertThat(warnings("2 1 8:2 / " + base + " rw,nosuid - ext4 /dev/sdb rw\n"))
                .isEmpty();
    }

    @Test
    void check_remoteFileSystem_doesNotWarn() {
        assertThat(warnings("2 1 0:40 / " + base + " rw - nfs4 nas:/x rw\n")).isEmpty();
    }

    @Test
    void check_directoryWithoutVolumes_doesNotWarn() throws IOException {
        Files.delete(holder.resolve(".mooring"));
        assertThat(warnings("")).isEmpty();
    }

    @Test
    void check_markerInsideVolume_isIgnored() throws IOException {
        permit(holder, "rwx------");
        Files.createDirectory(base.resolve(".mooring"));
        permit(base, "rwx------");
        Files.createDirectories(base.resolve("volume/.mooring"));
        assertThat(warnings("")).isEmpty();
    }
}
