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
 * A proposed change: committed as one event, all or nothing, and only if its preconditions still hold.
 *
 * @param type the type of the resulting event
 * @param actor the user or controller that proposes it
 * @param cause why
 * @param writes its changes, each object at most once
 * @param expectations its preconditions
 * @param allowance which {@link WorldLimits} apply
 */
public record Proposal(
        String type,
        String actor,
        Cause cause,
        List<Write> writes,
        List<Expectation> expectations,
        Allowance allowance) {
    /** Which part of the World's memory a proposal may use. */
    public enum Allowance {
        /** Limited by the quota of its namespace and the unreserved memory. */
        USER,
        /** May use the reserved memory: controllers and nodes must converge even when users have used up theirs. */
        SYSTEM,
        /** Unlimited: a deletionTimestamp adds a few bytes, and the deletion frees all of them. */
        DELETION
    }

    /** Creates a proposal of a controller or a node. */
    public Proposal(String type, String actor, Cause cause, List<Write> writes, List<Expectation> expectations) {
        this(type, actor, cause, writes, expectations, Allowance.SYSTEM);
    }

    public Proposal {
        writes = List.copyOf(writes);
        expectations = List.copyOf(expectations);
        Set<ObjectKey> keys = new HashSet<>();
        for (Write write : writes) {
            if (!keys.add(write.key())) {
                throw new IllegalArgumentException(type + " changes " + write.key() + " more than once");
            }
        }
        if (writes.isEmpty()) {
            throw new IllegalArgumentException(type + " changes no object");
        }
    }

    /** A requested change. */
    public sealed interface Write {
        ObjectKey key();
    }

    /** Creates or replaces an object. */
    public record Put(Draft draft) implements Write {
        @Override
        public ObjectKey key() {
            return draft.key();
        }
    }

    /** Removes an object, which must exist. */
    public record Remove(ObjectKey key) implements Write {}

    /**
     * A precondition: an object is at a revision, or is absent.
     *
     * @param revision 0 for absent
     */
    public record Expectation(ObjectKey key, long revision) {}

    /** Returns this proposal with the precondition that another object is unchanged. */
    public Proposal expecting(StoredObject seen) {
        List<Expectation> more = new ArrayList<>(expectations);
        more.add(new Expectation(seen.key(), seen.revision()));
        return new Proposal(type, actor, cause, writes, more, allowance);
    }

    public static Builder by(String actor, String type) {
        return new Builder(actor, type);
    }

    /** Builds a proposal. */
    public static final class Builder {
        private final String actor;
        private final String type;
        private Cause cause = Cause.none();
        private Allowance allowance = Allowance.SYSTEM;
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

        public Builder within(Allowance claimed) {
            allowance = claimed;
            return this;
        }

        /** Creates an object, which must not exist. */
        public Builder create(Draft draft) {
            writes.add(new Put(draft));
            return expectAbsent(draft.key());
        }

        /** Replaces an object, which must be unchanged. */
        public Builder replace(StoredObject seen, Draft draft) {
            writes.add(new Put(draft));
            return expect(seen);
        }

        /** Removes an object, which must be unchanged. */
        public Builder remove(StoredObject seen) {
            writes.add(new Remove(seen.key()));
            return expect(seen);
        }

        /** Creates or replaces an object unconditionally. */
        public Builder put(Draft draft) {
            writes.add(new Put(draft));
            return this;
        }

        /** Adds the precondition that an object is unchanged. */
        public Builder expect(StoredObject seen) {
            expectations.add(new Expectation(seen.key(), seen.revision()));
            return this;
        }

        public Builder expectAbsent(ObjectKey key) {
            expectations.add(new Expectation(key, 0));
            return this;
        }

        public Proposal build() {
            return new Proposal(type, actor, cause, writes, expectations, allowance);
        }
    }
}
