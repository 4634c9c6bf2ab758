package dev.mooring.volume.hostpath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.VolumeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of PersistentVolumes inside another volume whose Pods try to escape it with links and devices. */
class PlantedHostPathTest extends HostPathFixture {
    private static final int ROUNDS = 400;

    /** Limit on a busy machine, where the attacker's thread may start late or rarely run. */
    private static final int MAX_ROUNDS = 50 * ROUNDS;

    @ParameterizedTest
    @ValueSource(strings = {"cache", "cache/inner", "cache/new", "cache/inner/new"})
    void setUp_linkCreatedByPod_fails(String path) throws Exception {
        Files.createSymbolicLink(team.resolve("cache"), outside);

        for (String type : List.of("", "Directory", "DirectoryOrCreate", "FileOrCreate")) {
            assertThat(refusal(team.resolve(path), type))
                    .hasMessage(team + "/cache is, or is reached through, a symbolic link to " + outside
                            + ". Links that a Pod could have created are not followed in the path of a"
                            + " PersistentVolume. If an administrator created this one, set the path without links in"
                            + " the PersistentVolume, or replace the link by a directory and bind it"
                            + " there: mount --bind " + outside + ' '
                            + team + "/cache");
        }
        assertOutsideUntouched();
    }

    /**
     * Containers are root in their volumes, so the owner root of a link is no proof that an administrator created it.
     */
    @Test
    void setUp_link_isFollowedOnlyInDirectoriesInaccessibleToPods() throws Exception {
        Files.createSymbolicLink(base.resolve("disk"), Path.of("srv/./team"));
        Files.createSymbolicLink(base.resolve("srv/disk"), Path.of("team"));

        assertThat(setUp(base.resolve("disk"), "Directory").source()).isEqualTo(team.toString());
        tearDown();
        setUp(base.resolve("disk/new"), "DirectoryOrCreate");
        assertThat(team.resolve("new")).isDirectory();
        tearDown();
        assertThat(refusal(base.resolve("srv/disk"), "Directory").reason()).isEqualTo("Refused");

        HostMachine.run("chmod", "0777", base.toString());
        assertThat(refusal(base.resolve("disk"), "Directory").reason())
                .as("where others may write")
                .isEqualTo("Refused");
        HostMachine.run("chmod", "0700", base.toString());
        guarded = guarded.allowing(List.of(base));
        assertThat(refusal(base.resolve("disk"), "Directory").reason())
                .as("where the setting allows Pods to write")
                .isEqualTo("Refused");
    }

    @Test
    void setUp_deviceNodeOutsideOfDev_fails() throws Exception {
        HostMachine.run("mknod", team.resolve("null").toString(), "c", "1", "3");
        HostMachine.run("mknod", team.resolve("disk").toString(), "b", "7", "0");

        assertThat(refusal(team.resolve("null"), "CharDevice"))
                .hasMessage(team + "/null is a character device outside of /dev, which a Pod could have created: set"
                        + " the device's path in /dev in the PersistentVolume");
        assertThat(refusal(team.resolve("disk"), "").reason()).isEqualTo("Refused");
    }

    /** Returns whether the path was bound; requires that it does not show files from outside. */
    private boolean bind(SystemCalls calls, String path) throws Exception {
        try {
            SetUpResult done = plugin(calls)
                    .setUp(
                            setUpRequest(team.resolve(path), "DirectoryOrCreate", Access.READ_WRITE),
                            OperationProgress.NO_OP);
            assertThat(done.path()).isEqualTo(target);
            assertThat(target.resolve("secret")).doesNotExist();
            return true;
        } catch (VolumeException e) {
            assertThat(e.reason()).as(e.getMessage()).isIn("Refused", "Changed", "NotCreated");
            assertThat(MountTable.read().allAt(target)).isEmpty();
            return false;
        } finally {
            tearDown();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sub", "sub/inner", "sub/new/one"})
    void setUp_directoryAndLinkSwappedConcurrently_neverBindsOutside(String path) throws Exception {
        byte[] good = bytes(Files.createDirectories(team.resolve("sub/inner")).getParent());
        byte[] evil = bytes(Files.createSymbolicLink(team.resolve("evil"), outside));
        AtomicBoolean stop = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!stop.get()) {
                exchange(good, evil);
            }
        });
        attacker.start();
        int rounds = 0;
        int shown = 0;
        try {
            while (rounds < ROUNDS || (rounds < MAX_ROUNDS && (shown == 0 || shown == rounds))) {
                shown += bind(SystemCalls.real(), path) ? 1 : 0;
                rounds++;
            }
        } finally {
            stop.set(true);
            attacker.join();
        }
        assertThat(shown).as("successful binds").isBetween(1, rounds - 1);
        assertOutsideUntouched();
    }

    @Test
    void setUp_swapBetweenAnyTwoSystemCalls_neverBindsOutside() throws Exception {
        byte[] good = bytes(Files.createDirectories(team.resolve("sub/inner")).getParent());
        byte[] evil = bytes(Files.createSymbolicLink(team.resolve("evil"), outside));
        int shown = 0;
        for (String path : List.of("sub", "sub/inner", "sub/new")) {
            for (int at = 0; at < 60; at++) {
                int[] calls = {at};
                SystemCalls disturbed = FaultySystemCalls.disturbedBy(() -> {
                    if (calls[0]-- == 0) {
                        exchange(good, evil);
                    }
                });
                shown += bind(disturbed, path) ? 1 : 0;
            }
        }
        assertThat(shown).isBetween(1, 179);
        assertOutsideUntouched();
    }

    /** The container gets a bind mount and not the path, so later changes of the path have no effect. */
    @Test
    void bindMount_pathSwappedLater_keepsShowingOriginal() throws Exception {
        Path cache = Files.createDirectory(team.resolve("cache"));
        Path evil = Files.createSymbolicLink(team.resolve("evil"), outside);
        Path bound = setUp(cache, "Directory").path();

        exchange(bytes(cache), bytes(evil));

        assertThat(cache.resolve("secret")).exists();
        assertThat(bound).isEmptyDirectory();
    }
}
