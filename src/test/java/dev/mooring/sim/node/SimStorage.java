package dev.mooring.sim.node;

import dev.mooring.model.view.Volume;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.InvariantViolations;
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
 * Storage shared by all machines: NFS servers, the data of volumes, and the Pods that use each volume. Data consists of
 * tokens written by containers; it may disappear only by an ordered deletion.
 */
public final class SimStorage {
    private final DeterministicScheduler scheduler;
    private final InvariantViolations violations;
    private final Coverage coverage;
    private final Map<String, SimNfsServer> servers = new TreeMap<>();
    private final Map<DataLocation, Data> data = new LinkedHashMap<>();
    private final Map<String, Set<VolumeUser>> users = new TreeMap<>();
    private final List<SimMachine> machines = new ArrayList<>();
    private final Set<DataLocation> deleted = new LinkedHashSet<>();
    private long tokens;

    /** The data at one location. */
    static final class Data {
        private final Set<String> tokens = new TreeSet<>();
        private final Set<String> expected = new TreeSet<>();
        private String createdFor = "";
        private long bytes;

        /** Returns the uid of the volume that it was created for; "" if it was not created by Mooring. */
        String createdFor() {
            return createdFor;
        }

        long bytes() {
            return bytes;
        }

        void resize(long to) {
            bytes = Math.max(bytes, to);
        }
    }

    /** A Pod that uses a volume on a node. */
    private record VolumeUser(String node, String podUid) implements Comparable<VolumeUser> {
        @Override
        public int compareTo(VolumeUser other) {
            int nodes = node.compareTo(other.node);
            return nodes != 0 ? nodes : podUid.compareTo(other.podUid);
        }
    }

    public SimStorage(DeterministicScheduler scheduler, InvariantViolations violations, Coverage coverage) {
        this.scheduler = scheduler;
        this.violations = violations;
        this.coverage = coverage;
    }

    DeterministicScheduler scheduler() {
        return scheduler;
    }

    InvariantViolations violations() {
        return violations;
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

    /** Returns the server of a name; every name has one. */
    SimNfsServer server(String name) {
        return servers.computeIfAbsent(name, SimNfsServer::new);
    }

    /** Returns the servers that were used so far. */
    List<SimNfsServer> servers() {
        return List.copyOf(servers.values());
    }

    Optional<Data> find(DataLocation location) {
        return Optional.ofNullable(data.get(location));
    }

    /** Returns the data at a location, empty at first. */
    Data at(DataLocation location) {
        return data.computeIfAbsent(location, unused -> new Data());
    }

    /** Creates data for a volume, unless it exists. */
    Data make(DataLocation location, String volumeUid) {
        Data created = at(location);
        created.createdFor = volumeUid;
        deleted.remove(location);
        return created;
    }

    /** Writes a token. */
    void write(DataLocation location) {
        Data found = at(location);
        String token = "t" + tokens++;
        found.tokens.add(token);
        found.expected.add(token);
    }

    /** Clears the data by an ordered deletion. */
    void empty(DataLocation location) {
        Data found = at(location);
        found.tokens.clear();
        found.expected.clear();
    }

    void remove(DataLocation location) {
        data.remove(location);
        deleted.add(location);
    }

    /** Removes data that belonged to a Pod. */
    void forget(DataLocation location) {
        data.remove(location);
    }

    /** Returns whether Mooring deleted the data. */
    boolean isDeleted(DataLocation location) {
        return deleted.contains(location);
    }

    /** Loses data without an order; for tests of the checks. */
    void lose(DataLocation location) {
        at(location).tokens.clear();
    }

    /** Describes a machine or container that uses the location. */
    Optional<String> userOf(DataLocation location) {
        for (SimMachine each : machines) {
            Optional<String> use = each.userOf(location);
            if (use.isPresent()) {
                return use;
            }
        }
        return Optional.empty();
    }

    /** Records that a Pod uses a volume, and checks exclusive access. */
    void acquired(Volume volume, String node, String podUid) {
        Set<VolumeUser> current = users.computeIfAbsent(volume.uid(), unused -> new TreeSet<>());
        VolumeUser user = new VolumeUser(node, podUid);
        for (VolumeUser each : current) {
            boolean twoPods = volume.accessModes().isOncePod() && !each.podUid().equals(podUid);
            boolean twoNodes =
                    !volume.accessModes().allowsManyNodes() && !each.node().equals(node);
            if (twoPods || twoNodes) {
                violations.report(
                        "I6",
                        volume.name() + " (" + volume.spec().path("accessModes") + ") is mounted on " + node + " for "
                                + podUid + " while " + each.node() + " has it for " + each.podUid());
            }
        }
        current.add(user);
    }

    void released(String volumeUid, String node, String podUid) {
        users.getOrDefault(volumeUid, new TreeSet<>()).remove(new VolumeUser(node, podUid));
    }

    /** Removes all users on a node. */
    void releasedByAll(String node) {
        users.values().forEach(each -> each.removeIf(user -> user.node().equals(node)));
    }

    /** Reports written data that is lost. */
    public void check() {
        data.forEach((location, found) -> {
            Set<String> lost = new TreeSet<>(found.expected);
            lost.removeAll(found.tokens);
            violations.check(lost.isEmpty(), "data lost", location + " has lost " + lost);
        });
    }
}
