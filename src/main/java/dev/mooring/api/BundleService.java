package dev.mooring.api;

import dev.mooring.model.PointInTime;
import java.io.IOException;
import java.util.Iterator;
import java.util.Optional;

/** Creates debug bundles: files that describe the server's past for people on another machine. Thread-safe. */
public interface BundleService {
    /**
     * Starts a bundle. Blocks on the disk.
     *
     * @param from events after it are wanted; empty for the default
     * @throws StatusException if that revision is not retained or does not exist, or another bundle is being created
     */
    OpenBundle open(Optional<PointInTime> from) throws IOException;

    /** A bundle that is being created, piece by piece. {@link #next} blocks on the disk. Not thread-safe. */
    interface OpenBundle extends Iterator<byte[]>, AutoCloseable {
        String fileName();

        /** Returns the first revision. */
        long from();

        /** Releases what the bundle holds. Thread-safe; idempotent. */
        @Override
        void close();
    }
}
