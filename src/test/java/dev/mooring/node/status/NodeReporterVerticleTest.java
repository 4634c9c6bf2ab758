package dev.mooring.node.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.LiveSpine;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.WorldPort;
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
    private static final Duration OFTEN = Duration.ofMillis(5);

    private final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<Instant> beats = new LinkedBlockingQueue<>();
    private final AtomicInteger uids = new AtomicInteger();
    private final FakeMachine machine = new FakeMachine();
    private LiveSpine spine;

    /** Loses the first race for everything, and counts. */
    private final class Racing implements WorldPort {
        private final AtomicInteger proposed = new AtomicInteger();

        @Override
        public World world() {
            return spine.world();
        }

        @Override
        public CompletionStage<Outcome> propose(Proposal proposal) {
            return proposed.getAndIncrement() % 2 == 0
                    ? CompletableFuture.completedFuture(new Outcome.Conflict(ObjectKey.parse("nodes/n1"), 1, 2))
                    : spine.propose(proposal);
        }
    }

    @BeforeEach
    void open() throws IOException {
        spine = new LiveSpine();
        spine.put("{kind: Namespace, metadata: {name: default}}");
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        spine.close();
    }

    private void deploy(Machine seen, WorldPort world) {
        NodeReporter reporter = new NodeReporter("n1", "v", () -> "u" + uids.incrementAndGet());
        NodeReporterVerticle verticle = new NodeReporterVerticle(
                reporter,
                seen,
                (node, now) -> beats.add(now),
                world,
                Clock.systemUTC(),
                OFTEN,
                new NodeNews(new EngineSight.Unwanted()));
        LiveSpine.get(vertx.deployVerticle(verticle).toCompletionStage().toCompletableFuture());
    }

    private void awaitBeats(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            assertThat(beats.poll(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void registersTheNodeAndBeatsWithoutAddingToTheLog() throws InterruptedException {
        Racing world = new Racing();
        deploy(machine, world);
        awaitBeats(1);
        long revision = spine.world().revision();
        awaitBeats(20);
        assertThat(spine.world().revision()).isEqualTo(revision);
        assertThat(spine.world().get(ObjectKey.parse("nodes/n1"))).isPresent();
        assertThat(world.proposed).hasValue(6);
    }

    @Test
    void goesOnToBeatWhileTheMachineDoesNotAnswerOrFails() throws InterruptedException {
        deploy(machine, world());
        awaitBeats(1);
        CompletableFuture<MachineFacts> stuck = new CompletableFuture<>();
        AtomicInteger looks = new AtomicInteger();
        deploy(
                () -> {
                    looks.incrementAndGet();
                    return LiveSpine.get(stuck);
                },
                world());
        machine.broken = true;
        awaitBeats(40);
        assertThat(looks).hasValue(1);
        stuck.complete(machine.facts());
    }

    private WorldPort world() {
        return new WorldPort() {
            @Override
            public World world() {
                return spine.world();
            }

            @Override
            public CompletionStage<Outcome> propose(Proposal proposal) {
                return spine.propose(proposal);
            }
        };
    }
}
