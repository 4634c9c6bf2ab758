package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests with a container that atomically swaps a directory and a link to the outside while its subPath is opened and
 * bound.
 */
class SubPathRaceTest {
    private static final int ROUNDS = 1500;

    /** Limit on a busy machine, where the attacker's thread may start late or rarely run. */
    private static final int MAX_ROUNDS = 50 * ROUNDS;

    private static final int HERE = -100;
    private static final int EXCHANGE = 2;

    @TempDir
    Path temp;

    private SubPathFixture fixture;
    private byte[] good;
    private byte[] evil;

    @BeforeEach
    void node() throws Exception {
        fixture = new SubPathFixture(temp);
        Files.createDirectories(fixture.outside.resolve("inner/x"));
        Files.createFile(fixture.outside.resolve("inner/secret"));
        good = bytes(
                Files.createDirectories(fixture.volume.resolve("sub/inner")).getParent());
        evil = bytes(Files.createSymbolicLink(fixture.volume.resolve("evil"), fixture.outside));
    }

    @AfterEach
    void unmountAll() throws Exception {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static byte[] bytes(Path path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }

    private void exchange() {
        assertThat(SystemCalls.real().renameat2(HERE, good, HERE, evil, EXCHANGE))
                .isZero();
    }

    /** Returns whether the subPath was bound; requires that it does not show files from outside. */
    private boolean prepare(SubPaths subPaths, String subPath) throws Exception {
        try {
            Path shown = subPaths.prepare(SubPathFixture.request(fixture.volume, subPath, Access.READ_WRITE));
            assertThat(shown.resolve("secret")).doesNotExist();
            return true;
        } catch (VolumeException e) {
            assertThat(e.reason()).as(e.getMessage()).isEqualTo("OutsideVolume");
            assertThat(fixture.mounter.isMountPoint(fixture.target())).isFalse();
            return false;
        } finally {
            fixture.mounter.unmount(fixture.target(), UnmountTimeouts.LOCAL, OperationProgress.NO_OP);
        }
    }

    @ParameterizedTest
    @CsvSource({"sub", "sub/inner", "sub/new/one"})
    void prepare_directoryAndLinkSwappedConcurrently_neverBindsOutside(String subPath) throws Exception {
        Files.createDirectories(fixture.target());
        AtomicBoolean stop = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!stop.get()) {
                exchange();
            }
        });
        attacker.start();
        int rounds = 0;
        int shown = 0;
        try {
            SubPaths subPaths = fixture.subPaths();
            while (rounds < ROUNDS || (rounds < MAX_ROUNDS && (shown == 0 || shown == rounds))) {
                shown += prepare(subPaths, subPath) ? 1 : 0;
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
    void prepare_swapBetweenAnyTwoSystemCalls_neverBindsOutside() throws Exception {
        Files.createDirectories(fixture.target());
        int shown = 0;
        for (String subPath : new String[] {"sub", "sub/inner", "sub/new"}) {
            for (int at = 0; at < 60; at++) {
                int[] calls = {at};
                SubPaths disturbed = fixture.subPaths(FaultySystemCalls.disturbedBy(() -> {
                    if (calls[0]-- == 0) {
                        exchange();
                    }
                }));
                shown += prepare(disturbed, subPath) ? 1 : 0;
            }
        }
        assertThat(shown).isBetween(1, 179);
        assertOutsideUntouched();
    }

    private void assertOutsideUntouched() throws Exception {
        assertThat(HostMachine.below(fixture.outside)).containsExactly("inner", "inner/secret", "inner/x", "secret");
    }
}
