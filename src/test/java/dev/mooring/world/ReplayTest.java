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
    void shouldGiveTheLiveWorldAfterARestartAtEveryStep() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random chance = new Random(seed);
            SimulatedDisk disk = new SimulatedDisk();
            List<World> worlds = new ArrayList<>(List.of(World.EMPTY));
            for (int step = 0; step < STEPS; step++) {
                String where = "seed " + seed + ", step " + step;
                try (SpineUnderTest spine =
                        new SpineUnderTest(disk, SpineUnderTest.DIRECTORY, 3_000, 8, SpineUnderTest.LIMITS)) {
                    assertThat(spine.world()).as(where).isEqualTo(worlds.get(worlds.size() - 1));
                    spine.start();
                    for (int i = 1 + chance.nextInt(4); i > 0; i--) {
                        doSomething(spine, chance);
                        if (spine.world().revision() == worlds.size()) {
                            worlds.add(spine.world());
                        }
                    }
                    if (chance.nextInt(6) == 0) {
                        Ledger.Checkpoint now = spine.ledger().checkpoint();
                        spine.spine
                                .log()
                                .snapshots()
                                .write(
                                        now.position(),
                                        now.world().size(),
                                        now.world().list(dev.mooring.model.Scope.all()));
                    }
                    int past = chance.nextInt(worlds.size());
                    assertThat(spine.spine.history().at(past))
                            .as(where + ", at " + past)
                            .isEqualTo(worlds.get(past));
                }
            }
            try (SpineUnderTest spine = new SpineUnderTest(disk)) {
                for (int past = 0; past < worlds.size(); past++) {
                    assertThat(spine.spine.history().at(past))
                            .as("seed " + seed + ", at " + past)
                            .isEqualTo(worlds.get(past));
                }
            }
        }
    }

    private static void doSomething(SpineUnderTest spine, Random chance) {
        ObjectKey key = chance.nextBoolean()
                ? Samples.claim("c" + chance.nextInt(12))
                : Samples.volume("v" + chance.nextInt(12));
        String content = "x".repeat(chance.nextInt(200)) + chance.nextInt();
        var existing = spine.world().get(key);
        Proposal.Builder proposal = Proposal.by("user" + chance.nextInt(3), "Step");
        if (existing.isPresent() && chance.nextInt(3) == 0) {
            proposal.remove(existing.get());
        } else {
            proposal.put(Samples.draft(key, content));
        }
        ObjectKey other = Samples.claim("other" + chance.nextInt(3));
        if (chance.nextInt(4) == 0) {
            proposal.put(Samples.draft(other, content));
        }
        if (chance.nextInt(5) == 0) {
            proposal.expect(new StoredObject(other, 1 + chance.nextInt(30), new byte[0]));
        }
        spine.outcome(proposal.build());
    }
}
