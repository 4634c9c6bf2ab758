package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.log.Retention;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Scope;
import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private final SimulatedDisk disk = new SimulatedDisk();

    /** Only the last eight events are in memory: older revisions come from the log. */
    private SpineUnderTest open() throws IOException {
        return new SpineUnderTest(disk, SpineUnderTest.DIRECTORY, 2_000, 8, SpineUnderTest.LIMITS);
    }

    private static void snapshot(SpineUnderTest spine) throws IOException {
        Ledger.Checkpoint now = spine.ledger().checkpoint();
        spine.spine
                .log()
                .snapshots()
                .write(now.position(), now.world().size(), now.world().list(Scope.all()));
    }

    @Test
    void shouldShowTheWorldAtEveryRevision() throws IOException {
        try (SpineUnderTest spine = open().start()) {
            List<World> worlds = new ArrayList<>(List.of(spine.world()));
            for (int i = 0; i < 60; i++) {
                if (i % 7 == 6) {
                    spine.remove(claim("c" + (i - 1) % 5));
                } else {
                    spine.put(claim("c" + i % 5), "content " + i);
                }
                worlds.add(spine.world());
                if (i % 20 == 10) {
                    snapshot(spine);
                }
            }
            for (int revision = 0; revision <= 60; revision++) {
                assertThat(spine.spine.history().at(revision)).isEqualTo(worlds.get(revision));
            }
            assertThat(spine.spine.history().oldest()).isZero();
            assertThatThrownBy(() -> spine.spine.history().at(61))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("0 to 60");
        }
    }

    @Test
    void shouldSayWhatIsTheOldestWhenHistoryWasCutOff() throws IOException {
        try (SpineUnderTest spine = open().start()) {
            for (int i = 1; i <= 60; i++) {
                spine.put(claim("c" + i % 5), "content " + i);
                if (i % 20 == 0) {
                    snapshot(spine);
                }
            }
            spine.spine.log().applyRetention(new Retention(Optional.empty(), OptionalLong.of(1)));
            long oldest = spine.spine.history().oldest();
            assertThat(oldest).isEqualTo(40);
            assertThat(spine.spine.history().at(oldest).revision()).isEqualTo(40);
            assertThat(spine.spine.history().at(45).revision()).isEqualTo(45);
            assertThatThrownBy(() -> spine.spine.history().at(12))
                    .isInstanceOf(CompactedException.class)
                    .hasMessageContaining("Revision 12")
                    .hasMessageContaining("40");
        }
    }
}
