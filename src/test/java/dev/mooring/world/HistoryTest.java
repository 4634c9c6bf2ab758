package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.log.Encryption;
import dev.mooring.log.Retention;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private final SimulatedDisk disk = new SimulatedDisk();

    /** Keeps only the last eight events in memory, so that older revisions are read from the log. */
    private LedgerFixture open() throws IOException {
        return new LedgerFixture(disk, LedgerFixture.DIRECTORY, 2_000, 8, LedgerFixture.LIMITS);
    }

    private static void snapshot(LedgerFixture fixture) throws IOException {
        Ledger.Checkpoint now = fixture.ledger().checkpoint();
        fixture.store
                .log()
                .snapshots()
                .write(now.position(), now.world().size(), now.world().list(Scope.all()));
    }

    @Test
    void history_anyRetainedRevision_returnsItsWorld() throws IOException {
        try (LedgerFixture fixture = open().start()) {
            List<World> worlds = new ArrayList<>(List.of(fixture.world()));
            for (int i = 0; i < 60; i++) {
                if (i % 7 == 6) {
                    fixture.remove(claim("c" + (i - 1) % 5));
                } else {
                    fixture.put(claim("c" + i % 5), "content " + i);
                }
                worlds.add(fixture.world());
                if (i % 20 == 10) {
                    snapshot(fixture);
                }
            }
            for (int revision = 0; revision <= 60; revision++) {
                assertThat(fixture.store.history().at(revision)).isEqualTo(worlds.get(revision));
            }
            assertThat(fixture.store.history().oldest()).isZero();
            assertThatThrownBy(() -> fixture.store.history().at(61))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("0 to 60");
        }
    }

    @Test
    void history_unchangedObjects_areSharedWithLiveWorld() throws IOException {
        try (LedgerFixture fixture = open().start()) {
            fixture.put(claim("in-snapshot"), "x".repeat(10_000));
            fixture.put(claim("replaced"), "x".repeat(10_000));
            snapshot(fixture);
            fixture.put(claim("in-log"), "x".repeat(10_000));
            long revision = fixture.world().revision();
            fixture.put(claim("replaced"), "y");
            for (int i = 0; i < 20; i++) {
                fixture.put(claim("c" + i), "content " + i);
            }
            World past = fixture.store.history().at(revision);
            for (String name : List.of("in-snapshot", "in-log")) {
                assertThat(past.get(claim(name)).orElseThrow())
                        .isSameAs(fixture.world().get(claim(name)).orElseThrow());
            }
            StoredObject replaced = past.get(claim("replaced")).orElseThrow();
            assertThat(replaced.json()).hasSizeGreaterThan(10_000);
            assertThat(fixture.store.history().bytes()).isBetween(10_000L, 11_000L);
        }
    }

    @Test
    void history_differenceExceedsMemoryLimit_isUnavailable() throws IOException {
        StateStore.Options options = new StateStore.Options(
                LedgerFixture.DIRECTORY,
                1 << 20,
                LedgerFixture.LIMITS,
                8,
                1 << 24,
                Encryption.NONE,
                Long.MAX_VALUE,
                History.Limits.of(150_000));
        try (LedgerFixture fixture = new LedgerFixture(disk, options).start()) {
            for (int i = 0; i < 3; i++) {
                fixture.put(claim("large" + i), "x".repeat(100_000));
            }
            snapshot(fixture);
            for (int i = 0; i < 3; i++) {
                fixture.put(claim("large" + i), "y");
            }
            snapshot(fixture);
            for (int i = 0; i < 20; i++) {
                fixture.put(claim("c" + i), "content " + i);
            }
            History history = fixture.store.history();
            assertThat(history.at(1).size()).isEqualTo(1);
            for (long revision : new long[] {2, 3}) {
                assertThatThrownBy(() -> history.at(revision))
                        .isInstanceOf(HistoryUnavailableException.class)
                        .hasMessageContaining("more than 150000 bytes");
            }
            assertThat(history.at(6).size()).isEqualTo(3);
        }
    }

    @Test
    void stateStore_objectsExceedMemoryLimit_doesNotOpen() throws IOException {
        try (LedgerFixture fixture = open().start()) {
            fixture.put(claim("a"), "x".repeat(10_000));
            fixture.put(claim("b"), "x".repeat(10_000));
        }
        StateStore.Options small = new StateStore.Options(
                LedgerFixture.DIRECTORY,
                2_000,
                LedgerFixture.LIMITS,
                8,
                1 << 24,
                Encryption.NONE,
                15_000,
                History.Limits.DEFAULT);
        assertThatThrownBy(() -> new LedgerFixture(disk, small))
                .isInstanceOf(WorldRestore.WorldTooLargeException.class);
        try (LedgerFixture fixture = open().start()) {
            snapshot(fixture);
        }
        assertThatThrownBy(() -> new LedgerFixture(disk, small))
                .isInstanceOf(WorldRestore.WorldTooLargeException.class);
    }

    @Test
    void history_afterRetention_rejectsCompactedRevisions() throws IOException {
        try (LedgerFixture fixture = open().start()) {
            for (int i = 1; i <= 60; i++) {
                fixture.put(claim("c" + i % 5), "content " + i);
                if (i % 20 == 0) {
                    snapshot(fixture);
                }
            }
            fixture.store.log().applyRetention(new Retention(Optional.empty(), OptionalLong.of(1)));
            long oldest = fixture.store.history().oldest();
            assertThat(oldest).isEqualTo(40);
            assertThat(fixture.store.history().at(oldest).revision()).isEqualTo(40);
            assertThat(fixture.store.history().at(45).revision()).isEqualTo(45);
            assertThatThrownBy(() -> fixture.store.history().at(12))
                    .isInstanceOf(CompactedException.class)
                    .hasMessageContaining("Revision 12")
                    .hasMessageContaining("40");
        }
    }
}
