package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static dev.mooring.testing.Samples.draft;
import static dev.mooring.testing.Samples.volume;
import static dev.mooring.world.LedgerFixture.creating;
import static dev.mooring.world.LedgerFixture.get;
import static dev.mooring.world.LedgerFixture.putting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.EventLog;
import dev.mooring.log.LogFailedException;
import dev.mooring.model.Cause;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Conflict;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private final SimulatedDisk disk = new SimulatedDisk();

    @Test
    void proposal_severalObjects_isCommittedAsOneEvent() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            fixture.put(claim("data"), "wants 1Gi");
            StoredObject seen = fixture.world().get(claim("data")).orElseThrow();
            Outcome outcome = fixture.outcome(Proposal.by("binder", "VolumeBound")
                    .because(Cause.revision(1))
                    .replace(seen, draft(claim("data"), "bound"))
                    .create(draft(volume("pv1"), "belongs to data"))
                    .build());
            Event event = ((Committed) outcome).event();
            assertThat(event.revision()).isEqualTo(2);
            assertThat(event.type()).isEqualTo("VolumeBound");
            assertThat(event.actor()).isEqualTo("binder");
            assertThat(event.cause()).isEqualTo(Cause.revision(1));
            assertThat(event.changes().get(0).prior()).isEqualTo(1);
            assertThat(event.changes().get(1).prior()).isZero();
            assertThat(fixture.world().stream(Scope.all()).map(StoredObject::revision))
                    .containsExactly(2L, 2L);
            StoredObject stored = fixture.world().get(volume("pv1")).orElseThrow();
            assertThat(new String(stored.json(), StandardCharsets.UTF_8)).contains("\"resourceVersion\":\"2\"");
        }
    }

    @Test
    void proposal_expectationFails_conflictsWithFoundRevision() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            fixture.put(claim("data"), "one");
            StoredObject seen = fixture.world().get(claim("data")).orElseThrow();
            fixture.put(claim("data"), "two");
            Proposal late = Proposal.by("tester", "Changed")
                    .replace(seen, draft(claim("data"), "three"))
                    .build();
            assertThat(fixture.outcome(late)).isEqualTo(new Conflict(claim("data"), 1, 2));
            assertThat(fixture.outcome(creating(claim("data"), "x"))).isEqualTo(new Conflict(claim("data"), 0, 2));
            Proposal removal = new Proposal(
                    "Removed", "tester", Cause.none(), List.of(new Proposal.Remove(claim("nothing"))), List.of());
            assertThat(fixture.outcome(removal))
                    .hasToString("persistentvolumeclaims/default/nothing is absent, expected present");
            assertThat(fixture.world().revision()).isEqualTo(2);
        }
    }

    @Test
    void removal_event_keepsLastStateWithItsRevision() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            fixture.put(claim("data"), "last words, \"resourceVersion\":\"1\"");
            Event event = ((Committed) fixture.remove(claim("data"))).event();
            assertThat(event.changes().get(0).isRemoval()).isTrue();
            assertThat(event.changes().get(0).prior()).isEqualTo(1);
            String json = new String(event.changes().get(0).object().json(), StandardCharsets.UTF_8);
            assertThat(json).contains("last words").contains("\"resourceVersion\":\"2\"");
            assertThat(fixture.world().get(claim("data"))).isEmpty();
        }
    }

    @Test
    void proposals_arrivingDuringSync_shareTheNextSync() throws Exception {
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            disk.onSync(file -> {
                syncing.countDown();
                await(proceed);
            });
            CompletableFuture<Outcome> first = fixture.propose(putting(claim("first"), ""));
            syncing.await();
            int before = disk.syncs();
            List<CompletableFuture<Outcome>> others = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                others.add(fixture.propose(creating(claim("c" + i % 40), "")));
            }
            assertThat(first).isNotDone();
            assertThat(fixture.world().revision())
                    .as("revision while the sync is in progress")
                    .isZero();
            proceed.countDown();
            List<Outcome> outcomes = others.stream().map(LedgerFixture::get).toList();
            assertThat(outcomes.subList(0, 40)).allMatch(Committed.class::isInstance);
            assertThat(outcomes.subList(40, 50)).allMatch(Conflict.class::isInstance);
            assertThat(disk.syncs()).isEqualTo(before + 2);
        }
    }

    @Test
    void proposals_exceedQueueLimit_areRefusedAsOverloaded() throws Exception {
        CountDownLatch proceed = new CountDownLatch(1);
        CountDownLatch syncing = new CountDownLatch(1);
        try (LedgerFixture fixture = new LedgerFixture(
                        disk, LedgerFixture.DIRECTORY, 20_000, 64, new Ledger.Limits(5, 64, 1 << 20))
                .start()) {
            disk.onSync(file -> {
                syncing.countDown();
                await(proceed);
            });
            List<CompletableFuture<Outcome>> accepted = new ArrayList<>();
            accepted.add(fixture.propose(putting(claim("first"), "")));
            syncing.await();
            for (int i = 0; i < 5; i++) {
                accepted.add(fixture.propose(putting(claim("c" + i), "")));
            }
            Outcome sixth = fixture.outcome(putting(claim("c6"), ""));
            assertThat(((Refused) sixth).reason()).isEqualTo(Reason.OVERLOADED);
            proceed.countDown();
            assertThat(accepted).allSatisfy(future -> assertThat(get(future)).isInstanceOf(Committed.class));
            assertThat(fixture.ledger().pending()).isZero();
        }
    }

    @Test
    void ledger_syncFails_becomesReadOnly() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            fixture.put(claim("kept"), "");
            disk.onSync(file -> {
                throw new IOException("Input/output error");
            });
            assertThat(((Refused) fixture.put(claim("lost"), "")).reason()).isEqualTo(Reason.READ_ONLY);
            assertThat(fixture.end()).isInstanceOf(LogFailedException.class);
            disk.onSync(file -> {});
            Refused refused = (Refused) fixture.put(claim("later"), "");
            assertThat(refused.reason()).isEqualTo(Reason.READ_ONLY);
            assertThat(refused.message()).contains("Input/output error").contains("restart");
            assertThat(fixture.ledger().readOnly()).isPresent();
            assertThat(fixture.world().revision()).isEqualTo(1);
            assertThat(fixture.registry.get("mooring.log.read.only").gauge().value())
                    .isEqualTo(1);
        }
    }

    @Test
    void proposal_eventTooLarge_isRefusedAndLedgerContinues() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            Refused refused = (Refused) fixture.put(claim("huge"), "x".repeat(EventLog.MAX_EVENT_BYTES));
            assertThat(refused.reason()).isEqualTo(Reason.INVALID);
            assertThat(refused.message()).contains("persistentvolumeclaims/default/huge");
            assertThat(fixture.put(claim("small"), "")).isInstanceOf(Committed.class);
        }
    }

    @Test
    void ledger_threadKilledDuringBatch_outcomeMatchesLog() throws Exception {
        for (int point = 0; point < 3; point++) {
            SimulatedDisk machine = new SimulatedDisk();
            try (LedgerFixture fixture = new LedgerFixture(machine).start()) {
                fixture.put(claim("kept"), "before");
                CountDownLatch reached = new CountDownLatch(1);
                SimulatedDisk.Fault block = file -> {
                    reached.countDown();
                    sleepUntilInterrupted();
                };
                if (point == 0) {
                    machine.onWrite(block);
                } else {
                    machine.onSync(block);
                }
                CompletableFuture<Outcome> inFlight = fixture.propose(putting(claim("doubtful"), ""));
                reached.await();
                CompletableFuture<Outcome> waiting = fixture.propose(putting(claim("waiting"), ""));
                assertThat(fixture.kill()).isInstanceOf(LogFailedException.class);
                assertThat(inFlight).isNotDone();
                machine.onWrite(file -> {});
                machine.onSync(file -> {});
                fixture.start();
                Outcome outcome = get(inFlight);
                boolean isStored = fixture.world().get(claim("doubtful")).isPresent();
                assertThat(outcome instanceof Committed).isEqualTo(isStored);
                assertThat(isStored)
                        .as("batch is recovered if it was written completely")
                        .isEqualTo(point > 0);
                assertThat(get(waiting)).isInstanceOf(Committed.class);
                assertThat(fixture.world().get(claim("kept"))).isPresent();
            }
            try (LedgerFixture reopened = new LedgerFixture(machine.killedProcess())) {
                assertThat(reopened.world().get(claim("waiting"))).isPresent();
            }
        }
    }

    @Test
    void ledger_threadKilledRepeatedly_keepsAcknowledgedEventsOnce() throws Exception {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            AtomicInteger acknowledged = new AtomicInteger();
            AtomicInteger kills = new AtomicInteger();
            int writers = 8;
            int each = 150;
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            for (int w = 0; w < writers; w++) {
                int writer = w;
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < each || kills.get() < 4; ) {
                        Outcome outcome = fixture.outcome(creating(claim("w" + writer + "-" + i), ""));
                        boolean done = outcome instanceof Committed;
                        if (done) {
                            acknowledged.incrementAndGet();
                            i++;
                        } else {
                            assertThat(((Refused) outcome).reason()).isEqualTo(Reason.STOPPED);
                        }
                    }
                });
                thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
                thread.start();
                threads.add(thread);
            }
            while (threads.stream().anyMatch(Thread::isAlive)) {
                if (kills.get() % 2 == 0) {
                    // Otherwise each of the ledger's threads could be killed before it has done anything.
                    int seen = acknowledged.get();
                    ConditionPoller.until(
                            () -> acknowledged.get() > seen || threads.stream().noneMatch(Thread::isAlive));
                }
                fixture.kill();
                kills.incrementAndGet();
                fixture.start();
            }
            assertThat(failures).isEmpty();
            assertThat(kills).hasValueGreaterThan(3);
            assertThat(acknowledged).hasValueGreaterThanOrEqualTo(writers * each);
            assertThat(fixture.world().size()).isEqualTo(acknowledged.get());
            assertThat(fixture.world().revision())
                    .as("number of events")
                    .isEqualTo(fixture.world().size());
        }
    }

    @Test
    void ledger_threadKilledDuringRecovery_staysWritable() throws Exception {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            CountDownLatch writing = new CountDownLatch(1);
            CountDownLatch recovering = new CountDownLatch(1);
            disk.onWrite(file -> {
                writing.countDown();
                sleepUntilInterrupted();
            });
            CompletableFuture<Outcome> inFlight = fixture.propose(putting(claim("doubtful"), ""));
            writing.await();
            fixture.kill();
            disk.onWrite(file -> {});
            disk.onSync(file -> {
                recovering.countDown();
                sleepUntilInterrupted();
            });
            fixture.start();
            recovering.await();
            assertThat(fixture.kill()).isInstanceOf(LogFailedException.class);
            assertThat(fixture.ledger().readOnly())
                    .as("read-only reason without a disk failure")
                    .isEmpty();
            disk.onSync(file -> {});
            fixture.start();
            assertThat(((Refused) get(inFlight)).reason()).isEqualTo(Reason.STOPPED);
            assertThat(fixture.put(claim("afterwards"), "")).isInstanceOf(Committed.class);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void sleepUntilInterrupted() {
        await(new CountDownLatch(1));
    }
}
