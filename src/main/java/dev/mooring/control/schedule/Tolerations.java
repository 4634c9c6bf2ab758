package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;

/**
 * Which taints a Pod puts up with. Immutable.
 *
 * @param list missing if it puts up with none
 */
record Tolerations(JsonNode list) {
    private static final String NO_SCHEDULE = "NoSchedule";

    static Tolerations of(Pod pod) {
        return new Tolerations(pod.spec().path("tolerations"));
    }

    /** Whether no taint of the node keeps the Pod away. */
    boolean allow(Node node) {
        for (JsonNode taint : node.taints()) {
            String effect = taint.path("effect").asText("");
            if ((effect.equals(NO_SCHEDULE) || effect.equals("NoExecute")) && !tolerate(taint)) {
                return false;
            }
        }
        return true;
    }

    /** How many taints of the node say that the Pod had better not be there. */
    int dislikes(Node node) {
        int dislikes = 0;
        for (JsonNode taint : node.taints()) {
            if (taint.path("effect").asText("").equals("PreferNoSchedule") && !tolerate(taint)) {
                dislikes++;
            }
        }
        return dislikes;
    }

    /** Whether the Pod puts up with a taint that a node need not carry to be what the taint says. */
    boolean tolerateNoSchedule(String key) {
        return tolerate(key, "", NO_SCHEDULE);
    }

    private boolean tolerate(JsonNode taint) {
        return tolerate(
                taint.path("key").asText(""),
                taint.path("value").asText(""),
                taint.path("effect").asText(""));
    }

    private boolean tolerate(String key, String value, String effect) {
        for (JsonNode each : list) {
            String forKey = each.path("key").asText("");
            String forEffect = each.path("effect").asText("");
            boolean exists = each.path("operator").asText("").equals("Exists");
            if ((forEffect.isEmpty() || forEffect.equals(effect))
                    && (forKey.equals(key) || (forKey.isEmpty() && exists))
                    && (exists || each.path("value").asText("").equals(value))) {
                return true;
            }
        }
        return false;
    }
}
