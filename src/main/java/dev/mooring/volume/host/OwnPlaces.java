package dev.mooring.volume.host;

import dev.mooring.model.host.GuardedPlaces;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.Optional;

/** Keeps users' paths out of Mooring's own directories and other {@link GuardedPlaces} of this machine. Goes by words; immutable. */
public final class OwnPlaces {
    private final GuardedPlaces guarded;

    public OwnPlaces(NodeLayout layout) {
        this(layout, GuardedPlaces.usual());
    }

    /** @param guarded besides the directories of the layout */
    public OwnPlaces(NodeLayout layout, GuardedPlaces guarded) {
        this.guarded = guarded.withOwn(layout.root(), layout.data());
    }

    /**
     * @param asked as the user writes it
     * @param real where that leads to
     */
    public void refuse(Path asked, Path real) throws VolumeException {
        Optional<String> refusal = guarded.refusal(asked);
        if (refusal.isPresent()) {
            throw VolumeException.clean("Refused", asked + " " + refusal.get());
        }
        refusal = guarded.refusal(real);
        if (refusal.isPresent()) {
            throw VolumeException.clean("Refused", asked + " leads to " + real + ", which " + refusal.get());
        }
    }
}
