package dev.mooring.sim.node;

import dev.mooring.model.view.Volume;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Schedule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What all machines share: NFS servers, the data of volumes, and the knowledge of who has which volume where. Data is tokens that containers write; it may
 * go only because somebody was to delete it.
 */
public final class SimStorage {
    private final Schedule schedule;
    private final Findings findings;
    private final Coverage coverage;
    private final Map<String, NfsServer> servers = new TreeMap<>();
    private final Map<Place, Data> data = new LinkedHashMap<>();
    private final Map<String, Set<User>> users = new TreeMap<>();
    private final List<SimMachine> machines = new ArrayList<>();
    private final Set<Place> deleted = new LinkedHashSet<>();
    private long tokens;

    /** What is in one place. */
    static final class Data {
        private final Set<String> tokens = new TreeSet<>();
        private final Set<String> promised = new TreeSet<>();
        private String madeFor = "";
        private long bytes;

        /** The uid of the volume it was made for; "" if nobody made it. */
        String madeFor() {
            return madeFor;
        }

        long bytes() {
            return bytes;
        }

        void resize(long to) {
            bytes = Math.max(bytes, to);
        }
    }

    /** A Pod that has a volume on a node. */
    private record User(String node, String podUid) implements Comparable<User> {
        @Override
        public int compareTo(User other) {
            int nodes = node.compareTo(other.node);
            return nodes != 0 ? nodes : podUid.compareTo(other.podUid);
        }
    }

    public SimStorage(Schedule schedule, Findings findings, Coverage coverage) {
        this.schedule = schedule;
        this.findings = findings;
        this.coverage = coverage;
    }

    Schedule schedule() {
        return schedule;
    }

    Findings findings() {
        return findings;
    }

    Coverage coverage() {
        return coverage;
    }

    void add(SimMachine machine) {
        machines.add(machine);
    }

    List<SimMachine> machines() {
        return machines;
    }

    /** There is one of every name. */
    NfsServer server(String name) {
        return servers.computeIfAbsent(name, NfsServer::new);
    }

    /** Those that somebody has named. */
    List<NfsServer> servers() {
        return List.copyOf(servers.values());
    }

    Optional<Data> find(Place place) {
        return Optional.ofNullable(data.get(place));
    }

    /** What is there, or an empty place. */
    Data at(Place place) {
        return data.computeIfAbsent(place, unused -> new Data());
    }

    /** For a volume, unless it is there. */
    Data make(Place place, String volumeUid) {
        Data made = at(place);
        made.madeFor = volumeUid;
        deleted.remove(place);
        return made;
    }

    /** A container writes. */
    void write(Place place) {
        Data there = at(place);
        String token = "t" + tokens++;
        there.tokens.add(token);
        there.promised.add(token);
    }

    /** Somebody empties a place who was to. */
    void empty(Place place) {
        Data there = at(place);
        there.tokens.clear();
        there.promised.clear();
    }

    void remove(Place place) {
        data.remove(place);
        deleted.add(place);
    }

    /** It was somebody's own, and went with them. */
    void forget(Place place) {
        data.remove(place);
    }

    /** Whether something was there that Mooring has deleted. */
    boolean isDeleted(Place place) {
        return deleted.contains(place);
    }

    /** The data is gone, and nobody said so: for tests of the tests. */
    void lose(Place place) {
        at(place).tokens.clear();
    }

    /** Whether a machine has it mounted or attached, or a container there has it. */
    Optional<String> use(Place place) {
        for (SimMachine each : machines) {
            Optional<String> use = each.use(place);
            if (use.isPresent()) {
                return use;
            }
        }
        return Optional.empty();
    }

    /** A Pod gets a volume that perhaps only one may have. */
    void taken(Volume volume, String node, String podUid) {
        Set<User> having = users.computeIfAbsent(volume.uid(), unused -> new TreeSet<>());
        User user = new User(node, podUid);
        for (User each : having) {
            boolean twoPods = volume.accessModes().isOncePod() && !each.podUid().equals(podUid);
            boolean twoNodes =
                    !volume.accessModes().allowsManyNodes() && !each.node().equals(node);
            if (twoPods || twoNodes) {
                findings.report(
                        "I6",
                        volume.name() + " (" + volume.spec().path("accessModes") + ") is mounted on " + node + " for "
                                + podUid + " while " + each.node() + " has it for " + each.podUid());
            }
        }
        having.add(user);
    }

    void left(String volumeUid, String node, String podUid) {
        users.getOrDefault(volumeUid, new TreeSet<>()).remove(new User(node, podUid));
    }

    /** Nothing is mounted there any more. */
    void leftByAll(String node) {
        users.values().forEach(each -> each.removeIf(user -> user.node().equals(node)));
    }

    /** Whether everything that was written is there. */
    public void check() {
        data.forEach((place, there) -> {
            Set<String> lost = new TreeSet<>(there.promised);
            lost.removeAll(there.tokens);
            findings.check(lost.isEmpty(), "data lost", place + " has lost " + lost);
        });
    }
}
