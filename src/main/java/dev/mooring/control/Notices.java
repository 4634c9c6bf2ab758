package dev.mooring.control;

import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** Turns a {@link Notice} into the proposal that tells it. Pure; any thread. */
public final class Notices {
    private static final String TYPE = "EventRecorded";

    private Notices() {}

    /** Tells it, once more if it has been told. Nothing if its namespace is on its way out or gone: nobody would read it. */
    public static Optional<Proposal> tell(World world, Notice notice, Cause cause, Instant now) {
        ObjectKey key = notice.key();
        Optional<StoredObject> home = key.namespace()
                .flatMap(name -> world.get(ObjectKey.clusterWide("namespaces", name)))
                .filter(namespace -> !StoredJson.isBeingDeleted(namespace));
        if (home.isEmpty()) {
            return Optional.empty();
        }
        Optional<StoredObject> existing = world.get(key);
        Draft draft = notice.in(existing, now, uid(key, world, now));
        Proposal.Builder proposal =
                Proposal.by(notice.component(), TYPE).because(cause).expect(home.get());
        existing.ifPresentOrElse(seen -> proposal.replace(seen, draft), () -> proposal.create(draft));
        return Optional.of(proposal.build());
    }

    /** Tells it unless it is still to be read: for what is found again each time somebody looks. */
    public static Optional<Proposal> tellOnce(World world, Notice notice, Cause cause, Instant now) {
        return world.get(notice.key()).isPresent() ? Optional.empty() : tell(world, notice, cause, now);
    }

    /** Made of what makes it unlike any other, so that deciding the same twice is the same. */
    private static String uid(ObjectKey key, World world, Instant now) {
        String unique = key + "@" + world.revision() + "@" + now;
        return UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
