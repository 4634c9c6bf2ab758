package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.log.Retention;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.PointInTime;
import dev.mooring.model.SearchOrder;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.EventHistory.EventCursor;
import dev.mooring.world.EventHistory.RevisionRange;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Past events from memory and from the log, with those before them, and what retention leaves. */
class EventHistoryTest {
    private static final ObjectKey CLAIM = Samples.claim("data");
    private static final RevisionRange ALL = new RevisionRange(1, Long.MAX_VALUE, SearchOrder.OLDEST_FIRST);

    private final SimulatedDisk disk = new SimulatedDisk();

    /** @param recent number of events in memory */
    private LedgerFixture open(int recent) throws IOException {
        return new LedgerFixture(disk, LedgerFixture.DIRECTORY, 20_000, recent, LedgerFixture.LIMITS).start();
    }

    private static List<WorldEvent> read(EventCursor cursor) throws IOException {
        List<WorldEvent> events = new ArrayList<>();
        try (cursor) {
            for (Optional<WorldEvent> event = cursor.next(); event.isPresent(); event = cursor.next()) {
                events.add(event.get());
            }
        }
        return events;
    }

    private static List<Long> revisions(EventCursor cursor) throws IOException {
        return new ArrayList<>(read(cursor).stream().map(WorldEvent::revision).toList());
    }

    /** Writes events of other objects, several segments long. */
    private static void fill(LedgerFixture fixture) {
        for (int i = 0; i < 60; i++) {
            fixture.put(Samples.claim("other" + i % 7), "x".repeat(1000) + i);
        }
    }

    @Test
    void object_ofAllIncarnations_isFoundInMemoryAndInTheLog() throws IOException {
        for (int recent : new int[] {4, 1 << 10}) {
            disk.list(LedgerFixture.DIRECTORY).forEach(name -> disk.delete(LedgerFixture.DIRECTORY.resolve(name)));
            List<Long> expected = new ArrayList<>();
            try (LedgerFixture fixture = open(recent)) {
                for (int incarnation = 0; incarnation < 3; incarnation++) {
                    fixture.put(CLAIM, "a" + incarnation);
                    expected.add(fixture.world().revision());
                    fill(fixture);
                    fixture.put(CLAIM, "b" + incarnation);
                    expected.add(fixture.world().revision());
                    fixture.remove(CLAIM);
                    expected.add(fixture.world().revision());
                    fill(fixture);
                }
                check(fixture, expected);
            }
            try (LedgerFixture reopened = open(recent)) {
                check(reopened, expected);
            }
        }
    }

    private static void check(LedgerFixture fixture, List<Long> expected) throws IOException {
        EventHistory events = fixture.store.history().events();
        assertThat(revisions(events.ofObject(CLAIM, ALL))).isEqualTo(expected);
        List<Long> backwards = new ArrayList<>(expected);
        Collections.reverse(backwards);
        assertThat(revisions(events.ofObject(CLAIM, new RevisionRange(1, 1L << 40, SearchOrder.NEWEST_FIRST))))
                .isEqualTo(backwards);
        List<WorldEvent> found = read(events.ofObject(CLAIM, ALL));
        assertThat(found.get(3).before(0)).isEmpty();
        assertThat(found.get(4).before(0).orElseThrow().json())
                .isEqualTo(found.get(3).event().changes().get(0).object().json());

        long newest = fixture.world().revision();
        List<Long> all = revisions(events.all(ALL));
        assertThat(all).hasSize((int) newest).isSorted().startsWith(1L);
        Collections.reverse(all);
        assertThat(revisions(events.all(new RevisionRange(1, newest, SearchOrder.NEWEST_FIRST))))
                .isEqualTo(all);
        assertThat(revisions(events.all(new RevisionRange(10, 12, SearchOrder.NEWEST_FIRST))))
                .containsExactly(12L, 11L, 10L);
    }

