package dev.mooring.node.lane;

import dev.mooring.volume.Lane;
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
public final class Lanes<J extends Lanes.Entry> {
    /** Something that waits for its turn. */
    public interface Entry {
        Lane lane();

        /** What no two may work on at once. */
        Object exclusive();
    }

    private static final class Waiting<J> {
        private final Deque<J> jobs = new ArrayDeque<>();
        private int running;
    }

    private final int local;
    private final int perServer;
    private final Map<Lane, Waiting<J>> lanes = new HashMap<>();
    private final Set<Object> busy = new HashSet<>();

    /**
     * @param local how many at a time in each lane of this machine
     * @param perServer how many at a time on each server
     */
    public Lanes(int local, int perServer) {
        this.local = local;
        this.perServer = perServer;
    }

    public void add(J job) {
        lanes.computeIfAbsent(job.lane(), name -> new Waiting<>()).jobs.add(job);
    }

    /** Those that may begin now. Each counts until it {@link #left}. */
    public List<J> admit() {
        List<J> admitted = new ArrayList<>();
        lanes.forEach((name, lane) -> admit(lane, name.isServer() ? perServer : local, admitted));
        return admitted;
    }

    private void admit(Waiting<J> lane, int room, List<J> admitted) {
        Iterator<J> each = lane.jobs.iterator();
        while (lane.running < room && each.hasNext()) {
            J job = each.next();
            if (busy.add(job.exclusive())) {
                each.remove();
                lane.running++;
                admitted.add(job);
            }
        }
    }

    /** A job that was admitted no longer has a thread. */
    public void left(J job) {
        Waiting<J> lane = lanes.get(job.lane());
        lane.running--;
        busy.remove(job.exclusive());
        if (lane.running == 0 && lane.jobs.isEmpty()) {
            lanes.remove(job.lane());
        }
    }

    public void clearWaiting() {
        lanes.values().forEach(lane -> lane.jobs.clear());
    }
}
