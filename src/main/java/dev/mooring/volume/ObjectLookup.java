package dev.mooring.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import java.util.Optional;

/** The objects that volumes are made of, as they are now. Any thread. */
@FunctionalInterface
public interface ObjectLookup {
    /** Nobody changes what is found. */
    Optional<ObjectNode> find(ObjectKey key);
}
