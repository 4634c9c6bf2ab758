package dev.mooring.world;

import dev.mooring.log.Snapshot;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * All objects at one revision. Never changes; a commit makes another one that shares what is the same. Any thread may read
 * it without a lock, and everything it says is of the same moment.
 */
public final class World {
    /** The world before the first event. */
    public static final World EMPTY = new World(0, 0, ObjectTree.EMPTY);

    private final long revision;
    private final long digest;
    private final ObjectTree objects;

    private World(long revision, long digest, ObjectTree objects) {
        this.revision = revision;
        this.digest = digest;
        this.objects = objects;
    }

    public static World of(Snapshot snapshot) {
        long digest = 0;
        for (StoredObject object : snapshot.objects()) {
            digest += object.digest();
        }
        if (digest != snapshot.position().digest()) {
            throw new ReplayMismatchException(
                    snapshot.revision(), "its snapshot", snapshot.position().digest(), digest);
        }
        ObjectTree objects = ObjectTree.ofSorted(snapshot.objects().iterator());
        return new World(snapshot.revision(), digest, objects);
    }

    public long revision() {
        return revision;
    }

    /** The same for the same objects at the same revisions, however they came about: each commit in the log vouches for it. */
    public long digest() {
        return digest;
    }

    public int size() {
        return objects.size();
    }

    public Optional<StoredObject> get(ObjectKey key) {
        return objects.get(key);
    }

    /** The objects in a scope, in the order of their keys. */
    public Iterable<StoredObject> list(Scope scope) {
        return () -> objects.range(scope.from(), scope.to());
    }

    /** The objects in a scope that come after a key, in order: the next page of a list. */
    public Iterable<StoredObject> listAfter(Scope scope, ObjectKey last) {
        String behind = last.text() + '\0';
        return () -> objects.range(behind.compareTo(scope.from()) > 0 ? behind : scope.from(), scope.to());
    }

    public Stream<StoredObject> stream(Scope scope) {
        return StreamSupport.stream(list(scope).spliterator(), false);
    }

    /** How many objects are in a scope, without walking them. */
    public int count(Scope scope) {
        return objects.rank(scope.to()) - objects.rank(scope.from());
    }

    /** How many objects in a scope come after a key, without walking them. */
    public int countAfter(Scope scope, ObjectKey last) {
        return objects.rank(scope.to()) - objects.rank(last.text() + '\0');
    }

    /** This world after an event. */
    public World after(Event event) {
        Editor editor = edit();
        editor.apply(event);
        return editor.done();
    }

    public Editor edit() {
        return new Editor(this, objects.edit());
    }

    /** An editor for a long replay, in which most objects change many times. */
    public Editor editMany() {
        return new Editor(this, new HashedEdits(objects));
    }

    /** Whether both hold the same objects, byte for byte. */
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof World that)
                || revision != that.revision
                || digest != that.digest
                || size() != that.size()) {
            return false;
        }
        Iterator<StoredObject> mine = list(Scope.all()).iterator();
        Iterator<StoredObject> theirs = that.list(Scope.all()).iterator();
        while (mine.hasNext()) {
            if (!mine.next().equals(theirs.next())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(digest);
    }

    @Override
    public String toString() {
        return "World at revision " + revision + " with " + size() + " objects";
    }

    /** Makes the worlds that follow from one. For one thread, useless after {@link #done}. */
    public static final class Editor {
        private final ObjectEdits objects;
        private long revision;
        private long digest;

        private Editor(World world, ObjectEdits objects) {
            this.objects = objects;
            this.revision = world.revision;
            this.digest = world.digest;
        }

        public long revision() {
            return revision;
        }

        public long digest() {
            return digest;
        }

        public Optional<StoredObject> get(ObjectKey key) {
            return objects.get(key);
        }

        /**
         * Replays an event: the only way a world changes. Each change says which revision of the object it replaced, and that is
         * checked here, so that a wrong replay stops at once.
         *
         * @return the objects that were replaced or removed, in the order of the changes; null where there was none
         */
        public StoredObject[] apply(Event event) {
            if (event.revision() != revision + 1) {
                throw new ReplayMismatchException(event.revision(), "the revision", revision + 1, event.revision());
            }
            revision = event.revision();
            StoredObject[] before = new StoredObject[event.changes().size()];
            for (int i = 0; i < before.length; i++) {
                Change change = event.changes().get(i);
                before[i] = change.isRemoval() ? remove(change.key()) : put(change.object());
                long prior = before[i] == null ? 0 : before[i].revision();
                if (prior != change.prior()) {
                    throw new ReplayMismatchException(
                            revision, "the revision of " + change.key() + " before it", change.prior(), prior);
                }
            }
            return before;
        }

        /** Takes an event back: puts what {@link #apply} had returned. Events are taken back newest first. */
        void undo(Event event, StoredObject[] before) {
            for (int i = 0; i < before.length; i++) {
                if (before[i] == null) {
                    remove(event.changes().get(i).key());
                } else {
                    put(before[i]);
                }
            }
            revision = event.revision() - 1;
        }

        private StoredObject put(StoredObject object) {
            StoredObject before = objects.put(object);
            digest += object.digest() - (before == null ? 0 : before.digest());
            return before;
        }

        private StoredObject remove(ObjectKey key) {
            StoredObject before = objects.remove(key);
            digest -= before == null ? 0 : before.digest();
            return before;
        }

        public World done() {
            return new World(revision, digest, objects.done());
        }
    }
}
