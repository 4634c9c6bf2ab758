package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.RestoreTarget;
import dev.mooring.log.Snapshot;
import dev.mooring.model.Event;
import java.io.IOException;

/** Rebuilds the World while a log is opened. After each batch, verifies the digest that was written with the batch. */
public final class WorldRestore implements RestoreTarget {
    private final long maxBytes;
    private World.Editor editor = World.EMPTY.editMany();
    private long events;

    public WorldRestore() {
        this(Long.MAX_VALUE);
    }

    /** @param maxBytes memory limit of the objects, by {@link World#bytes} */
    public WorldRestore(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Creates a restore that continues from a World. */
    public static WorldRestore from(World start) {
        WorldRestore restore = new WorldRestore();
        restore.editor = start.edit();
        return restore;
    }

    @Override
    public void snapshotSize(long bytes) throws WorldTooLargeException {
        requireRoom(bytes);
    }

    @Override
    public void snapshot(Snapshot restored) {
        editor = World.of(restored).editMany();
    }

    @Override
    public void batch(Batch batch) throws WorldTooLargeException {
        events += batch.events().size();
        for (Event event : batch.events()) {
            editor.apply(event);
        }
        if (editor.digest() != batch.digest()) {
            throw new ReplayMismatchException(
                    batch.lastRevision(), "the digest of the World", batch.digest(), editor.digest());
        }
        requireRoom(editor.bytes());
    }

    private void requireRoom(long bytes) throws WorldTooLargeException {
        if (bytes > maxBytes) {
            throw new WorldTooLargeException(bytes, maxBytes);
        }
    }

    /** Returns the number of replayed events. */
    public long events() {
        return events;
    }

    /** Returns the restored World; call it once. */
    public World world() {
        return editor.done();
    }

    /** Thrown when the World to be restored does not fit into memory. */
    public static final class WorldTooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        private final long bytes;

        WorldTooLargeException(long bytes, long maxBytes) {
            super("The objects need at least " + bytes + " bytes of memory, but the limit is " + maxBytes);
            this.bytes = bytes;
        }

        /** Returns the memory of the objects restored so far. */
        public long bytes() {
            return bytes;
        }
    }
}
