package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Replaying a log gives the live World, byte for byte. */
class ReplayTest {
    private static final int SEEDS = 60;
    private static final int STEPS = 40;

    @Test
    void replay_restartAfterAnyStep_restoresLiveWorld() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            SimulatedDisk disk = new SimulatedDisk();
            List<World> worlds = new ArrayList<>(List.of(World.EMPTY));
            for (int step = 0; step < STEPS; step++) {
                String description = "seed " + seed + ", step " + step;
                try (LedgerFixture fixture =
                        new LedgerFixture(disk, LedgerFixture.DIRECTORY, 3_000, 8, LedgerFixture.LIMITS)) {
                    assertThat(fixture.world()).as(description).isEqualTo(worlds.get(worlds.size() - 1));
                    fixture.start();
                    for (int i = 1 + random.nextInt(4); i > 0; i--) {
                        proposeRandomChange(fixture, random);
                        if (fixture.world().revision() == worlds.size()) {
                            worlds.add(fixture.world());
                        }
                    }
                    if (random.nextInt(6) == 0) {
                        Ledger.Checkpoint now = fixture.ledger().checkpoint();
                        fixture.store
                                .log()
                                .snapshots()
                                .write(
                                        now.position(),
                                        now.world().size(),
                                        now.world().list(dev.mooring.model.Scope.all()));
                    }
                    int past = random.nextInt(worlds.size());
                    assertThat(fixture.store.history().at(past))
                            .as(description + ", at " + past)
                            .isEqualTo(worlds.get(past));
                }
            }
            try (LedgerFixture fixture = new LedgerFixture(disk)) {
                for (int past = 0; past < worlds.size(); past++) {
                    assertThat(fixture.store.history().at(past))
                            .as("seed " + seed + ", at " + past)
                            .isEqualTo(worlds.get(past));
                }
            }
        }
    }

    private static void proposeRandomChange(LedgerFixture fixture, Random random) {
        ObjectKey key = random.nextBoolean()
                ? Samples.claim("c" + random.nextInt(12))
                : Samples.volume("v" + random.nextInt(12));
        String content = "x".repeat(random.nextInt(200)) + random.nextInt();
        var existing = fixture.world().get(key);
        Proposal.Builder proposal = Proposal.by("user" + random.nextInt(3), "Step");
        if (existing.isPresent() && random.nextInt(3) == 0) {
            proposal.remove(existing.get());
        } else {
            proposal.put(Samples.draft(key, content));
        }
        ObjectKey other = Samples.claim("other" + random.nextInt(3));
        if (random.nextInt(4) == 0) {
            proposal.put(Samples.draft(other, content));
        }
        if (random.nextInt(5) == 0) {
            proposal.expect(new StoredObject(other, 1 + random.nextInt(30), new byte[0]));
        }
        fixture.outcome(proposal.build());
    }
}
