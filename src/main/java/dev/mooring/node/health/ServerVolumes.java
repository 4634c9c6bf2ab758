package dev.mooring.node.health;

import dev.mooring.model.ObjectKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which ActualVolumes of a node are of which NFS server. Keys only. Thread-safe. */
public final class ServerVolumes {
    private final Map<ObjectKey, String> serverOf = new HashMap<>();
    private final Map<String, Set<ObjectKey>> volumesOf = new TreeMap<>();

    /** Of which server a volume is from now on; "" for none. */
    synchronized void set(ObjectKey volume, String server) {
        String before = server.isEmpty() ? serverOf.remove(volume) : serverOf.put(volume, server);
        if (before != null && !before.equals(server)) {
            volumesOf.computeIfPresent(before, (key, volumes) -> {
                volumes.remove(volume);
                return volumes.isEmpty() ? null : volumes;
            });
        }
        if (!server.isEmpty()) {
            volumesOf.computeIfAbsent(server, unused -> new TreeSet<>()).add(volume);
        }
    }

    synchronized List<ObjectKey> of(String server) {
        return List.copyOf(volumesOf.getOrDefault(server, Set.of()));
    }

    /** Those that volumes here are of. */
    public synchronized List<String> servers() {
        return List.copyOf(volumesOf.keySet());
    }

    synchronized int volumes() {
        return serverOf.size();
    }

    synchronized List<ObjectKey> all() {
        return List.copyOf(serverOf.keySet());
    }
}
