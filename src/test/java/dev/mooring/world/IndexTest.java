package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Indexes of Worlds that are edited at random, compared with entries that are computed without an index. */
class IndexTest {
    private static final Scope PODS = Scope.resource("pods");

    private final AtomicInteger extractions = new AtomicInteger();
    private final Index<String> byWord = index(PODS);
    private final Index<String> everywhere = index(Scope.all());

    private Index<String> index(Scope scope) {
        return Index.of("by word", scope, object -> {
            extractions.incrementAndGet();
            return words(object);
        });
    }

    private static List<String> words(StoredObject object) {
        String text = new String(object.json(), StandardCharsets.UTF_8);
        return text.isEmpty() ? List.of() : List.of(text.split(" ", -1));
    }

    private static ObjectKey pod(String name) {
        return ObjectKey.namespaced("pods", "default", name);
    }

    /** Edits a World; each call is one event. */
    private static final class Editing {
        private World world = World.EMPTY;

        World put(ObjectKey key, String text) {
            StoredObject object = new StoredObject(key, world.revision() + 1, text.getBytes(StandardCharsets.UTF_8));
            return apply(Change.put(object, prior(key)));
        }

        World remove(ObjectKey key) {
            StoredObject last = world.get(key).orElseThrow();
            return apply(Change.removed(new StoredObject(key, world.revision() + 1, last.json()), last.revision()));
        }

        private long prior(ObjectKey key) {
            return world.get(key).map(StoredObject::revision).orElse(0L);
        }

        private World apply(Change change) {
            world = world.after(
                    new Event(world.revision() + 1, Instant.EPOCH, "Changed", "test", Cause.none(), List.of(change)));
            return world;
        }
    }

    private static void assertConsistent(World world, Index<String> index) {
        List<Index.Entry<String>> expected = new ArrayList<>();
        for (StoredObject each : world.list(index.scope())) {
            words(each).stream().distinct().forEach(word -> expected.add(new Index.Entry<>(word, each.key())));
        }
        expected.sort(Index.Entry.order());
        assertThat(world.index(index).all()).containsExactlyElementsOf(expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void index_randomEdits_isConsistentWithEachWorld(long seed) {
        Random random = new Random(seed);
        Editing editing = new Editing();
        List<World> all = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            ObjectKey key = random.nextInt(4) == 0
                    ? ObjectKey.clusterWide(random.nextBoolean() ? "nodes" : "volumes", "n" + random.nextInt(200))
                    : pod("p" + random.nextInt(400));
            if (random.nextInt(3) == 0 && editing.world.get(key).isPresent()) {
                editing.remove(key);
            } else {
                editing.put(key, random.nextInt(5) == 0 ? "" : "w" + random.nextInt(9) + " w" + random.nextInt(9));
            }
            if (random.nextInt(20) == 0) {
                all.add(editing.world);
            }
            if (random.nextInt(50) == 0) {
                assertConsistent(editing.world, random.nextBoolean() ? byWord : everywhere);
            }
        }
        Collections.shuffle(all, random);
        for (World each : all) {
            assertConsistent(each, byWord);
            assertConsistent(each, everywhere);
        }
    }

    @Test
    void index_oneChangeAmongMany_extractsOnlyTheChangedObject() {
        Editing editing = new Editing();
        for (int i = 0; i < 20_000; i++) {
            editing.put(pod("p" + i), "a");
        }
        assertThat(editing.world.index(byWord).keys("a")).hasSize(20_000);
        extractions.set(0);

        World next = editing.put(pod("p7777"), "b");
        editing.put(ObjectKey.clusterWide("nodes", "n1"), "b");

        assertThat(next.index(byWord).keys("b")).containsExactly(pod("p7777"));
        assertThat(editing.world.index(byWord).keys("b")).containsExactly(pod("p7777"));
        assertThat(extractions).hasValue(2); // the object before and after
    }

    @Test
    void index_askedTwice_isDerivedOnce() {
        Editing editing = new Editing();
        World world = editing.put(pod("p"), "a b");

        assertThat(world.index(byWord)).isSameAs(world.index(byWord));
        assertThat(extractions).hasValue(1);
    }

    @Test
    void index_manyReplacedObjects_doesNotHoldTheirMemory() {
        Editing editing = new Editing();
        editing.put(pod("p"), "a");
        editing.world.index(byWord);
        String large = "x".repeat(1 << 20);
        for (int i = 0; i < 20; i++) {
            editing.put(pod("q"), large + i);
        }
        extractions.set(0);

        assertThat(editing.world.index(byWord).keys("a")).containsExactly(pod("p"));
        assertThat(extractions).as("built anew").hasValue(2);
    }

    @Test
    void affectedBy_changedObject_returnsValuesBeforeAndAfter() {
        StoredObject before = new StoredObject(pod("p"), 1, "a b".getBytes(StandardCharsets.UTF_8));
        StoredObject after = new StoredObject(pod("p"), 2, "b c".getBytes(StandardCharsets.UTF_8));

        assertThat(byWord.affectedBy(Change.put(after, 1), Optional.of(before))).containsExactly("a", "b", "c");
        assertThat(byWord.affectedBy(Change.put(after, 0), Optional.empty())).containsExactly("b", "c");
    }

    @Test
    void from_value_returnsItsEntriesAndThoseAfterIt() {
        Editing editing = new Editing();
        editing.put(pod("p"), "a c");
        World world = editing.put(pod("q"), "b c");

        assertThat(world.index(byWord).from("b").map(Index.Entry::value)).containsExactly("b", "c", "c");
        assertThat(world.find(byWord, "c")).extracting(StoredObject::key).containsExactly(pod("p"), pod("q"));
        assertThat(world.index(byWord).keys("d")).isEmpty();
    }

    @Test
    void range_hasEntriesFromTheFirstValueBeforeTheLast() {
        Editing editing = new Editing();
        editing.put(pod("p"), "a b");
        editing.put(pod("q"), "b c");

        Index.Entries<String> range = editing.world.index(byWord).range("b", "c");

        assertThat(range.all().map(Index.Entry::key)).containsExactly(pod("p"), pod("q"));
        assertThat(range.size()).isEqualTo(2);
    }

    @Test
    void entriesOfNode_haveNoEntriesOfNodesWithTheSamePrefix() {
        Index<NodeValue<String>> byNode = Index.of(
                "by node",
                PODS,
                object -> words(object).stream()
                        .map(node -> new NodeValue<>(node, object.key().name()))
                        .toList());
        Editing editing = new Editing();
        editing.put(pod("p"), "n1 n10");
        editing.put(pod("q"), "n1");

        assertThat(NodeValue.entriesOf("n1", editing.world.index(byNode))
                        .all()
                        .map(each -> each.value().value()))
                .containsExactly("p", "q");
    }
}
