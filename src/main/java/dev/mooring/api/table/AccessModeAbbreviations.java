package dev.mooring.api.table;

import com.fasterxml.jackson.databind.JsonNode;

/** Abbreviates access modes, each once, in Kubernetes' order: {@code RWO,ROX,RWX,RWOP}. */
final class AccessModeAbbreviations {
    private static final String[] MODES = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"};
    private static final String[] SHORT = {"RWO", "ROX", "RWX", "RWOP"};

    private AccessModeAbbreviations() {}

    static String abbreviate(JsonNode modes) {
        if (modes.size() == 1) {
            int only = indexOf(modes.get(0).asText());
            return only < 0 ? "" : SHORT[only];
        }
        int seen = 0;
        for (JsonNode mode : modes) {
            int index = indexOf(mode.asText());
            seen |= index < 0 ? 0 : 1 << index;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < SHORT.length; i++) {
            if ((seen & 1 << i) != 0) {
                text.append(text.isEmpty() ? "" : ",").append(SHORT[i]);
            }
        }
        return text.toString();
    }

    private static int indexOf(String mode) {
        for (int i = 0; i < MODES.length; i++) {
            if (MODES[i].equals(mode)) {
                return i;
            }
        }
        return -1;
    }
}
