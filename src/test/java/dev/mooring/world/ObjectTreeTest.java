package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ObjectTreeTest {
    private static StoredObject object(String name, long revision) {
        return new StoredObject(ObjectKey.clusterWide("things", name), revision, new byte[] {'{', '}'});
    }

    private static List<StoredObject> all(ObjectTree tree) {
        List<StoredObject> found = new ArrayList<>();
        tree.range("", "\uffff").forEachRemaining(found::add);
        return found;
    }

    @Test
    void tree_randomEdits_equalsTreeMapAndKeepsEarlierVersions() {
        for (long seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            int names = 1 + random.nextInt(3_000);
            TreeMap<String, StoredObject> model = new TreeMap<>();
            ObjectTree tree = ObjectTree.EMPTY;
            List<ObjectTree> earlier = new ArrayList<>();
            List<List<StoredObject>> earlierContent = new ArrayList<>();
            for (int batch = 0; batch < 20; batch++) {
                ObjectTree.Editor editor = tree.edit();
                boolean shrinking = random.nextInt(3) == 0;
                for (int i = random.nextInt(400); i >= 0; i--) {
                    StoredObject object = object("n" + random.nextInt(names), batch * 1000L + i);
                    String key = object.key().text();
                    if (random.nextInt(10) < (shrinking ? 8 : 3)) {
                        assertThat(editor.remove(object.key())).isEqualTo(model.remove(key));
                    } else {
                        assertThat(editor.put(object)).isEqualTo(model.put(key, object));
                    }
                }
                tree = editor.done();
                earlier.add(tree);
                earlierContent.add(List.copyOf(model.values()));
            }
            for (int i = 0; i < earlier.size(); i++) {
                assertThat(all(earlier.get(i))).as("seed " + seed).isEqualTo(earlierContent.get(i));
                assertThat(earlier.get(i).size())
                        .as("seed " + seed)
                        .isEqualTo(earlierContent.get(i).size());
            }
            for (int i = 0; i < 50; i++) {
                String from = "things/n" + random.nextInt(names);
                String to = "things/n" + random.nextInt(names);
                assertThat(tree.rank(from))
                        .as("seed " + seed)
                        .isEqualTo(model.headMap(from).size());
                List<StoredObject> range = new ArrayList<>();
                tree.range(from, to).forEachRemaining(range::add);
                assertThat(range)
                        .as("seed " + seed)
                        .isEqualTo(
                                from.compareTo(to) > 0
                                        ? List.of()
                                        : List.copyOf(model.subMap(from, to).values()));
                StoredObject probe = object("n" + random.nextInt(names), 0);
                assertThat(tree.get(probe.key()).orElse(null))
                        .isEqualTo(model.get(probe.key().text()));
            }
        }
    }

    @Test
    void tree_allObjectsRemoved_isEmpty() {
        ObjectTree.Editor editor = ObjectTree.EMPTY.edit();
        for (int i = 0; i < 5_000; i++) {
            editor.put(object("n" + i, i));
        }
        ObjectTree full = editor.done();
        ObjectTree.Editor removing = full.edit();
        for (int i = 0; i < 5_000; i++) {
            removing.remove(ObjectKey.clusterWide("things", "n" + (i * 2_003) % 5_000));
        }
        assertThat(all(removing.done())).isEmpty();
        assertThat(full.size()).isEqualTo(5_000);
        assertThat(ObjectTree.EMPTY.size()).isZero();
    }

    @Test
    void editor_usedAfterDone_throws() {
        ObjectTree.Editor editor = ObjectTree.EMPTY.edit();
        editor.done();
        assertThatThrownBy(() -> editor.put(object("a", 1))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void tree_builtFromSortedObjects_isEditable() {
        for (int size : new int[] {0, 1, 24, 25, 33, 600, 24 * 24 + 1, 15_000}) {
            TreeMap<String, StoredObject> model = new TreeMap<>();
            for (int i = 0; i < size; i++) {
                StoredObject object = object("n" + i, i);
                model.put(object.key().text(), object);
            }
            ObjectTree built = ObjectTree.ofSorted(model.values().iterator());
            assertThat(all(built)).isEqualTo(List.copyOf(model.values()));
            assertThat(built.size()).isEqualTo(size);
            ObjectTree.Editor editor = built.edit();
            Random random = new Random(size);
            for (int i = 0; i < 2_000; i++) {
                StoredObject object = object("n" + random.nextInt(size + 10), 100_000 + i);
                if (random.nextBoolean()) {
                    assertThat(editor.remove(object.key()))
                            .isEqualTo(model.remove(object.key().text()));
                } else {
                    assertThat(editor.put(object))
                            .isEqualTo(model.put(object.key().text(), object));
                }
            }
            assertThat(all(editor.done())).isEqualTo(List.copyOf(model.values()));
            assertThat(built.size()).isEqualTo(size);
        }
        assertThatThrownBy(() -> ObjectTree.ofSorted(
                        List.of(object("b", 1), object("a", 2)).iterator()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void hashedEdits_randomEdits_equalTreeEdits() {
        for (long seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            ObjectTree.Editor first = ObjectTree.EMPTY.edit();
            for (int i = random.nextInt(2_000); i > 0; i--) {
                first.put(object("n" + random.nextInt(1_000), i));
            }
            ObjectTree base = first.done();
            ObjectEdits plain = base.edit();
            ObjectEdits hashed = new HashedEdits(base);
            for (int i = random.nextInt(seed % 2 == 0 ? 50 : 3_000); i > 0; i--) {
                StoredObject object = object("n" + random.nextInt(1_500), 10_000 + i);
                if (random.nextInt(3) == 0) {
                    assertThat(hashed.remove(object.key())).isEqualTo(plain.remove(object.key()));
                } else {
                    assertThat(hashed.put(object)).isEqualTo(plain.put(object));
                }
                assertThat(hashed.get(object.key())).isEqualTo(plain.get(object.key()));
            }
            assertThat(all(hashed.done())).as("seed " + seed).isEqualTo(all(plain.done()));
        }
    }
}
