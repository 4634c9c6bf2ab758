package dev.mooring.control.collect;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who belongs to whom: the keys of dependents by the uid of their owner. Kept from the changes it is told, so it is as of
 * {@link #revision()}; whoever asks looks at the objects themselves, too. For one thread.
 */
final class OwnerIndex {
    private final Map<String, Set<ObjectKey>> dependents = new HashMap<>();
    private long revision;

    /** Takes a change; the owners before and after it are told by the caller, who needs them anyway. */
    void follow(Change change, List<Owner> before, List<Owner> after) {
        before.forEach(owner -> remove(owner.uid(), change.key()));
        after.forEach(owner -> dependents
                .computeIfAbsent(owner.uid(), unused -> new LinkedHashSet<>())
                .add(change.key()));
        revision = Math.max(revision, change.object().revision());
    }

    private void remove(String uid, ObjectKey dependent) {
        Set<ObjectKey> keys = dependents.get(uid);
        if (keys != null && keys.remove(dependent) && keys.isEmpty()) {
            dependents.remove(uid);
        }
    }

    /** All changes up to this one have been taken. */
    long revision() {
        return revision;
    }

    boolean isEmpty() {
        return dependents.isEmpty();
    }

    Set<ObjectKey> of(String ownerUid) {
        return Optional.ofNullable(dependents.get(ownerUid)).orElse(Set.of());
    }

    /** Whether it knows all that happened before an object became as it is. */
    boolean covers(StoredObject object) {
        return revision >= object.revision();
    }
}
