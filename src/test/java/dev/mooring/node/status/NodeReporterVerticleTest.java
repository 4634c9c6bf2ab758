package dev.mooring.node.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.StateStoreFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.WorldPort;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodeReporterVerticleTest {
    private static final Duration INTERVAL = Duration.ofMillis(5);

    private final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<Instant> renewals = new LinkedBlockingQueue<>();
    private final AtomicInteger uids = new AtomicInteger();
    private final FakeMachine machine = new FakeMachine();
    private StateStoreFixture store;

    /** Answers every other proposal with a conflict, and counts proposals. */
    private final class ConflictingWorldPort implements WorldPort {
        private final AtomicInteger proposed = new AtomicInteger();

        @Override
        public World world() {
            return store.world();
        }

        @Override
        public CompletionStage<Outcome> propose(Proposal proposal) {
            return proposed.getAndIncrement() % 2 == 0
                    ? CompletableFuture.completedFuture(new Outcome.Conflict(ObjectKey.parse("nodes/n1"), 1, 2))
                    : store.propose(proposal);
        }
    }

    @BeforeEach
    void open() throws IOException {
        store = new StateStoreFixture();
        store.put("{kind: Namespace, metadata: {name: default}}");
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        store.close();
    }

    private void deploy(NodeReporterVerticle.MachineFactsReader reader, WorldPort world) {
        NodeReporter reporter = new NodeReporter("n1", "v", () -> "u" + uids.incrementAndGet());
        NodeReporterVerticle verticle = new NodeReporterVerticle(
                reporter,
                reader,
                (node, now) -> renewals.add(now),
                world,
                Clock.systemUTC(),
                INTERVAL,
                new RuntimeStatusHolder(new RuntimeStatusHolder.RuntimeStatus.Disabled()));
        StateStoreFixture.get(vertx.deployVerticle(verticle).toCompletionStage().toCompletableFuture());
    }

    private void awaitRenewals(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            assertThat(renewals.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void verticle_registersNodeAndRenewsLeaseWithoutLogEntries() throws InterruptedException {
        ConflictingWorldPort world = new ConflictingWorldPort();
        deploy(machine, world);
        awaitRenewals(1);
        long revision = store.world().revision();
        awaitRenewals(20);
        assertThat(store.world().revision()).isEqualTo(revision);
        assertThat(store.world().get(ObjectKey.parse("nodes/n1"))).isPresent();
        assertThat(world.proposed).hasValue(6);
    }

    @Test
    void verticle_machineHangsOrFails_renewsLease() throws Exception {
        deploy(machine, world());
        awaitRenewals(1);
        CompletableFuture<MachineFacts> stuck = new CompletableFuture<>();
        AtomicInteger reads = new AtomicInteger();
        deploy(
                () -> {
                    reads.incrementAndGet();
                    return stuck.join();
                },
                world());
        machine.broken = true;
        // Otherwise the first verticle may renew often enough before the second one has started.
        ConditionPoller.until(() -> reads.get() == 1);
        awaitRenewals(40);
        assertThat(reads).hasValue(1);
        stuck.complete(machine.facts());
    }

    private WorldPort world() {
        return new WorldPort() {
            @Override
            public World world() {
                return store.world();
            }

            @Override
            public CompletionStage<Outcome> propose(Proposal proposal) {
                return store.propose(proposal);
            }
        };
    }
}
