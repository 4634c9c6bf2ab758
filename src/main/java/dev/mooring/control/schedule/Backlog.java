package dev.mooring.control.schedule;

import dev.mooring.control.Controller.Wakes;
import dev.mooring.model.ObjectKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The Pods that something has to change for, by what: they are looked at when that does, and cost nothing while it does not. A Pod waits
 * for changes of its own and of its claims without being in here. For one thread.
 */
final class Backlog {
    /** A node came, went, or takes other Pods than before. All wait for that. */
    static final String NODES = "nodes";

    /** A Pod has left a node. */
    static final String PODS = "pods";

    /** There may be more room for new volumes on some node. */
    static final String STORAGE = "storage";

    private final Map<String, Set<ObjectKey>> byTopic = new HashMap<>();
    private final Map<ObjectKey, Set<String>> byPod = new HashMap<>();

    /** A class came, went or changed, or a volume of the class may have become free. */
    static String storageClass(String name) {
        return "class/" + name;
    }

    /** A volume came, went or changed. */
    static String volume(String name) {
        return "volume/" + name;
    }

    /** From now on the Pod waits for these and nothing else. */
    void put(ObjectKey pod, Set<String> topics) {
        remove(pod);
        Set<String> all = new LinkedHashSet<>(topics);
        all.add(NODES);
        byPod.put(pod, all);
        all.forEach(topic ->
                byTopic.computeIfAbsent(topic, key -> new LinkedHashSet<>()).add(pod));
    }

    void remove(ObjectKey pod) {
        Set<String> topics = byPod.remove(pod);
        if (topics == null) {
            return;
        }
        for (String topic : topics) {
            byTopic.computeIfPresent(topic, (key, pods) -> {
                pods.remove(pod);
                return pods.isEmpty() ? null : pods;
            });
        }
    }

    boolean awaits(String topic) {
        return byTopic.containsKey(topic);
    }

    void wake(String topic, Wakes wakes) {
        Set<ObjectKey> pods = byTopic.get(topic);
        if (pods != null) {
            List.copyOf(pods).forEach(wakes::now);
        }
    }

    void wakeWithin(String topic, Duration delay, Wakes wakes) {
        Set<ObjectKey> pods = byTopic.get(topic);
        if (pods != null) {
            pods.forEach(pod -> wakes.within(pod, delay));
        }
    }

    int size() {
        return byPod.size();
    }
}
