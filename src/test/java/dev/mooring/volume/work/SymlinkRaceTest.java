package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.model.view.VolumeOperation.OperationType;
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

/** Tests with an attacker who can write in the base and repeatedly swaps a parent directory with a link. */
class SymlinkRaceTest {
    private static final int ROUNDS = 60;

    @TempDir
    Path temp;

    private VolumeWorkFixture fixture;
    private Path parent;
    private Path hidden;
    private Path link;

    @BeforeEach
    void node() throws IOException {
        fixture = new VolumeWorkFixture(temp);
        parent = Files.createDirectories(fixture.base("hostpath").resolve("team"));
        hidden = fixture.base("hostpath").resolve("hidden");
        link = fixture.base("hostpath").resolve("link");
        Files.createDirectories(fixture.outside.resolve("claim/inner"));
        Files.createFile(fixture.outside.resolve("claim/inner/sentinel"));
    }

    /** Swaps the parent and the link. This takes two steps, so the parent is missing for a moment. */
    private void swap() throws IOException {
        if (Files.isSymbolicLink(parent)) {
            Files.move(parent, link, StandardCopyOption.REPLACE_EXISTING);
            Files.move(hidden, parent);
        } else {
            Files.move(parent, hidden);
            Files.createSymbolicLink(parent, fixture.outside);
        }
    }

    private void assertOutsideUntouched() throws IOException {
        assertThat(HostMachine.below(fixture.outside)).containsExactly("claim", "claim/inner", "claim/inner/sentinel");
    }

    private static void assertTolerated(VolumeWorkException e) {
        assertThat(e.reason())
                .as(e.getMessage())
                .isIn(
                        VolumeWorkException.DIVERTED,
                        VolumeWorkException.FILE_SYSTEM,
                        VolumeWorkException.OCCUPIED,
                        VolumeWorkException.UNMARKED);
    }

    @Test
    void worker_parentSwappedBetweenAnyTwoSystemCalls_changesNothingOutside() throws Exception {
        VolumeWork provisioning = VolumeWorkFixture.hostPath("team/claim");
        VolumeWork deleting = VolumeWorkFixture.then(OperationType.DELETE, provisioning, Optional.empty());
        for (int at = 0; at < 60; at++) {
            int[] calls = {at};
            VolumeWorkers disturbed = fixture.workers(FaultySystemCalls.disturbedBy(() -> {
                if (calls[0]-- == 0) {
                    swapUnchecked();
                }
            }));
            for (VolumeWork work : new VolumeWork[] {provisioning, deleting}) {
                try {
                    disturbed.perform(work);
                } catch (VolumeWorkException e) {
                    assertTolerated(e);
                }
            }
            assertOutsideUntouched();
            if (Files.isSymbolicLink(parent)) {
                swap();
            }
            fixture.workers.perform(deleting);
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
    void worker_parentSwappedConcurrently_changesNothingOutside() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!stop.get()) {
                try {
                    swap();
                } catch (IOException expected) {
                    // The worker may have created the parent again in between.
                }
            }
        });
        attacker.start();
        try {
            VolumeWork provisioning = VolumeWorkFixture.hostPath("team/claim");
            for (int round = 0; round < ROUNDS; round++) {
                for (OperationType work : new OperationType[] {OperationType.PROVISION, OperationType.DELETE}) {
                    try {
                        fixture.workers.perform(VolumeWorkFixture.then(work, provisioning, Optional.empty()));
                    } catch (VolumeWorkException e) {
                        assertTolerated(e);
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
