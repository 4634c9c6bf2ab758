package dev.mooring.world;

/**
 * Number and memory of some objects of a World.
 *
 * @param objects number of objects
 * @param bytes the sum of their {@link dev.mooring.model.StoredObject#bytes}
 */
public record WorldUsage(int objects, long bytes) {
    static final WorldUsage NONE = new WorldUsage(0, 0);

    WorldUsage plus(WorldUsage other) {
        return new WorldUsage(objects + other.objects, bytes + other.bytes);
    }

    WorldUsage minus(WorldUsage other) {
        return new WorldUsage(objects - other.objects, bytes - other.bytes);
    }
}
