package dev.mooring.volume.hostpath;

import dev.mooring.model.ProtectedHostPaths;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Keeps user paths out of Mooring's directories and other {@link ProtectedHostPaths}. Compares path names only.
 * Immutable.
 */
public final class GuardedPathCheck {
    private final ProtectedHostPaths guarded;

    public GuardedPathCheck(NodeLayout layout) {
        this(layout, ProtectedHostPaths.defaults());
    }

    /**
     * Creates a check.
     *
     * @param guarded protected paths in addition to the directories of the layout
     */
    public GuardedPathCheck(NodeLayout layout, ProtectedHostPaths guarded) {
        this.guarded = guarded.withOwn(layout.root(), layout.data());
    }

    /** See {@link ProtectedHostPaths#containsProtected}. */
    boolean isAboveGuarded(Path directory) {
        return guarded.containsProtected(directory);
    }

    /**
     * Requires that a path is not protected.
     *
     * @param asked path as the user wrote it
     * @param real resolved path
     */
    public void requireNotGuarded(Path asked, Path real) throws VolumeException {
        Optional<String> refusal = guarded.denialReason(asked);
        if (refusal.isPresent()) {
            throw VolumeException.clean("Refused", asked + " " + refusal.get());
        }
        refusal = guarded.denialReason(real);
        if (refusal.isPresent()) {
            throw VolumeException.clean("Refused", asked + " leads to " + real + ", which " + refusal.get());
        }
    }
}
