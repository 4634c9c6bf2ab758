package dev.mooring.control.schedule;

import dev.mooring.control.Controller.Enqueuer;
import dev.mooring.model.ObjectKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Indexes unschedulable Pods by the changes that may help them. They are reconciled on such a change, and cost nothing
 * otherwise. A Pod's own changes and those of its claims are not tracked here. Not thread-safe.
 */
final class UnschedulablePods {
    /** A node was added, removed, or accepts other Pods than before. All Pods wait for this topic. */
    static final String NODES = "nodes";

    /** A Pod left a node. */
    static final String PODS = "pods";

    /** More storage may be free on a node. */
    static final String STORAGE = "storage";

    private final Map<String, Set<ObjectKey>> byTopic = new HashMap<>();
    private final Map<ObjectKey, Set<String>> byPod = new HashMap<>();

    /** A class was added, removed or changed, or a volume of the class may have become free. */
    static String storageClass(String name) {
        return "class/" + name;
    }

    /** A volume was added, removed or changed. */
    static String volume(String name) {
        return "volume/" + name;
    }

    /** Replaces the topics that the Pod waits for. */
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

    boolean hasWaiting(String topic) {
        return byTopic.containsKey(topic);
    }

    void enqueue(String topic, Enqueuer queue) {
        Set<ObjectKey> pods = byTopic.get(topic);
        if (pods != null) {
            List.copyOf(pods).forEach(queue::enqueue);
        }
    }

    void enqueueWithin(String topic, Duration delay, Enqueuer queue) {
        Set<ObjectKey> pods = byTopic.get(topic);
        if (pods != null) {
            pods.forEach(pod -> queue.enqueueWithin(pod, delay));
        }
    }

    int size() {
        return byPod.size();
    }
}
