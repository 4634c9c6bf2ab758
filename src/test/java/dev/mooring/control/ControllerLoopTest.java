package dev.mooring.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ControllerLoopTest {
    /** Copies each Secret's {@code wanted} to its {@code seen}. */
    private final class Copier implements Controller {
        @Override
        public String name() {
            return "copier";
        }

        @Override
        public void setExternalEnqueue(Consumer<ObjectKey> enqueue) {
            externalEnqueue = enqueue;
        }

        @Override
        public List<Scope> scopes() {
            return List.of(Scope.resource("secrets"), Scope.resource("nodes"));
        }

        @Override
        public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer enqueuer) {
            if (change.key().name().equals("rejected")) {
                throw new IllegalStateException("injected failure");
            }
            received.add(change.key().name());
            enqueuer.enqueue(change.key());
        }

        @Override
        public Decision reconcile(World world, ObjectKey key, Instant now) {
            reconciled.add(key.name());
            return behaviour.apply(world, key);
        }
    }

    private final ManualLoopExecutor thread = new ManualLoopExecutor();
    private final List<String> received = new ArrayList<>();
    private final List<String> reconciled = new ArrayList<>();
    private final List<String> executed = new ArrayList<>();
    private final List<Throwable> loopFailures = new ArrayList<>();
    private BiFunction<World, ObjectKey, Decision> behaviour = ControllerLoopTest::copy;
    private Consumer<ObjectKey> externalEnqueue;
    private long firstRevision;
    private int failures;
    private StateStoreFixture store;
    private ControllerLoop loop;

    @BeforeEach
    void open() throws IOException {
        store = new StateStoreFixture();
    }

    @AfterEach
    void close() throws IOException {
        loop.close();
        store.close();
    }

    private void start() {
        start(Schedulers.single());
    }

    private void start(Scheduler reading) {
        loop = new ControllerLoop(
                Copier::new, this::execute, store.context(reading, thread.clock()), thread, loopFailures::add);
        boolean[] up = {false};
        loop.start(() -> up[0] = true);
        thread.runUntil(() -> up[0]);
    }

    private void execute(Effect effect) {
        executed.add(effect + " at " + (store.world().revision() - firstRevision));
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("injected failure");
        }
    }

    private record Named(String name) implements Effect {}

    private static Decision copy(World world, ObjectKey key) {
        Optional<StoredObject> seen = world.get(key);
        if (seen.isEmpty()) {
            return Decision.none();
        }
        ObjectNode object = seen.get().toTree();
        if (object.path("wanted").equals(object.path("seen"))) {
            return Decision.none();
        }
        object.set("seen", object.get("wanted"));
        return Decision.of(Proposal.by("copier", "Copied")
                .replace(seen.get(), Draft.of(key, object))
                .build());
    }

    private static String secret(String name, String wanted) {
        return "---\n{kind: Secret, metadata: {name: " + name + ", namespace: a}, wanted: " + wanted + "}\n";
    }

    private boolean isCopied(String name, String wanted) {
        return store.world()
                .get(ObjectKey.parse("secrets/a/" + name))
                .map(StoredObject::toTree)
                .filter(object -> object.path("seen").asText().equals(wanted))
                .isPresent();
    }

    private double count(String meter) {
        return store.registry().get(meter).tag("controller", "copier").counter().count();
    }

    @Test
    void effects_decisionWithProposals_areExecutedInOrderAfterTheCommit() {
        behaviour = (world, key) -> {
            Decision decision = copy(world, key);
            return decision.proposals().isEmpty() ? decision : decision.withEffects(new Named("a"), new Named("b"));
        };
        store.put(secret("one", "x"));
        firstRevision = store.world().revision();
        start();
        thread.runUntil(() -> isCopied("one", "x") && !executed.isEmpty());
        assertThat(executed).containsExactly("Named[name=a] at 1", "Named[name=b] at 1");
    }

    @Test
    void effects_decisionWithoutProposals_areExecutedAtOnceAndRetriedAfterAFailure() {
        behaviour = (world, key) -> Decision.none().withEffects(new Named(key.name()));
        failures = 1;
        store.put(secret("one", "x"));
        firstRevision = store.world().revision();
        start();
        thread.runUntil(() -> executed.size() == 1);
        thread.advance(Duration.ofMillis(5));
        assertThat(executed).containsExactly("Named[name=one] at 0", "Named[name=one] at 0");
        assertThat(count("mooring.controller.errors")).isEqualTo(1);
    }

    @Test
    void effects_conflictingProposal_areDropped() {
        behaviour = (world, key) -> {
            if (reconciled.size() > 1) {
                return Decision.none().withEffects(new Named("second"));
            }
            Decision decision = copy(world, key).withEffects(new Named("first"));
            store.put(secret("one", "changed"));
            return decision;
        };
        store.put(secret("one", "x"));
        start();
        thread.runUntil(() -> !executed.isEmpty());
        assertThat(executed).noneMatch(each -> each.contains("first"));
    }

    @Test
    void controllerLoop_existingNewAndChangedObjects_reconcilesAll() {
        store.put(secret("old", "x"));
        start();
        thread.runUntil(() -> isCopied("old", "x"));
        store.put(secret("new", "y"));
        thread.runUntil(() -> isCopied("new", "y"));
        store.put(secret("old", "z"));
        thread.runUntil(() -> isCopied("old", "z"));
        assertThat(count("mooring.controller.errors")).isZero();
        assertThat(count("mooring.controller.reconciles")).isEqualTo(reconciled.size());
        assertThat(loopFailures).isEmpty();
    }

    @Test
    void controllerLoop_changesOutsideItsScopes_receivesOnlyThoseInside() {
        start();
        store.put("{kind: ConfigMap, metadata: {name: other, namespace: a}}");
        store.put("{kind: Node, metadata: {name: n}, wanted: x}");
        thread.runUntil(() -> received.contains("n"));
        assertThat(received).doesNotContain("other");
    }

    @Test
    void controllerLoop_nothingDue_setsNoTimerAndReconcilesNothing() {
        store.put(secret("s", "x"));
        start();
        thread.runUntil(() -> isCopied("s", "x") && received.size() == 2 && reconciled.size() >= 2);
        thread.runAll();
        assertThat(thread.timers()).isZero();
        store.put("{kind: ConfigMap, metadata: {name: other, namespace: a}}");
        thread.advance(Duration.ofDays(1));
        assertThat(reconciled).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void controllerLoop_externallyEnqueuedKey_reconcilesItUntilClosed() {
        behaviour = (world, key) -> Decision.none();
        start();
        thread.runAll();

        externalEnqueue.accept(ObjectKey.clusterWide("anything", "x"));
        thread.runUntil(() -> reconciled.contains("x"));

        loop.close();
        reconciled.clear();
        externalEnqueue.accept(ObjectKey.clusterWide("anything", "y"));
        thread.runAll();
        assertThat(reconciled).isEmpty();
    }

    @Test
    void controllerLoop_decisionWithRequeueDelay_reconcilesAgainAfterIt() {
        behaviour = (world, key) -> Decision.none().requeueAfter(Duration.ofMinutes(5));
        store.put(secret("s", "x") + secret("t", "x"));
        start();
        thread.runUntil(() -> reconciled.size() == 2);
        thread.runAll();
        thread.advance(Duration.ofMinutes(4));
        assertThat(reconciled).hasSize(2);
        assertThat(thread.timers()).as("one timer for all keys").isEqualTo(1);
        thread.advance(Duration.ofMinutes(1));
        assertThat(reconciled).hasSize(4);
    }

    @Test
    void controllerLoop_conflict_reconcilesAgainAtOnce() {
        behaviour = (world, key) -> {
            if (reconciled.size() == 1) {
                // The object changes between the decision and its commit.
                store.put(secret("s", "later"));
            }
            return copy(world, key);
        };
        store.put(secret("s", "first"));
        start();
        thread.runUntil(() -> isCopied("s", "later"));
        assertThat(count("mooring.controller.conflicts")).isEqualTo(1);
        assertThat(count("mooring.controller.errors")).isZero();
    }

    @Test
    void controllerLoop_failingKey_backsOffWithoutDelayingOtherKeys() {
        boolean[] broken = {true};
        behaviour = (world, key) -> {
            if (broken[0] && key.name().equals("bad")) {
                throw new IllegalStateException("injected failure");
            }
            return copy(world, key);
        };
        store.put(secret("bad", "x") + secret("good", "x"));
        start();
        thread.runUntil(() -> isCopied("good", "x"));
        thread.runAll();
        long waits = 5;
        for (int failures = 1; failures < 6; failures++) {
            assertThat(count("mooring.controller.errors")).isEqualTo(failures);
            thread.advance(Duration.ofMillis(waits - 1));
            assertThat(count("mooring.controller.errors")).isEqualTo(failures);
            thread.advance(Duration.ofMillis(1));
            waits *= 2;
        }
        broken[0] = false;
        thread.advance(Duration.ofSeconds(30));
        thread.runUntil(() -> isCopied("bad", "x"));
        assertThat(loopFailures).isEmpty();
    }

    @Test
    void controllerLoop_onChangeThrows_countsAnErrorAndContinues() {
        start();
        store.put(secret("rejected", "x") + secret("s", "x"));
        thread.runUntil(() -> isCopied("s", "x"));
        assertThat(count("mooring.controller.errors")).isEqualTo(1);
    }

    @Test
    void controllerLoop_proposalRefused_retriesAfterBackoff() {
        store.put(secret("s", "x"));
        store.stopLedger();
        start();
        thread.runUntil(() -> !reconciled.isEmpty());
        store.refuseAll();
        thread.runUntil(() -> count("mooring.controller.errors") == 1);
        store.startLedger();
        thread.runAll();
        assertThat(thread.timers()).isEqualTo(1);
        assertThat(reconciled).hasSize(1);
        thread.advance(Duration.ofMillis(5));
        thread.runUntil(() -> isCopied("s", "x"));
    }

    @Test
    void controllerLoop_behindRetainedHistory_relistsCurrentObjects() throws IOException {
        TestScheduler reader = new TestScheduler();
        start(reader);
        StringBuilder secrets = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            secrets.append(secret("s" + i % 100, "x" + "y".repeat(500)));
        }
        store.put(secrets.toString());
        // Two snapshots: history before the older one may be removed.
        store.forgetHistory();
        store.put(secret("last", "x"));
        store.forgetHistory();
        assertThat(received).isEmpty();
        reader.triggerActions();
        thread.runUntil(() -> {
            reader.triggerActions();
            return isCopied("last", "x") && isCopied("s99", "x" + "y".repeat(500));
        });
        assertThat(received.size()).as("current objects instead of all changes").isLessThan(300);
        assertThat(loopFailures).isEmpty();
    }

    @Test
    void controllerLoop_manyObjects_queueStaysBoundedAndAllAreReconciled() {
        StringBuilder secrets = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            secrets.append(secret("s" + i, "x"));
        }
        store.put(secrets.toString());
        start();
        thread.runUntil(() -> {
            assertThat(store.registry().get("mooring.controller.queue").gauge().value())
                    .isLessThanOrEqualTo(3_000);
            return count("mooring.controller.reconciles") > 100;
        });
        thread.runUntil(() -> isCopied("s2999", "x") && store.world().revision() == 6_000);
        for (int i = 0; i < 3_000; i++) {
            assertThat(isCopied("s" + i, "x")).isTrue();
        }
    }

    @Test
    void controllerLoop_closed_reconcilesNothingAndItsSuccessorContinues() {
        StringBuilder secrets = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            secrets.append(secret("s" + i, "x"));
        }
        store.put(secrets.toString());
        for (int killed = 0; killed < 5; killed++) {
            start();
            int already = reconciled.size();
            thread.runUntil(() -> reconciled.size() > already + 20);
            loop.close();
            int then = reconciled.size();
            thread.runAll();
            assertThat(reconciled).hasSize(then);
            assertThat(thread.timers()).isZero();
        }
        start();
        thread.runUntil(() -> isCopied("s499", "x") && store.world().revision() == 1_000);
        assertThat(store.registry().get("mooring.controller.queue").gauge().value())
                .isNotNaN();
    }
}
