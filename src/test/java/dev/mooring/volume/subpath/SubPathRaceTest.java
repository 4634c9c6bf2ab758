package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.Access;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
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

/** A container exchanges a directory and a link to the outside, in one step, while its part of the volume is opened and bound. */
class SubPathRaceTest {
    private static final int ROUNDS = 1500;
    private static final int HERE = -100;
    private static final int EXCHANGE = 2;

    @TempDir
    Path temp;

    private SubPathBench bench;
    private byte[] good;
    private byte[] evil;

    @BeforeEach
    void node() throws Exception {
        bench = new SubPathBench(temp);
        Files.createDirectories(bench.outside.resolve("inner/x"));
        Files.createFile(bench.outside.resolve("inner/secret"));
        good = bytes(Files.createDirectories(bench.volume.resolve("sub/inner")).getParent());
        evil = bytes(Files.createSymbolicLink(bench.volume.resolve("evil"), bench.outside));
    }

    @AfterEach
    void unmountAll() throws Exception {
        if (bench != null) {
            bench.close();
        }
    }

    private static byte[] bytes(Path path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }

    private void exchange() {
        assertThat(SystemCalls.real().renameat2(HERE, good, HERE, evil, EXCHANGE))
                .isZero();
    }

    /** Whether it was set; it must then not show what is outside. */
    private boolean set(SubPaths subPaths, String subPath) throws Exception {
        try {
            Path shown = subPaths.set(SubPathBench.request(bench.volume, subPath, Access.READ_WRITE));
            assertThat(shown.resolve("secret")).doesNotExist();
            return true;
        } catch (VolumeException e) {
            assertThat(e.reason()).as(e.getMessage()).isEqualTo("OutsideVolume");
            assertThat(bench.mounter.isMountPoint(bench.target())).isFalse();
            return false;
        } finally {
            bench.mounter.unmount(bench.target(), UnmountLimits.LOCAL, Progress.IGNORED);
        }
    }

    @ParameterizedTest
    @CsvSource({"sub", "sub/inner", "sub/new/one"})
    void neverShowsTheOutside(String subPath) throws Exception {
        Files.createDirectories(bench.target());
        AtomicBoolean stop = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!stop.get()) {
                exchange();
            }
        });
        attacker.start();
        int shown = 0;
        try {
            SubPaths subPaths = bench.subPaths();
            for (int round = 0; round < ROUNDS; round++) {
                shown += set(subPaths, subPath) ? 1 : 0;
            }
        } finally {
            stop.set(true);
            attacker.join();
        }
        assertThat(shown).as("how often the directory was there").isBetween(1, ROUNDS - 1);
        assertOutsideUntouched();
    }

    @Test
    void neverShowsTheOutsideWhenTheExchangeHappensBetweenAnyTwoCalls() throws Exception {
        Files.createDirectories(bench.target());
        int shown = 0;
        for (String subPath : new String[] {"sub", "sub/inner", "sub/new"}) {
            for (int at = 0; at < 60; at++) {
                int[] calls = {at};
                SubPaths disturbed = bench.subPaths(CallsWithout.disturbedBy(() -> {
                    if (calls[0]-- == 0) {
                        exchange();
                    }
                }));
                shown += set(disturbed, subPath) ? 1 : 0;
            }
        }
        assertThat(shown).isBetween(1, 179);
        assertOutsideUntouched();
    }

    private void assertOutsideUntouched() throws Exception {
        assertThat(Machine.below(bench.outside)).containsExactly("inner", "inner/secret", "inner/x", "secret");
    }
}
