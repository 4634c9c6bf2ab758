package dev.mooring.control.collect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
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
 * Lets objects go when all their owners have gone, as {@code metadata.ownerReferences} says.
 *
 * <p>An owner may be deleted in three ways. In the background: it goes, and then its dependents. In the foreground: it is marked, its dependents
 * go, and it goes when none is left that blocks it. Leaving orphans: it is marked, its dependents no longer name it, and it goes. For the last
 * two it carries a finalizer that is removed here. Whatever an owner waits for is decided at the dependent's own key, so each object
 * is looked at when it may be its turn, and all of them are decided in the same way.
 *
 * <p>Keeps an {@link OwnerIndex}; an object that mentions no owner costs one look through its bytes.
 */
public final class GarbageCollector implements Controller {
    private static final String NAME = "garbage-collector-controller";
    private static final String DELETION = "deletionTimestamp";

    private final OwnerIndex index = new OwnerIndex();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.all());
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        StoredObject object = change.object();
        List<Owner> owned = before.map(Owner::of).orElse(List.of());
        List<Owner> owns = change.isRemoval() ? List.of() : Owner.of(object);
        index.follow(change, owned, owns);
        if (!owns.isEmpty()) {
            wakes.now(change.key());
        }
        for (Owner owner : owned) {
            owner.keyFor(change.key()).ifPresent(wakes::now);
        }
        boolean cares = !change.isRemoval() && Standing.caresForDependents(object);
        if (cares) {
            wakes.now(change.key());
        }
        boolean news = change.isRemoval()
                || (cares && before.filter(Standing::caresForDependents).isEmpty());
        if (news && !index.isEmpty()) {
            index.of(StoredJson.uid(object)).forEach(wakes::now);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> found = world.get(key);
        if (found.isEmpty()) {
            return Decision.nothing();
        }
        StoredObject seen = found.get();
        if (!StoredJson.mentions(seen, DELETION) && !StoredJson.mentions(seen, Owner.FIELD)) {
            return Decision.nothing();
        }
        ObjectNode object = StoredJson.tree(seen);
        if (Standing.leavesDependents(object)) {
            return asOwner(world, seen, object, Standing.ORPHAN);
        }
        if (Standing.waitsForDependents(object)) {
            return asOwner(world, seen, object, Standing.FOREGROUND);
        }
        return new Belonging(world, seen, object).decide(now);
    }

    /** Lets an owner go that no dependent holds any more. If the index has not come to it yet, its change is still to come. */
    private Decision asOwner(World world, StoredObject seen, ObjectNode object, String finalizer) {
        if (!index.covers(seen) || isHeldByDependents(world, seen, finalizer)) {
            return Decision.nothing();
        }
        return Decision.of(new Removal(NAME, Cause.revision(seen.revision())).release(seen, object, finalizer));
    }

    /** One that names it, but could not belong to it, holds nobody. */
    private boolean isHeldByDependents(World world, StoredObject owner, String finalizer) {
        String uid = StoredJson.uid(owner);
        boolean onlyBlocking = finalizer.equals(Standing.FOREGROUND);
        for (ObjectKey dependent : index.of(uid)) {
            for (Owner each : world.get(dependent).map(Owner::of).orElse(List.of())) {
                boolean isIt = each.uid().equals(uid)
                        && each.keyFor(dependent).filter(owner.key()::equals).isPresent();
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

    /** An object as somebody's dependent. */
    private final class Belonging {
        private final World world;
        private final StoredObject seen;
        private final ObjectNode object;
        private final List<Owner> owners;
        private final Map<Owner, Standing> standings = new HashMap<>();
        private final Removal removal;

        private Belonging(World world, StoredObject seen, ObjectNode object) {
            this.world = world;
            this.seen = seen;
            this.object = object;
            this.owners = Owner.of(object);
            this.removal = new Removal(NAME, Cause.revision(seen.revision()));
            owners.forEach(owner -> standings.put(owner, Standing.of(world, seen.key(), owner)));
        }

        private Decision decide(Instant now) {
            if (has(Standing.LEAVES_DEPENDENTS)) {
                return Decision.of(withoutOwners(standing -> standing == Standing.LEAVES_DEPENDENTS));
            }
            if (owners.isEmpty() || object.path("metadata").hasNonNull(DELETION)) {
                return Decision.nothing();
            }
            if (has(Standing.ELSEWHERE)) {
                return Decision.of(complain(now));
            }
            boolean lost = has(Standing.GONE) || has(Standing.WAITS_FOR_DEPENDENTS);
            if (has(Standing.THERE)) {
                return lost ? Decision.of(withoutOwners(standing -> standing != Standing.THERE)) : Decision.nothing();
            }
            if (has(Standing.WAITS_FOR_DEPENDENTS) && !index.of(uid(object)).isEmpty()) {
                afterItsOwnDependents();
            }
            return Decision.of(removal.delete(seen, object, now));
        }

        private boolean has(Standing standing) {
            return standings.containsValue(standing);
        }

        private Proposal withoutOwners(Predicate<Standing> which) {
            Set<String> uids = new HashSet<>();
            standings.forEach((owner, standing) -> {
                if (which.test(standing)) {
                    uids.add(owner.uid());
                }
            });
            ObjectNode metadata = (ObjectNode) object.get("metadata");
            ArrayNode references = (ArrayNode) metadata.get(Owner.FIELD);
            for (Iterator<JsonNode> each = references.iterator(); each.hasNext(); ) {
                if (uids.contains(each.next().path("uid").asText(""))) {
                    each.remove();
                }
            }
            if (references.isEmpty()) {
                metadata.remove(Owner.FIELD);
            }
            return removal.changed(seen, object, "OwnerRemoved");
        }

        /** In the foreground like its owner. If they belong to each other in a circle, nobody may wait for anybody. */
        private void afterItsOwnDependents() {
            ObjectNode metadata = (ObjectNode) object.get("metadata");
            metadata.withArray("finalizers").add(Standing.FOREGROUND);
            boolean circle = index.of(uid(object)).stream()
                    .flatMap(key -> world.get(key).stream())
                    .anyMatch(dependent -> StoredJson.isBeingDeleted(dependent)
                            && Standing.waitsForDependents(StoredJson.tree(dependent)));
            if (circle) {
                for (JsonNode reference : metadata.get(Owner.FIELD)) {
                    ((ObjectNode) reference).put("blockOwnerDeletion", false);
                }
            }
        }

        private Optional<Proposal> complain(Instant now) {
            Owner owner = owners.stream()
                    .filter(each -> standings.get(each) == Standing.ELSEWHERE)
                    .findFirst()
                    .orElseThrow();
            String namespace = seen.key().namespace().orElse("");
            Notice notice = Notice.warning(
                    Notice.Involved.of(object),
                    "OwnerRefInvalidNamespace",
                    "ownerRef " + owner.text(namespace) + " does not exist in namespace \"" + namespace + "\"",
                    NAME);
            return Notices.tellOnce(world, notice, removal.cause(), now);
        }
    }
}
