package dev.mooring.node.work;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whose turn it is: first come first served in each lane, so many of a lane at a time, and one of a volume at a time. A dead server
 * fills its own lane and no other. For one thread at a time; the executor's lock sees to that.
 */
final class Lanes {
    private static final class Lane {
        private final Deque<Job> waiting = new ArrayDeque<>();
        private int running;
    }

    private final int local;
    private final int perServer;
    private final Map<LaneName, Lane> lanes = new HashMap<>();
    private final Set<String> busy = new HashSet<>();

    /**
     * @param local how many at a time on this machine
     * @param perServer how many at a time on each server
     */
    Lanes(int local, int perServer) {
        this.local = local;
        this.perServer = perServer;
    }

    void add(Job job) {
        lanes.computeIfAbsent(job.lane(), name -> new Lane()).waiting.add(job);
    }

    /** Those that may begin now. Each counts until it {@link #left}. */
    List<Job> admit() {
        List<Job> admitted = new ArrayList<>();
        lanes.forEach((name, lane) -> admit(lane, name.kind() == LaneName.Kind.LOCAL ? local : perServer, admitted));
        return admitted;
    }

    private void admit(Lane lane, int room, List<Job> admitted) {
        Iterator<Job> each = lane.waiting.iterator();
        while (lane.running < room && each.hasNext()) {
            Job job = each.next();
            if (busy.add(job.volume())) {
                each.remove();
                lane.running++;
                admitted.add(job);
            }
        }
    }

    /** A job that was admitted no longer has a thread. */
    void left(Job job) {
        Lane lane = lanes.get(job.lane());
        lane.running--;
        busy.remove(job.volume());
        if (lane.running == 0 && lane.waiting.isEmpty()) {
            lanes.remove(job.lane());
        }
    }

    void clearWaiting() {
        lanes.values().forEach(lane -> lane.waiting.clear());
    }
}
