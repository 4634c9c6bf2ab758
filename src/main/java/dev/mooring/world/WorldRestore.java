package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.Restore;
import dev.mooring.log.Snapshot;
import dev.mooring.model.Event;

/** Rebuilds the World while a log is being opened. After each batch it must be the one that was live when the batch was written. */
public final class WorldRestore implements Restore {
    private World.Editor editor = World.EMPTY.editMany();
    private long events;

    /** A restore that goes on from a world. */
    public static WorldRestore from(World start) {
        WorldRestore restore = new WorldRestore();
        restore.editor = start.edit();
        return restore;
    }

    @Override
    public void snapshot(Snapshot restored) {
        editor = World.of(restored).editMany();
    }

    @Override
    public void batch(Batch batch) {
        events += batch.events().size();
        for (Event event : batch.events()) {
            editor.apply(event);
        }
        if (editor.digest() != batch.digest()) {
            throw new ReplayMismatchException(
                    batch.lastRevision(), "the digest of the World", batch.digest(), editor.digest());
        }
    }

    /** How many events were replayed. */
    public long events() {
        return events;
    }

    /** The restored world; to be asked once. */
    public World world() {
        return editor.done();
    }
}
