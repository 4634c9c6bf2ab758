package dev.mooring.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.World;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/** Explains why objects are in their state. Blocks; may read from disk. Thread-safe. */
@FunctionalInterface
public interface ExplainService {
    /**
     * A reader, who learns nothing about objects that it may not read.
     *
     * @param mayRead whether it may read an object in the explained World
     * @param isAdmin whether it may read the history of Secrets and of earlier Namespaces of the same name
     */
    record ExplanationReader(Predicate<ObjectKey> mayRead, boolean isAdmin) {}

    /**
     * Explains an object, or the deletion of one that does not exist.
     *
     * @param world live or past
     * @param time when that World was current
     * @return the explanation as JSON; empty if the object does not exist and its deletion is not retained
     */
    Optional<ObjectNode> explain(World world, ObjectKey key, Instant time, ExplanationReader reader) throws IOException;
}
