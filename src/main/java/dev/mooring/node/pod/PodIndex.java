package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The Pods of a node, and which ConfigMaps and Secrets their environment is made of. For one thread. */
final class PodIndex {
    private static final List<String> LISTS = List.of("initContainers", "containers");

    private final String node;
    private final Map<ObjectKey, Set<ObjectKey>> uses = new HashMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> users = new HashMap<>();

    PodIndex(String node) {
        this.node = node;
    }

    /** Takes a change of a Pod; whether it is of this node. */
    boolean pod(Change change) {
        ObjectKey key = change.key();
        boolean known = uses.containsKey(key);
        if (!StoredJson.mentions(change.object(), node)) {
            return known;
        }
        Pod pod = Pod.of(change.object());
        boolean here = !change.isRemoval() && pod.nodeName().equals(node);
        Set<ObjectKey> now = here ? references(pod) : Set.of();
        Set<ObjectKey> before = here ? uses.put(key, now) : uses.remove(key);
        if (!now.equals(before)) {
            if (before != null) {
                before.forEach(each -> users.computeIfPresent(each, (object, pods) -> without(pods, key)));
            }
            now.forEach(each ->
                    users.computeIfAbsent(each, object -> new LinkedHashSet<>()).add(key));
        }
        return here || known;
    }

    private static Set<ObjectKey> without(Set<ObjectKey> pods, ObjectKey pod) {
        pods.remove(pod);
        return pods.isEmpty() ? null : pods;
    }

    private static Set<ObjectKey> references(Pod pod) {
        Set<ObjectKey> found = new HashSet<>();
        for (String list : LISTS) {
            for (JsonNode container : pod.spec().path(list)) {
                for (JsonNode env : container.path("env")) {
                    add(pod, "configmaps", env.path("valueFrom").path("configMapKeyRef"), found);
                    add(pod, "secrets", env.path("valueFrom").path("secretKeyRef"), found);
                }
                for (JsonNode from : container.path("envFrom")) {
                    add(pod, "configmaps", from.path("configMapRef"), found);
                    add(pod, "secrets", from.path("secretRef"), found);
                }
            }
        }
        return found;
    }

    private static void add(Pod pod, String resource, JsonNode reference, Set<ObjectKey> found) {
        String name = reference.path("name").asText("");
        if (!name.isEmpty()) {
            try {
                found.add(ObjectKey.namespaced(resource, pod.namespace(), name));
            } catch (IllegalArgumentException e) {
                // No object can have this name.
            }
        }
    }

    List<ObjectKey> using(ObjectKey object) {
        return List.copyOf(users.getOrDefault(object, Set.of()));
    }

    List<ObjectKey> all() {
        return List.copyOf(uses.keySet());
    }
}
