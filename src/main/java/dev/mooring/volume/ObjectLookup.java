package dev.mooring.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import java.util.Optional;

/** Looks up the current version of the API objects that volumes refer to. Thread-safe. */
@FunctionalInterface
public interface ObjectLookup {
    /** Returns the object, which the caller must not modify. */
    Optional<ObjectNode> find(ObjectKey key);
}
