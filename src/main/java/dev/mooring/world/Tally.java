package dev.mooring.world;

import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.pcollections.HashPMap;
import org.pcollections.HashTreePMap;

/**
 * Declares sums over the objects of the World, per namespace: {@link World#tally} returns them for any World. Their
 * cost is proportional to the changes since they were last used.
 *
 * <p>The extractor is a pure function of the object and must not fail for malformed objects.
 */
public final class Tally implements Derivation<Tally.Sums> {
    private final Scope scope;
    private final Function<StoredObject, Map<String, Quantity>> extractor;

    private Tally(Scope scope, Function<StoredObject, Map<String, Quantity>> extractor) {
        this.scope = scope;
        this.extractor = extractor;
    }

    /** @param extractor returns the amounts of an object by name */
    public static Tally of(Scope scope, Function<StoredObject, Map<String, Quantity>> extractor) {
        return new Tally(scope, extractor);
    }

    @Override
    public Scope scope() {
        return scope;
    }

    @Override
    public Sums derive(Optional<Sums> from, Iterable<World.Difference> differences) {
        Sums sums = from.orElse(Sums.NONE);
        for (World.Difference each : differences) {
            Map<String, Quantity> before = each.before().map(extractor).orElse(Map.of());
            Map<String, Quantity> after = each.after().map(extractor).orElse(Map.of());
            if (!before.equals(after)) {
                String namespace = each.after()
                        .or(each::before)
                        .flatMap(object -> object.key().namespace())
                        .orElse("");
                sums = sums.plus(namespace, change(before, after));
            }
        }
        return sums;
    }

    /** Returns the differences of two maps of amounts; an absent amount is 0. */
    static Map<String, Quantity> change(Map<String, Quantity> before, Map<String, Quantity> after) {
        Map<String, Quantity> change = new HashMap<>(after);
        before.forEach((name, amount) -> change.put(
                name,
                after.containsKey(name)
                        ? after.get(name).minus(amount)
                        : amount.minus(amount).minus(amount)));
        return change;
    }

    /** The sums of one World. Immutable. */
    public static final class Sums {
        private static final Sums NONE = new Sums(HashTreePMap.empty());

        private final HashPMap<SumKey, Quantity> amounts;

        private record SumKey(String namespace, String name) {}

        private Sums(HashPMap<SumKey, Quantity> amounts) {
            this.amounts = amounts;
        }

        /** Returns a sum; 0 if no object has an amount of that name. */
        public Quantity get(String namespace, String name) {
            return amounts.getOrDefault(new SumKey(namespace, name), Quantity.ZERO);
        }

        private Sums plus(String namespace, Map<String, Quantity> change) {
            HashPMap<SumKey, Quantity> next = amounts;
            for (Map.Entry<String, Quantity> each : change.entrySet()) {
                SumKey key = new SumKey(namespace, each.getKey());
                Quantity known = next.get(key);
                Quantity sum = known == null ? each.getValue() : known.plus(each.getValue());
                next = sum.signum() == 0 ? next.minus(key) : next.plus(key, sum);
            }
            return new Sums(next);
        }
    }
}
