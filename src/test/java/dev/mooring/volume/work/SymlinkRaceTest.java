package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who can write into the base puts a link in place of a parent and takes it away again, at every moment. */
class SymlinkRaceTest {
    private static final int ROUNDS = 60;

    @TempDir
    Path temp;

    private Bench bench;
    private Path parent;
    private Path hidden;
    private Path link;

    @BeforeEach
    void node() throws IOException {
        bench = new Bench(temp);
        parent = Files.createDirectories(bench.base("hostpath").resolve("team"));
        hidden = bench.base("hostpath").resolve("hidden");
        link = bench.base("hostpath").resolve("link");
        Files.createDirectories(bench.outside.resolve("claim/inner"));
        Files.createFile(bench.outside.resolve("claim/inner/sentinel"));
    }

    /** A directory cannot be replaced by a link in one step; so it is away for a moment, too. */
    private void swap() throws IOException {
        if (Files.isSymbolicLink(parent)) {
            Files.move(parent, link, StandardCopyOption.REPLACE_EXISTING);
            Files.move(hidden, parent);
        } else {
            Files.move(parent, hidden);
            Files.createSymbolicLink(parent, bench.outside);
        }
    }

    private void assertOutsideUntouched() throws IOException {
        assertThat(Machine.below(bench.outside)).containsExactly("claim", "claim/inner", "claim/inner/sentinel");
    }

    private static void tolerated(VolumeWorkException e) {
        assertThat(e.reason())
                .as(e.getMessage())
                .isIn(
                        VolumeWorkException.DIVERTED,
                        VolumeWorkException.FILE_SYSTEM,
                        VolumeWorkException.OCCUPIED,
                        VolumeWorkException.UNMARKED);
    }

    @Test
    void nothingOutsideIsTouchedWhenTheWayIsBentBetweenAnyTwoCalls() throws Exception {
        VolumeWork making = Bench.hostPath("team/claim");
        VolumeWork deleting = Bench.then(Work.DELETE, making, Optional.empty());
        for (int at = 0; at < 60; at++) {
            int[] calls = {at};
            VolumeWorkers disturbed = bench.workers(CallsWithout.disturbedBy(() -> {
                if (calls[0]-- == 0) {
                    swapUnchecked();
                }
            }));
            for (VolumeWork work : new VolumeWork[] {making, deleting}) {
                try {
                    disturbed.perform(work);
                } catch (VolumeWorkException e) {
                    tolerated(e);
                }
            }
            assertOutsideUntouched();
            if (Files.isSymbolicLink(parent)) {
                swap();
            }
            bench.workers.perform(deleting);
        }
    }

    private void swapUnchecked() {
        try {
            swap();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void nothingOutsideIsTouchedWhileAThreadBendsTheWayAllTheTime() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!stop.get()) {
                try {
                    swap();
                } catch (IOException expected) {
                    // The worker may have made the parent anew in between.
                }
            }
        });
        attacker.start();
        try {
            VolumeWork making = Bench.hostPath("team/claim");
            for (int round = 0; round < ROUNDS; round++) {
                for (Work work : new Work[] {Work.PROVISION, Work.DELETE}) {
                    try {
                        bench.workers.perform(Bench.then(work, making, Optional.empty()));
                    } catch (VolumeWorkException e) {
                        tolerated(e);
                    }
                }
            }
        } finally {
            stop.set(true);
            attacker.join();
        }
        assertOutsideUntouched();
    }
}