    @Test
    void effects_areFoundByTheirCause() throws IOException {
        try (LedgerFixture fixture = open(4)) {
            fixture.put(CLAIM, "cause");
            long cause = fixture.world().revision();
            fill(fixture);
            fixture.outcome(Proposal.by("tester", "Effect")
                    .because(Cause.revision(cause))
                    .put(Samples.draft(Samples.volume("pv"), "effect"))
                    .build());
            long effect = fixture.world().revision();
            fill(fixture);
            assertThat(revisions(fixture.store.history().events().causedBy(cause)))
                    .containsExactly(effect);
            assertThat(revisions(fixture.store.history().events().causedBy(effect)))
                    .isEmpty();
        }
    }

    @Test
    void existsSince_isTheCreationOfThePresentIncarnation() throws IOException {
        try (LedgerFixture fixture = open(4)) {
            fixture.put(CLAIM, "former");
            fixture.remove(CLAIM);
            fixture.put(CLAIM, "present");
            long created = fixture.world().revision();
            fill(fixture);
            fixture.put(CLAIM, "changed");
            EventHistory events = fixture.store.history().events();
            var now = fixture.world().get(CLAIM).orElseThrow();
            assertThat(events.existsSince(now, 1)).isEqualTo(created);
            assertThat(events.existsSince(now, created - 1)).isEqualTo(created);
            assertThat(events.existsSince(now, created)).isEqualTo(created);
            assertThat(events.existsSince(now, created + 5)).isLessThanOrEqualTo(created + 5);
        }
    }

    @Test
    void retention_endsTheHistoryWithoutAnError() throws IOException {
        try (LedgerFixture fixture = open(4)) {
            fixture.put(CLAIM, "first");
            fill(fixture);
            for (int i = 0; i < 2; i++) {
                fixture.put(CLAIM, "again" + i);
                Ledger.Checkpoint now = fixture.ledger().checkpoint();
                fixture.store
                        .log()
                        .snapshots()
                        .write(now.position(), now.world().size(), now.world().list(dev.mooring.model.Scope.all()));
            }
            fill(fixture);
            assertThat(fixture.store.log().applyRetention(new Retention(Optional.empty(), OptionalLong.of(30_000))))
                    .isPositive();
            EventHistory events = fixture.store.history().events();
            long oldest = events.oldest();
            assertThat(oldest).isGreaterThan(1);
            assertThat(revisions(events.all(ALL))).startsWith(oldest);
            List<WorldEvent> found = read(events.ofObject(CLAIM, ALL));
            assertThat(found).isNotEmpty().allMatch(event -> event.revision() >= oldest);
            Change first = found.get(0).event().changes().get(0);
            assertThat(first.prior()).isPositive();
            assertThat(events.existsSince(fixture.world().get(CLAIM).orElseThrow(), 0))
                    .isLessThanOrEqualTo(oldest);
        }
    }

    @Test
    void moments_areRevisions() throws IOException {
        try (LedgerFixture fixture = open(4)) {
            fixture.put(CLAIM, "a");
            fill(fixture);
            EventHistory events = fixture.store.history().events();
            Instant time = events.at(20).orElseThrow().event().time();
            long last = events.lastNotAfter(new PointInTime.AtTime(time));
            long first = events.firstNotBefore(new PointInTime.AtTime(time));
            assertThat(first).isLessThanOrEqualTo(20);
            assertThat(last).isGreaterThanOrEqualTo(20);
            for (long revision = first; revision <= last; revision++) {
                assertThat(events.at(revision).orElseThrow().event().time()).isEqualTo(time);
            }
            History history = fixture.store.history();
            Instant now = time.plusSeconds(1000);
            assertThat(history.revisionAt(time, now)).isEqualTo(last);
            assertThat(history.revisionAt(now, now)).isEqualTo(fixture.world().revision());
            assertThatThrownBy(() -> history.revisionAt(now.plusMillis(1), now)).hasMessageContaining("in the future");
            assertThatThrownBy(() -> history.revisionAt(Instant.EPOCH, now))
                    .hasMessageContaining("before the first event")
                    .hasMessageContaining("(revision 1)");
        }
    }
}
