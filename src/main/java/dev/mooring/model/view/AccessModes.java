package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A set of access modes. Immutable.
 *
 * @param bits one for each of {@link #NAMES}, the lowest for the first
 */
public record AccessModes(int bits) {
    private static final List<String> NAMES =
            List.of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod");
    private static final List<String> SHORT = List.of("RWO", "ROX", "RWX", "RWOP");

    /** An unknown mode, which no volume offers. */
    private static final int UNKNOWN = 1 << NAMES.size();

    public static final AccessModes NONE = new AccessModes(0);

    /** All sets, those with the fewest modes first. */
    public static final List<AccessModes> ALL = IntStream.range(0, UNKNOWN * 2)
            .mapToObj(AccessModes::new)
            .sorted(Comparator.comparingInt(AccessModes::count))
            .toList();

    public static AccessModes of(JsonNode list) {
        int bits = 0;
        for (JsonNode each : list) {
            int at = NAMES.indexOf(each.asText(""));
            bits |= at < 0 ? UNKNOWN : 1 << at;
        }
        return new AccessModes(bits);
    }

    public boolean containsAll(AccessModes requested) {
        return (requested.bits & ~bits) == 0 && (requested.bits & UNKNOWN) == 0;
    }

    public int count() {
        return Integer.bitCount(bits);
    }

    public boolean isOncePod() {
        return (bits & 1 << 3) != 0;
    }

    /** Returns whether several nodes may have the volume at the same time. */
    public boolean allowsManyNodes() {
        return (bits & 1 << 1) != 0 || (bits & 1 << 2) != 0;
    }

    /** Returns the modes as kubectl shows them: {@code RWO,RWX}. */
    @Override
    public String toString() {
        List<String> shown = new ArrayList<>();
        for (int i = 0; i < SHORT.size(); i++) {
            if ((bits & 1 << i) != 0) {
                shown.add(SHORT.get(i));
            }
        }
        return String.join(",", shown);
    }
}
