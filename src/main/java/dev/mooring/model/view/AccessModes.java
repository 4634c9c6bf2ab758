package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * In which ways a volume may be mounted, or is asked to be: a set of few. Immutable.
 *
 * @param bits one for each of {@link #NAMES}, the lowest for the first
 */
public record AccessModes(int bits) {
    private static final List<String> NAMES =
            List.of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod");
    private static final List<String> SHORT = List.of("RWO", "ROX", "RWX", "RWOP");

    /** What nobody has: asked for, nothing offers it. */
    private static final int UNKNOWN = 1 << NAMES.size();

    public static AccessModes of(JsonNode list) {
        int bits = 0;
        for (JsonNode each : list) {
            int at = NAMES.indexOf(each.asText(""));
            bits |= at < 0 ? UNKNOWN : 1 << at;
        }
        return new AccessModes(bits);
    }

    public boolean containsAll(AccessModes asked) {
        return (asked.bits & ~bits) == 0 && (asked.bits & UNKNOWN) == 0;
    }

    public int count() {
        return Integer.bitCount(bits);
    }

    public boolean isOncePod() {
        return (bits & 1 << 3) != 0;
    }

    /** Whether more than one node may have it at once. */
    public boolean allowsManyNodes() {
        return (bits & 1 << 1) != 0 || (bits & 1 << 2) != 0;
    }

    /** As kubectl shows it: {@code RWO,RWX}. */
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
