package dev.mooring.node.desired;

import dev.mooring.model.ObjectKey;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Which objects refer to which, to be followed backwards. For one thread. */
final class Links {
    private final Map<ObjectKey, Set<ObjectKey>> forwards = new HashMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> backwards = new HashMap<>();

    /** From now on an object refers to these, and to no others. */
    void set(ObjectKey from, Set<ObjectKey> to) {
        Set<ObjectKey> before = forwards.getOrDefault(from, Set.of());
        if (before.equals(to)) {
            return;
        }
        for (ObjectKey each : before) {
            Set<ObjectKey> sources = backwards.get(each);
            if (sources.remove(from) && sources.isEmpty()) {
                backwards.remove(each);
            }
        }
        if (to.isEmpty()) {
            forwards.remove(from);
            return;
        }
        forwards.put(from, Set.copyOf(to));
        to.forEach(each ->
                backwards.computeIfAbsent(each, unused -> new LinkedHashSet<>()).add(from));
    }

    boolean isSource(ObjectKey key) {
        return forwards.containsKey(key);
    }

    /** The objects that were last told to refer to this one. */
    Set<ObjectKey> to(ObjectKey key) {
        return backwards.getOrDefault(key, Set.of());
    }
}
