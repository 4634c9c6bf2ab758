package dev.mooring.world;

import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Something that somebody wants to happen: all of it, as one event, and only if what it was decided upon still holds.
 *
 * @param type the type of the event it becomes
 * @param actor who wants it
 * @param cause why
 * @param writes what it changes, each object at most once
 * @param expectations what must still hold
 */
public record Proposal(String type, String actor, Cause cause, List<Write> writes, List<Expectation> expectations) {
    public Proposal {
        writes = List.copyOf(writes);
        expectations = List.copyOf(expectations);
        Set<ObjectKey> keys = new HashSet<>();
        for (Write write : writes) {
            if (!keys.add(write.key())) {
                throw new IllegalArgumentException(
                        "Expected " + type + " to change each object once, but " + write.key() + " comes twice");
            }
        }
        if (writes.isEmpty()) {
            throw new IllegalArgumentException("Expected " + type + " to change something, but it changes nothing");
        }
    }

    /** A change that is asked for. */
    public sealed interface Write {
        ObjectKey key();
    }

    /** The object is to be as drafted, whether it was there before or not. */
    public record Put(Draft draft) implements Write {
        @Override
        public ObjectKey key() {
            return draft.key();
        }
    }

    /** The object is to go. It must be there. */
    public record Remove(ObjectKey key) implements Write {}

    /**
     * An object must be at a revision, or must not be there.
     *
     * @param revision 0 for absent
     */
    public record Expectation(ObjectKey key, long revision) {}

    /** The same, if an object that it does not change is still as it was seen. */
    public Proposal expecting(StoredObject seen) {
        List<Expectation> more = new ArrayList<>(expectations);
        more.add(new Expectation(seen.key(), seen.revision()));
        return new Proposal(type, actor, cause, writes, more);
    }

    public static Builder by(String actor, String type) {
        return new Builder(actor, type);
    }

    /** Collects what belongs to one proposal. */
    public static final class Builder {
        private final String actor;
        private final String type;
        private Cause cause = Cause.none();
        private final List<Write> writes = new ArrayList<>();
        private final List<Expectation> expectations = new ArrayList<>();

        private Builder(String actor, String type) {
            this.actor = actor;
            this.type = type;
        }

        public Builder because(Cause why) {
            cause = why;
            return this;
        }

        /** A new object: it must not be there yet. */
        public Builder create(Draft draft) {
            writes.add(new Put(draft));
            return expectAbsent(draft.key());
        }

        /** A change of an object that must still be as it was seen. */
        public Builder replace(StoredObject seen, Draft draft) {
            writes.add(new Put(draft));
            return expect(seen);
        }

        /** The removal of an object that must still be as it was seen. */
        public Builder remove(StoredObject seen) {
            writes.add(new Remove(seen.key()));
            return expect(seen);
        }

        /** An object whatever it was before. */
        public Builder put(Draft draft) {
            writes.add(new Put(draft));
            return this;
        }

        /** An object that is not changed but must still be as it was seen. */
        public Builder expect(StoredObject seen) {
            expectations.add(new Expectation(seen.key(), seen.revision()));
            return this;
        }

        public Builder expectAbsent(ObjectKey key) {
            expectations.add(new Expectation(key, 0));
            return this;
        }

        public Proposal build() {
            return new Proposal(type, actor, cause, writes, expectations);
        }
    }
}
