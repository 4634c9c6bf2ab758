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
    /** Writes under each Secret's {@code seen} what is in its {@code wanted}. */
    private final class Copier implements Controller {
        @Override
        public String name() {
            return "copier";
        }

        @Override
        public void wakeable(Consumer<ObjectKey> wake) {
            outside = wake;
        }

        @Override
        public List<Scope> scopes() {
            return List.of(Scope.resource("secrets"), Scope.resource("nodes"));
        }

        @Override
        public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
            if (change.key().name().equals("unfollowable")) {
                throw new IllegalStateException("meant to happen");
            }
            followed.add(change.key().name());
            wakes.now(change.key());
        }

        @Override
        public Decision reconcile(World world, ObjectKey key, Instant now) {
            looked.add(key.name());
            return behaviour.apply(world, key);
        }
    }

    private final SteppedThread thread = new SteppedThread();
    private final List<String> followed = new ArrayList<>();
    private final List<String> looked = new ArrayList<>();
    private final List<Throwable> deaths = new ArrayList<>();
    private BiFunction<World, ObjectKey, Decision> behaviour = ControllerLoopTest::copy;
    private Consumer<ObjectKey> outside;
    private LiveSpine spine;
    private ControllerLoop loop;

    @BeforeEach
    void open() throws IOException {
        spine = new LiveSpine();
    }

    @AfterEach
    void close() throws IOException {
        loop.close();
        spine.close();
    }

    private void start() {
        start(Schedulers.single());
    }

    private void start(Scheduler reading) {
        loop = new ControllerLoop(Copier::new, spine.parts(reading, thread.clock()), thread, deaths::add);
        boolean[] up = {false};
        loop.start(() -> up[0] = true);
        thread.runUntil(() -> up[0]);
    }

    private static Decision copy(World world, ObjectKey key) {
        Optional<StoredObject> seen = world.get(key);
        if (seen.isEmpty()) {
            return Decision.nothing();
        }
        ObjectNode object = StoredJson.tree(seen.get());
        if (object.path("wanted").equals(object.path("seen"))) {
            return Decision.nothing();
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
        return spine.world()
                .get(ObjectKey.parse("secrets/a/" + name))
                .map(StoredJson::tree)
                .filter(object -> object.path("seen").asText().equals(wanted))
                .isPresent();
    }

    private double count(String meter) {
        return spine.registry().get(meter).tag("controller", "copier").counter().count();
    }

    @Test
    void worksOnWhatIsThereAndOnWhatComes() {
        spine.put(secret("old", "x"));
        start();
        thread.runUntil(() -> isCopied("old", "x"));
        spine.put(secret("new", "y"));
        thread.runUntil(() -> isCopied("new", "y"));
        spine.put(secret("old", "z"));
        thread.runUntil(() -> isCopied("old", "z"));
        assertThat(count("mooring.controller.errors")).isZero();
        assertThat(count("mooring.controller.reconciles")).isEqualTo(looked.size());
        assertThat(deaths).isEmpty();
    }

    @Test
    void isToldOnlyWhatItWatches() {
        start();
        spine.put("{kind: ConfigMap, metadata: {name: other, namespace: a}}");
        spine.put("{kind: Node, metadata: {name: n}, wanted: x}");
        thread.runUntil(() -> followed.contains("n"));
        assertThat(followed).doesNotContain("other");
    }

    @Test
    void liesStillWhenNothingIsDue() {
        spine.put(secret("s", "x"));
        start();
        thread.runUntil(() -> isCopied("s", "x") && followed.size() == 2 && looked.size() >= 2);
        thread.runAll();
        assertThat(thread.timers()).isZero();
        spine.put("{kind: ConfigMap, metadata: {name: other, namespace: a}}");
        thread.pass(Duration.ofDays(1));
        assertThat(looked).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void looksAtWhatIsWokenFromOutside() {
        behaviour = (world, key) -> Decision.nothing();
        start();
        thread.runAll();

        outside.accept(ObjectKey.clusterWide("anything", "x"));
        thread.runUntil(() -> looked.contains("x"));

        loop.close();
        looked.clear();
        outside.accept(ObjectKey.clusterWide("anything", "y"));
        thread.runAll();
        assertThat(looked).isEmpty();
    }

    @Test
    void looksAgainWhenItIsTime() {
        behaviour = (world, key) -> Decision.nothing().lookAgainAfter(Duration.ofMinutes(5));
        spine.put(secret("s", "x") + secret("t", "x"));
        start();
        thread.runUntil(() -> looked.size() == 2);
        thread.runAll();
        thread.pass(Duration.ofMinutes(4));
        assertThat(looked).hasSize(2);
        assertThat(thread.timers()).as("one timer for all").isEqualTo(1);
        thread.pass(Duration.ofMinutes(1));
        assertThat(looked).hasSize(4);
    }

    @Test
    void looksAgainAtOnceAfterAConflict() {
        behaviour = (world, key) -> {
            if (looked.size() == 1) {
                // Somebody changes it after the decision and before the ledger comes to it.
                spine.put(secret("s", "later"));
            }
            return copy(world, key);
        };
        spine.put(secret("s", "first"));
        start();
        thread.runUntil(() -> isCopied("s", "later"));
        assertThat(count("mooring.controller.conflicts")).isEqualTo(1);
        assertThat(count("mooring.controller.errors")).isZero();
    }

    @Test
    void aKeyThatFailsWaitsLongerEachTimeAndHoldsUpNobody() {
        boolean[] broken = {true};
        behaviour = (world, key) -> {
            if (broken[0] && key.name().equals("bad")) {
                throw new IllegalStateException("meant to happen");
            }
            return copy(world, key);
        };
        spine.put(secret("bad", "x") + secret("good", "x"));
        start();
        thread.runUntil(() -> isCopied("good", "x"));
        thread.runAll();
        long waits = 5;
        for (int failures = 1; failures < 6; failures++) {
            assertThat(count("mooring.controller.errors")).isEqualTo(failures);
            thread.pass(Duration.ofMillis(waits - 1));
            assertThat(count("mooring.controller.errors")).isEqualTo(failures);
            thread.pass(Duration.ofMillis(1));
            waits *= 2;
        }
        broken[0] = false;
        thread.pass(Duration.ofSeconds(30));
        thread.runUntil(() -> isCopied("bad", "x"));
        assertThat(deaths).isEmpty();
    }

    @Test
    void aChangeThatCannotBeFollowedHoldsUpNobody() {
        start();
        spine.put(secret("unfollowable", "x") + secret("s", "x"));
        thread.runUntil(() -> isCopied("s", "x"));
        assertThat(count("mooring.controller.errors")).isEqualTo(1);
    }

    @Test
    void triesAgainLaterWhatTheLedgerRefuses() {
        spine.put(secret("s", "x"));
        spine.stopLedger();
        start();
        thread.runUntil(() -> !looked.isEmpty());
        spine.refuseAll();
        thread.runUntil(() -> count("mooring.controller.errors") == 1);
        spine.startLedger();
        thread.runAll();
        assertThat(thread.timers()).isEqualTo(1);
        assertThat(looked).hasSize(1);
        thread.pass(Duration.ofMillis(5));
        thread.runUntil(() -> isCopied("s", "x"));
    }

    @Test
    void beginsAnewWhenItFellBehindWhatIsKept() throws IOException {
        TestScheduler asleep = new TestScheduler();
        start(asleep);
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            many.append(secret("s" + i % 100, "x" + "y".repeat(500)));
        }
        spine.put(many.toString());
        // Two snapshots: history before the older one may go.
        spine.forgetHistory();
        spine.put(secret("last", "x"));
        spine.forgetHistory();
        assertThat(followed).isEmpty();
        asleep.triggerActions();
        thread.runUntil(() -> {
            asleep.triggerActions();
            return isCopied("last", "x") && isCopied("s99", "x" + "y".repeat(500));
        });
        assertThat(followed.size()).as("each as it is now, not as it was").isLessThan(300);
        assertThat(deaths).isEmpty();
    }

    @Test
    void holdsNoMoreThanIsBoundedHoweverMuchThereIs() {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            many.append(secret("s" + i, "x"));
        }
        spine.put(many.toString());
        start();
        thread.runUntil(() -> {
            assertThat(spine.registry().get("mooring.controller.queue").gauge().value())
                    .isLessThanOrEqualTo(3_000);
            return count("mooring.controller.reconciles") > 100;
        });
        thread.runUntil(() -> isCopied("s2999", "x") && spine.world().revision() == 6_000);
        for (int i = 0; i < 3_000; i++) {
            assertThat(isCopied("s" + i, "x")).isTrue();
        }
    }

    @Test
    void aClosedLoopDoesNothingMoreAndANewOneGoesOn() {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            many.append(secret("s" + i, "x"));
        }
        spine.put(many.toString());
        for (int killed = 0; killed < 5; killed++) {
            start();
            int already = looked.size();
            thread.runUntil(() -> looked.size() > already + 20);
            loop.close();
            int then = looked.size();
            thread.runAll();
            assertThat(looked).hasSize(then);
            assertThat(thread.timers()).isZero();
        }
        start();
        thread.runUntil(() -> isCopied("s499", "x") && spine.world().revision() == 1_000);
        assertThat(spine.registry().get("mooring.controller.queue").gauge().value())
                .isNotNaN();
    }
}
