package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;

/**
 * The tolerations of a Pod. Immutable.
 *
 * @param list missing if there are none
 */
public record Tolerations(JsonNode list) {
    private static final String NO_SCHEDULE = "NoSchedule";

    static Tolerations of(Pod pod) {
        return new Tolerations(pod.spec().path("tolerations"));
    }

    /** Returns whether the Pod tolerates all NoSchedule and NoExecute taints of the node. */
    public boolean tolerates(Node node) {
        for (JsonNode taint : node.taints()) {
            String effect = taint.path("effect").asText("");
            if ((effect.equals(NO_SCHEDULE) || effect.equals("NoExecute")) && !tolerate(taint)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the Pod tolerates all NoExecute taints of the node. */
    public boolean toleratesNoExecute(Node node) {
        for (JsonNode taint : node.taints()) {
            if (taint.path("effect").asText("").equals("NoExecute") && !tolerate(taint)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of PreferNoSchedule taints of the node that the Pod does not tolerate. */
    int preferNoScheduleCount(Node node) {
        int count = 0;
        for (JsonNode taint : node.taints()) {
            if (taint.path("effect").asText("").equals("PreferNoSchedule") && !tolerate(taint)) {
                count++;
            }
        }
        return count;
    }

    /** Returns whether the Pod tolerates a NoSchedule taint, which the node need not have. */
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
