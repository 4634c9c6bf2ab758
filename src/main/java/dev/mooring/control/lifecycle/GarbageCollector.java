package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Index;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Deletes objects all of whose owners are gone, according to {@code metadata.ownerReferences}.
 *
 * <p>An owner is deleted in one of three ways. Background: the owner is deleted, then its dependents. Foreground: the
 * owner is marked, its dependents are deleted, and it goes when no blocking dependent is left. Orphan: the owner is
 * marked, its reference is removed from its dependents, and it goes. In the last two cases the owner has a finalizer
 * that this controller removes. Each decision is made at the dependent's own key.
 *
 * <p>An object without owner references costs only scans of its bytes.
 */
public final class GarbageCollector implements Controller {
    private static final String NAME = "garbage-collector-controller";
    private static final String DELETION = "deletionTimestamp";

    /** Dependents by the uid of their owner. */
    private static final Index<String> BY_OWNER =
            Index.of("Dependents by owner", Scope.all(), GarbageCollector::ownerUids);

    private static List<String> ownerUids(StoredObject object) {
        return OwnerReference.of(object).stream().map(OwnerReference::uid).toList();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(BY_OWNER.scope());
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        StoredObject object = change.object();
        if (!change.isRemoval() && !OwnerReference.of(object).isEmpty()) {
            queue.enqueue(change.key());
        }
        for (OwnerReference owner : before.map(OwnerReference::of).orElse(List.of())) {
            owner.keyFor(change.key()).ifPresent(queue::enqueue);
        }
        boolean cares = !change.isRemoval() && OwnerState.hasDependentFinalizer(object);
        if (cares) {
            queue.enqueue(change.key());
        }
        boolean relevant = change.isRemoval()
                || (cares && before.filter(OwnerState::hasDependentFinalizer).isEmpty());
        if (relevant && !world.index(BY_OWNER).isEmpty()) {
            world.index(BY_OWNER).keys(StoredJson.uid(object)).forEach(queue::enqueue);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> found = world.get(key);
        if (found.isEmpty()) {
            return Decision.none();
        }
        StoredObject seen = found.get();
        if (!seen.containsText(DELETION) && !seen.containsText(OwnerReference.FIELD)) {
            return Decision.none();
        }
        ObjectNode object = seen.toTree();
        if (OwnerState.isOrphaning(object)) {
            return syncOwner(world, seen, object, OwnerState.ORPHAN);
        }
        if (OwnerState.isForegroundDeletion(object)) {
            return syncOwner(world, seen, object, OwnerState.FOREGROUND);
        }
        return new DependentSync(world, seen, object).sync(now);
    }

    /** Removes the finalizer of an owner that no dependent blocks. */
    private static Decision syncOwner(World world, StoredObject seen, ObjectNode object, String finalizer) {
        if (isBlockedByDependents(world, seen, finalizer)) {
            return Decision.none();
        }
        return Decision.of(
                new ObjectDeleter(NAME, Cause.revision(seen.revision())).removeFinalizer(seen, object, finalizer));
    }

    /** Returns whether dependents block the owner. A dependent that names it but cannot belong to it does not. */
    private static boolean isBlockedByDependents(World world, StoredObject owner, String finalizer) {
        String uid = StoredJson.uid(owner);
        boolean onlyBlocking = finalizer.equals(OwnerState.FOREGROUND);
        for (StoredObject dependent : world.find(BY_OWNER, uid)) {
            for (OwnerReference each : OwnerReference.of(dependent)) {
                boolean isIt = each.uid().equals(uid)
                        && each.keyFor(dependent.key())
                                .filter(owner.key()::equals)
                                .isPresent();
                if (isIt && (each.blocks() || !onlyBlocking)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String uid(JsonNode object) {
        return object.path("metadata").path("uid").asText("");
    }

    /** Reconciles an object as a dependent. */
    private static final class DependentSync {
        private final World world;
        private final StoredObject seen;
        private final ObjectNode object;
        private final List<OwnerReference> owners;
        private final Map<OwnerReference, OwnerState> ownerStates = new HashMap<>();
        private final ObjectDeleter removal;

        private DependentSync(World world, StoredObject seen, ObjectNode object) {
            this.world = world;
            this.seen = seen;
            this.object = object;
            this.owners = OwnerReference.of(object);
            this.removal = new ObjectDeleter(NAME, Cause.revision(seen.revision()));
            owners.forEach(owner -> ownerStates.put(owner, OwnerState.of(world, seen.key(), owner)));
        }

        private Decision sync(Instant now) {
            if (has(OwnerState.ORPHANING)) {
                return Decision.of(withoutOwners(standing -> standing == OwnerState.ORPHANING));
            }
            if (owners.isEmpty() || object.path("metadata").hasNonNull(DELETION)) {
                return Decision.none();
            }
            if (has(OwnerState.OTHER_NAMESPACE)) {
                return Decision.of(reportInvalidOwner(now));
            }
            boolean lost = has(OwnerState.ABSENT) || has(OwnerState.DELETING_FOREGROUND);
            if (has(OwnerState.PRESENT)) {
                return lost ? Decision.of(withoutOwners(standing -> standing != OwnerState.PRESENT)) : Decision.none();
            }
            if (has(OwnerState.DELETING_FOREGROUND)
                    && !world.find(BY_OWNER, uid(object)).isEmpty()) {
                addForegroundFinalizer();
            }
            return Decision.of(removal.delete(seen, object, now));
        }

        private boolean has(OwnerState standing) {
            return ownerStates.containsValue(standing);
        }

        private Proposal withoutOwners(Predicate<OwnerState> filter) {
            Set<String> uids = new HashSet<>();
            ownerStates.forEach((owner, standing) -> {
                if (filter.test(standing)) {
                    uids.add(owner.uid());
                }
            });
            ObjectNode metadata = (ObjectNode) object.get("metadata");
            ArrayNode references = (ArrayNode) metadata.get(OwnerReference.FIELD);
            for (Iterator<JsonNode> each = references.iterator(); each.hasNext(); ) {
                if (uids.contains(each.next().path("uid").asText(""))) {
                    each.remove();
                }
            }
            if (references.isEmpty()) {
                metadata.remove(OwnerReference.FIELD);
            }
            return removal.update(seen, object, "OwnerRemoved");
        }

        /**
         * Deletes the dependent in the foreground, too. In a cycle of owners, clears {@code blockOwnerDeletion}, so
         * that no object waits for another.
         */
        private void addForegroundFinalizer() {
            ObjectNode metadata = (ObjectNode) object.get("metadata");
            metadata.withArray("finalizers").add(OwnerState.FOREGROUND);
            boolean circle = world.find(BY_OWNER, uid(object)).stream()
                    .anyMatch(dependent ->
                            StoredJson.isBeingDeleted(dependent) && OwnerState.isForegroundDeletion(dependent.tree()));
            if (circle) {
                for (JsonNode reference : metadata.get(OwnerReference.FIELD)) {
                    ((ObjectNode) reference).put("blockOwnerDeletion", false);
                }
            }
        }

        private Optional<Proposal> reportInvalidOwner(Instant now) {
            OwnerReference owner = owners.stream()
                    .filter(each -> ownerStates.get(each) == OwnerState.OTHER_NAMESPACE)
                    .findFirst()
                    .orElseThrow();
            String namespace = seen.key().namespace().orElse("");
            KubeEvent kubeEvent = KubeEvent.warning(
                    KubeEvent.InvolvedObject.of(object),
                    EventReasons.OWNER_REF_INVALID_NAMESPACE,
                    "ownerRef " + owner.describe(namespace) + " does not exist in namespace \"" + namespace + "\"",
                    NAME);
            return EventProposals.recordEventOnce(world, kubeEvent, removal.cause(), now);
        }
    }
}
