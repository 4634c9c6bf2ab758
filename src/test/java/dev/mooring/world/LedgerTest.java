package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static dev.mooring.testing.Samples.draft;
import static dev.mooring.testing.Samples.volume;
import static dev.mooring.world.SpineUnderTest.creating;
import static dev.mooring.world.SpineUnderTest.get;
import static dev.mooring.world.SpineUnderTest.putting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.EventLog;
import dev.mooring.log.LogFailedException;
import dev.mooring.model.Cause;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
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
    void shouldCommitSeveralObjectsAsOneEvent() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            spine.put(claim("data"), "wants 1Gi");
            StoredObject seen = spine.world().get(claim("data")).orElseThrow();
            Outcome outcome = spine.outcome(Proposal.by("binder", "VolumeBound")
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
            assertThat(spine.world().stream(Scope.all()).map(StoredObject::revision))
                    .containsExactly(2L, 2L);
            StoredObject stored = spine.world().get(volume("pv1")).orElseThrow();
            assertThat(new String(stored.json(), StandardCharsets.UTF_8)).contains("\"resourceVersion\":\"2\"");
        }
    }

    @Test
    void shouldAnswerALostRaceWithWhatWasFound() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            spine.put(claim("data"), "one");
            StoredObject seen = spine.world().get(claim("data")).orElseThrow();
            spine.put(claim("data"), "two");
            Proposal late = Proposal.by("tester", "Changed")
                    .replace(seen, draft(claim("data"), "three"))
                    .build();
            assertThat(spine.outcome(late)).isEqualTo(new Conflict(claim("data"), 1, 2));
            assertThat(spine.outcome(creating(claim("data"), "x"))).isEqualTo(new Conflict(claim("data"), 0, 2));
            Proposal gone = new Proposal(
                    "Removed", "tester", Cause.none(), List.of(new Proposal.Remove(claim("nothing"))), List.of());
            assertThat(spine.outcome(gone))
                    .hasToString("Expected persistentvolumeclaims/default/nothing to be there, but it is absent");
            assertThat(spine.world().revision()).isEqualTo(2);
        }
    }

    @Test
    void shouldKeepTheLastStateOfARemovedObjectUnderTheRevisionOfItsRemoval() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            spine.put(claim("data"), "last words, \"resourceVersion\":\"1\"");
            Event event = ((Committed) spine.remove(claim("data"))).event();
            assertThat(event.changes().get(0).isRemoval()).isTrue();
            assertThat(event.changes().get(0).prior()).isEqualTo(1);
            String json = new String(event.changes().get(0).object().json(), StandardCharsets.UTF_8);
            assertThat(json).contains("last words").contains("\"resourceVersion\":\"2\"");
            assertThat(spine.world().get(claim("data"))).isEmpty();
        }
    }

    @Test
    void shouldLetProposalsThatArriveDuringASyncShareTheNext() throws Exception {
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            disk.onSync(file -> {
                syncing.countDown();
                await(goOn);
            });
            CompletableFuture<Outcome> first = spine.propose(putting(claim("first"), ""));
            syncing.await();
            int before = disk.syncs();
            List<CompletableFuture<Outcome>> others = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                others.add(spine.propose(creating(claim("c" + i % 40), "")));
            }
            assertThat(first).isNotDone();
            assertThat(spine.world().revision()).as("nothing unsynced is shown").isZero();
            goOn.countDown();
            List<Outcome> outcomes = others.stream().map(SpineUnderTest::get).toList();
            assertThat(outcomes.subList(0, 40)).allMatch(Committed.class::isInstance);
            assertThat(outcomes.subList(40, 50)).allMatch(Conflict.class::isInstance);
            assertThat(disk.syncs()).isEqualTo(before + 2);
        }
    }

    @Test
    void shouldRefuseMoreThanMayWait() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch syncing = new CountDownLatch(1);
        try (SpineUnderTest spine = new SpineUnderTest(
                        disk, SpineUnderTest.DIRECTORY, 20_000, 64, new Ledger.Limits(5, 64, 1 << 20))
                .start()) {
            disk.onSync(file -> {
                syncing.countDown();
                await(goOn);
            });
            List<CompletableFuture<Outcome>> accepted = new ArrayList<>();
            accepted.add(spine.propose(putting(claim("first"), "")));
            syncing.await();
            for (int i = 0; i < 5; i++) {
                accepted.add(spine.propose(putting(claim("c" + i), "")));
            }
            Outcome sixth = spine.outcome(putting(claim("c6"), ""));
            assertThat(((Refused) sixth).reason()).isEqualTo(Reason.OVERLOADED);
            goOn.countDown();
            assertThat(accepted).allSatisfy(future -> assertThat(get(future)).isInstanceOf(Committed.class));
            assertThat(spine.ledger().pending()).isZero();
        }
    }

    @Test
    void shouldTurnReadOnlyWhenASyncFails() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            spine.put(claim("kept"), "");
            disk.onSync(file -> {
                throw new IOException("Input/output error");
            });
            assertThat(((Refused) spine.put(claim("lost"), "")).reason()).isEqualTo(Reason.READ_ONLY);
            assertThat(spine.end()).isInstanceOf(LogFailedException.class);
            disk.onSync(file -> {});
            Refused refused = (Refused) spine.put(claim("later"), "");
            assertThat(refused.reason()).isEqualTo(Reason.READ_ONLY);
            assertThat(refused.message()).contains("Input/output error").contains("restart");
            assertThat(spine.ledger().readOnly()).isPresent();
            assertThat(spine.world().revision()).isEqualTo(1);
            assertThat(spine.registry.get("mooring.log.read.only").gauge().value())
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseAnEventThatIsTooLargeAndGoOn() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            Refused refused = (Refused) spine.put(claim("huge"), "x".repeat(EventLog.MAX_EVENT_BYTES));
            assertThat(refused.reason()).isEqualTo(Reason.INVALID);
            assertThat(refused.message()).contains("persistentvolumeclaims/default/huge");
            assertThat(spine.put(claim("small"), "")).isInstanceOf(Committed.class);
        }
    }

    @Test
    void shouldAnswerTruthfullyWhenItsThreadIsKilledInTheMiddleOfABatch() throws Exception {
        for (int moment = 0; moment < 3; moment++) {
            SimulatedDisk machine = new SimulatedDisk();
            try (SpineUnderTest spine = new SpineUnderTest(machine).start()) {
                spine.put(claim("kept"), "before");
                CountDownLatch reached = new CountDownLatch(1);
                SimulatedDisk.Fault block = file -> {
                    reached.countDown();
                    sleepUntilInterrupted();
                };
                if (moment == 0) {
                    machine.onWrite(block);
                } else {
                    machine.onSync(block);
                }
                CompletableFuture<Outcome> doubtful = spine.propose(putting(claim("doubtful"), ""));
                reached.await();
                CompletableFuture<Outcome> waiting = spine.propose(putting(claim("waiting"), ""));
                assertThat(spine.kill()).isInstanceOf(LogFailedException.class);
                assertThat(doubtful).isNotDone();
                machine.onWrite(file -> {});
                machine.onSync(file -> {});
                spine.start();
                Outcome outcome = get(doubtful);
                boolean isThere = spine.world().get(claim("doubtful")).isPresent();
                assertThat(outcome instanceof Committed).isEqualTo(isThere);
                assertThat(isThere)
                        .as("written but not synced is found again; half written is not")
                        .isEqualTo(moment > 0);
                assertThat(get(waiting)).isInstanceOf(Committed.class);
                assertThat(spine.world().get(claim("kept"))).isPresent();
            }
            try (SpineUnderTest again = new SpineUnderTest(machine.killedProcess())) {
                assertThat(again.world().get(claim("waiting"))).isPresent();
            }
        }
    }

    @Test
    void shouldLoseNothingAcknowledgedWhileItsThreadIsKilledAgainAndAgain() throws Exception {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            AtomicInteger acknowledged = new AtomicInteger();
            int writers = 8;
            int each = 150;
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            for (int w = 0; w < writers; w++) {
                int writer = w;
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < each; ) {
                        Outcome outcome = spine.outcome(creating(claim("w" + writer + "-" + i), ""));
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
            int kills = 0;
            while (threads.stream().anyMatch(Thread::isAlive)) {
                spine.kill();
                kills++;
                spine.start();
            }
            assertThat(failures).isEmpty();
            assertThat(kills).isGreaterThan(3);
            assertThat(acknowledged).hasValue(writers * each);
            assertThat(spine.world().size()).isEqualTo(writers * each);
            assertThat(spine.world().revision())
                    .as("none twice")
                    .isEqualTo(spine.world().size());
        }
    }

    @Test
    void shouldStayUsableWhenItsThreadIsKilledWhileItRecovers() throws Exception {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            CountDownLatch writing = new CountDownLatch(1);
            CountDownLatch recovering = new CountDownLatch(1);
            disk.onWrite(file -> {
                writing.countDown();
                sleepUntilInterrupted();
            });
            CompletableFuture<Outcome> doubtful = spine.propose(putting(claim("doubtful"), ""));
            writing.await();
            spine.kill();
            disk.onWrite(file -> {});
            disk.onSync(file -> {
                recovering.countDown();
                sleepUntilInterrupted();
            });
            spine.start();
            recovering.await();
            assertThat(spine.kill()).isInstanceOf(LogFailedException.class);
            assertThat(spine.ledger().readOnly())
                    .as("the disk has done nothing wrong")
                    .isEmpty();
            disk.onSync(file -> {});
            spine.start();
            assertThat(((Refused) get(doubtful)).reason()).isEqualTo(Reason.STOPPED);
            assertThat(spine.put(claim("afterwards"), "")).isInstanceOf(Committed.class);
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
